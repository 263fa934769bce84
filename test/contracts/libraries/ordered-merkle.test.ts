import { expect } from "chai";
import type { Hex } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { inclusionProof, merkleRoot, verifyInclusion } from "../../../orchestrator/rules/ordered-merkle.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

interface Inclusion {
  root: Hex;
  entry: Hex;
  index: number;
  size: number;
  proof: Hex[];
}

const here = (c: Inclusion) => verifyInclusion(c.root, c.entry, c.index, c.size, c.proof);

describe("OrderedMerkle agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const random = randomStream(7, "merkle");
  const hash = (): Hex => bytesToHex(random.bytes(32));
  const entries = Array.from({ length: 40 }, hash);
  /** Every true claim about the trees of the first 1 … 40 entries. */
  const truths: readonly Inclusion[] = entries.flatMap((_, last) => {
    const tree = entries.slice(0, last + 1);
    const root = merkleRoot(tree);
    return tree.map((entry, index) => ({ root, entry, index, size: tree.length, proof: inclusionProof(tree, index) }));
  });
  const harness = harnessOf("OrderedMerkleHarness");

  it("on the root of every size from 0 to 40", async () => {
    const trees = Array.from({ length: 41 }, (_, size) => entries.slice(0, size));
    expect(await harness.call("roots", trees)).to.deep.equal(trees.map(merkleRoot));
  });

  it("on every inclusion proof of those trees", async () => {
    for (const batch of batches(truths)) {
      expect(await harness.call("verify", batch)).to.deep.equal(batch.map(() => true));
    }
  });

  it("on 10,000 proofs with one thing changed", async () => {
    const claims = Array.from({ length: 10_000 }, () => {
      const claim = { ...random.pick(truths) };
      const change = random.int(7);
      if (change === 0) claim.root = hash();
      if (change === 1) claim.entry = hash();
      if (change === 2) claim.index = random.int(41);
      if (change === 3) claim.size = random.int(41);
      if (change === 4) claim.proof = claim.proof.slice(1);
      if (change === 5) claim.proof = [...claim.proof, hash()];
      return claim;
    });
    let accepted = 0;
    for (const batch of batches(claims)) {
      const expected = batch.map(here);
      expect(await harness.call("verify", batch)).to.deep.equal(expected);
      accepted += expected.filter(Boolean).length;
    }
    expect(accepted / claims.length).to.be.within(0.14, 0.3);
  });
});

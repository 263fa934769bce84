import { expect } from "chai";
import { concat, type Hex, keccak256 } from "viem";
import { bytesToHex } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import {
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  leafHash,
  merkleRoot,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from "../../orchestrator/rules/ordered-merkle.ts";

const random = randomStream(7, "tree");
const entries = Array.from({ length: 20 }, (): Hex => bytesToHex(random.bytes(32)));
const [a, b, c, d, e, f, g] = entries.map(leafHash) as [Hex, Hex, Hex, Hex, Hex, Hex, Hex];

describe("OrderedMerkle", () => {
  it("has the shape of RFC 9162, seven entries written out", () => {
    expect(merkleRoot([])).to.equal(EMPTY_ROOT);
    expect(EMPTY_ROOT).to.equal("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    expect(leafHash(entries[0]!)).to.equal(keccak256(concat(["0x00", entries[0]!])));
    expect(merkleRoot(entries.slice(0, 1))).to.equal(a);
    const left = nodeHash(nodeHash(a, b), nodeHash(c, d));
    expect(merkleRoot(entries.slice(0, 7))).to.equal(nodeHash(left, nodeHash(nodeHash(e, f), g)));
    expect(inclusionProof(entries.slice(0, 7), 6)).to.deep.equal([nodeHash(e, f), left]);
    expect(inclusionProof(entries.slice(0, 7), 3)).to.deep.equal([c, nodeHash(a, b), nodeHash(nodeHash(e, f), g)]);
  });

  it("proves each entry at its own place only", () => {
    for (let size = 1; size <= entries.length; size += 1) {
      const tree = entries.slice(0, size);
      const root = merkleRoot(tree);
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof(tree, index);
        for (let place = 0; place < size; place += 1) {
          expect(verifyInclusion(root, tree[index]!, place, size, proof)).to.equal(place === index);
        }
      }
    }
  });

  it("does not take a node for an entry", () => {
    const tree = entries.slice(0, 2);
    const pair = concat([a, b]);
    expect(keccak256(concat(["0x00", pair]))).to.not.equal(merkleRoot(tree));
    expect(verifyInclusion(merkleRoot(tree), a, 0, 2, [b])).to.be.false;
  });

  it("proves that a tree was appended to, for every pair of sizes", () => {
    for (let after = 1; after <= entries.length; after += 1) {
      for (let before = 1; before <= after; before += 1) {
        const proof = consistencyProof(entries.slice(0, after), before);
        const [first, second] = [merkleRoot(entries.slice(0, before)), merkleRoot(entries.slice(0, after))];
        expect(verifyConsistency(first, before, second, after, proof), `${before} of ${after}`).to.be.true;
        const forged = merkleRoot([...entries.slice(1, before), entries[0]!]);
        if (before > 1) expect(verifyConsistency(forged, before, second, after, proof)).to.be.false;
        if (before < after) expect(verifyConsistency(first, before, first, after, proof)).to.be.false;
        expect(verifyConsistency(first, before, second, after, [...proof, a])).to.be.false;
      }
    }
  });

  it("refuses places that do not exist", () => {
    expect(() => inclusionProof(entries, 20)).to.throw("NoSuchEntry(20, 20)");
    expect(() => consistencyProof(entries, 0)).to.throw("NoSuchEntry(0, 20)");
    expect(verifyConsistency(a, 0, a, 1, [])).to.be.false;
  });
});

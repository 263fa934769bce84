import { expect } from "chai";
import { getAddress, type Hex, zeroHash } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import type { EvidenceClass } from "../../../orchestrator/rules/admissibility.ts";
import {
  checkpointHeadOf,
  commitmentOf,
  evidenceLeafOf,
  nodeCommitmentOf,
  obligationOf,
  workHashOf,
} from "../../../orchestrator/rules/commitments.ts";
import { nextDraw, panelSeed } from "../../../orchestrator/rules/panel-draw.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

function work(random: RandomStream) {
  const hash = (): Hex => bytesToHex(random.bytes(32));
  const address = () => getAddress(bytesToHex(random.bytes(20)));
  return {
    chainId: BigInt(random.int(2 ** 32)),
    clone: address(),
    node: random.int(256),
    attempt: random.int(256),
    lawHash: hash(),
    amendment: random.int(2) === 0 ? zeroHash : hash(),
    agent: address(),
    opening: {
      salt: hash(),
      outputHash: hash(),
      trailRoot: hash(),
      envelopeRoot: hash(),
      items: random.int(33),
      classes: BigInt(bytesToHex(random.bytes(12))),
    },
    slots: Array.from({ length: 1 + random.int(5) }, () => (random.int(4) === 0 ? zeroHash : hash())),
    slot: random.int(5),
    index: random.int(32),
    kind: random.int(256),
    payload: hash(),
    issuer: address(),
    class: random.int(6) as EvidenceClass,
  };
}

describe("Commitments and PanelDraw agree with their twins", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("CommitmentsHarness");

  it("on obligations, commitments, leaves, seeds and checkpoints, random ones of each", async () => {
    const random = randomStream(7, "commitments");
    const works = Array.from({ length: sweep(10_000) }, () => work(random));
    for (const batch of batches(works)) {
      const expected = batch.map((w) => {
        const obligation = obligationOf(w);
        return {
          obligation,
          commitment: commitmentOf(w.agent, w.opening, obligation),
          nodeCommitment: nodeCommitmentOf(w.slots),
          evidenceLeaf: evidenceLeafOf(obligation, w),
          seed: panelSeed(w.payload, w.clone, w.node, w.attempt),
          work: workHashOf(w.slots),
          head: checkpointHeadOf(w.lawHash, w.payload, workHashOf(w.slots)),
        };
      });
      expect(await harness.call("bind", batch)).to.deep.equal(expected);
    }
  });

  it("on random draws", async () => {
    const random = randomStream(7, "draws");
    const draws = Array.from({ length: sweep(10_000) }, (_, k) => ({
      seed: bytesToHex(random.bytes(32)),
      draw: BigInt(k % 9),
      n: BigInt(1 + random.int(200)),
    }));
    for (const batch of batches(draws, 500)) {
      const [seeds, numbers, pools] = [batch.map((d) => d.seed), batch.map((d) => d.draw), batch.map((d) => d.n)];
      expect(await harness.call("draws", seeds, numbers, pools)).to.deep.equal(batch.map((d) => nextDraw(d.seed, d.draw, d.n)));
    }
  });

  it("on an empty pool", async () => {
    expect(await harness.refusal("draws", [zeroHash], [0n], [0n])).to.deep.equal({ code: "EmptyPool", values: [] });
    expect(() => nextDraw(zeroHash, 0, 0)).to.throw("EmptyPool()");
  });
});

import { expect } from "chai";
import { type Hex, size, slice } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import type { Opening } from "../../../orchestrator/rules/commitments.ts";
import { decodeRevealWave, encodeRevealWave, type WireReveal } from "../../../orchestrator/rules/wire.ts";
import { DIFFERENTIAL_TIMEOUT, type Harness, openHarness } from "../harness.ts";

const word = (random: RandomStream): Hex => bytesToHex(random.bytes(32));

function revealOf(random: RandomStream): WireReveal {
  const opening: Opening = {
    salt: word(random),
    outputHash: word(random),
    trailRoot: word(random),
    envelopeRoot: word(random),
    items: random.int(256),
    classes: BigInt(bytesToHex(random.bytes(12))),
  };
  return { node: random.int(256), slot: random.int(128), attempt: random.int(256), opening };
}

describe("Wire agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  let harness: Harness;
  const random = randomStream(3, "wire");
  before(async () => {
    harness = await openHarness("WireHarness");
  });

  it("on 200 waves, both ways", async () => {
    for (let turn = 0; turn < 200; turn += 1) {
      const reveals = Array.from({ length: 1 + random.int(6) }, () => revealOf(random));
      const wave = encodeRevealWave(reveals);
      expect(decodeRevealWave(wave)).to.deep.equal(reveals);
      const [places, openings] = await harness.call<[bigint[][], Opening[]]>("reveals", wave);
      expect(places.map((place) => place.map(Number))).to.deep.equal(reveals.map(({ node, slot, attempt }) => [node, slot, attempt]));
      expect(openings.map(({ salt, classes, items }) => ({ salt, classes, items: Number(items) }))).to.deep.equal(
        reveals.map(({ opening: { salt, classes, items } }) => ({ salt, classes, items })),
      );
    }
  });

  it("on bytes that end too early, or too late", async () => {
    const wave = encodeRevealWave([revealOf(random), revealOf(random)]);
    const spoilt = [0, 1, 2, 90, size(wave) - 1].map((end) => (end === 0 ? "0x" : slice(wave, 0, end)));
    for (const bytes of [...spoilt, `${wave}00` as const]) {
      const offset = await harness.call("reveals", bytes).then(
        () => "none",
        (error: unknown) => /MalformedWave\((\d+)\)/.exec(String(error))?.[1],
      );
      expect(() => decodeRevealWave(bytes)).to.throw(`MalformedWave(${offset})`);
    }
  });
});

import { expect } from "chai";
import { type AbiParameter, encodeAbiParameters, getAddress, type Hex, keccak256, size, slice } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { EVIDENCE_ITEM, OPENING } from "../../../orchestrator/protocol/actions.ts";
import { typedDataTypes } from "../../../orchestrator/protocol/typed-data.ts";
import type { Opening } from "../../../orchestrator/rules/commitments.ts";
import {
  type ClearWave,
  decodeClearWave,
  decodeRevealWave,
  encodeClearWave,
  encodeRevealWave,
  type WireItem,
  type WireReveal,
  type WireVerdict,
} from "../../../orchestrator/rules/wire.ts";
import { DIFFERENTIAL_TIMEOUT, type Harness, harnessOf } from "../harness.ts";

const word = (random: RandomStream): Hex => bytesToHex(random.bytes(32));

function openingOf(random: RandomStream): Opening {
  return {
    salt: word(random),
    outputHash: word(random),
    trailRoot: word(random),
    envelopeRoot: word(random),
    items: random.int(256),
    classes: BigInt(bytesToHex(random.bytes(12))),
  };
}

function revealOf(random: RandomStream): WireReveal {
  return { node: random.int(256), slot: random.int(128), attempt: random.int(256), opening: openingOf(random) };
}

const many = <Entry>(random: RandomStream, most: number, make: () => Entry): Entry[] => Array.from({ length: random.int(most + 1) }, make);

function clearWaveOf(random: RandomStream): ClearWave {
  const first = random.int(250);
  const orders = Array.from({ length: 1 + random.int(4) }, (_, k) => ({
    node: first + k,
    openings: many(random, 3, () => openingOf(random)),
  }));
  const order = () => random.int(orders.length);
  const item = (): WireItem => ({
    order: order(),
    slot: random.int(256),
    index: random.int(256),
    kind: random.int(256),
    class: random.int(6),
    payload: word(random),
    proof: many(random, 3, () => word(random)),
  });
  const verdict = (): WireVerdict => ({
    order: order(),
    question: random.int(2),
    result: random.int(3),
    confidence: random.int(65_536),
    score: random.int(65_536),
    agreeing: random.int(256),
    basis: BigInt(bytesToHex(random.bytes(20))),
  });
  const orHash = <Entry>(make: () => Entry) => many(random, 4, () => (random.int(4) === 0 ? word(random) : make()));
  const who = () => getAddress(bytesToHex(random.bytes(20)));
  return {
    orders,
    issuers: many(random, 3, () => ({ issuer: who(), signature: bytesToHex(random.bytes(random.int(90))), items: orHash(item) })),
    verifiers: many(random, 3, () => ({
      verifier: who(),
      deadline: random.int(2 ** 40),
      signature: bytesToHex(random.bytes(65)),
      verdicts: orHash(verdict),
    })),
  };
}

const tuple = <const Components extends readonly AbiParameter[]>(components: Components) => [{ type: "tuple", components }] as const;
const OPENED = tuple(OPENING);
const ITEM = tuple(EVIDENCE_ITEM);
const VERDICT = tuple(typedDataTypes.Verdict);
const ELSEWHERE = 255n;
const NOBODY = `0x${"00".repeat(20)}` as const;
const NOTHING = `0x${"00".repeat(32)}` as const;

/** What the harness reads of such a wave, field by field. */
function wordsOf({ orders, issuers, verifiers }: ClearWave): bigint[] {
  const hashOf = (encoded: Hex) => BigInt(keccak256(encoded));
  return [
    ...orders.flatMap(({ node, openings }) => [BigInt(node), ...openings.map((one) => hashOf(encodeAbiParameters(OPENED, [one])))]),
    ...issuers.flatMap(({ issuer, signature, items }) => [
      BigInt(issuer),
      hashOf(signature),
      ...items.flatMap((item) =>
        typeof item === "string"
          ? [ELSEWHERE, BigInt(item)]
          : [BigInt(item.order), hashOf(encodeAbiParameters(ITEM, [{ ...item, issuer: NOBODY, signature: "0x" }]))],
      ),
    ]),
    ...verifiers.flatMap(({ verifier, deadline, signature, verdicts }) => [
      BigInt(verifier),
      BigInt(deadline),
      hashOf(signature),
      ...verdicts.flatMap((verdict) =>
        typeof verdict === "string"
          ? [ELSEWHERE, BigInt(verdict)]
          : [
              BigInt(verdict.order),
              hashOf(encodeAbiParameters(VERDICT, [{ ...verdict, obligation: NOTHING, commitment: NOTHING, draw: 0 }])),
            ],
      ),
    ]),
  ];
}

/** Where bytes stop being a wave; "none" if they are one. */
async function offsetIn(refusal: ReturnType<Harness["refusal"]>): Promise<string> {
  return refusal.then(
    ({ code, values }) => (code === "MalformedWave" ? String(values[0]) : code),
    () => "none",
  );
}

describe("Wire agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("WireHarness");
  const random = randomStream(3, "wire");

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
      const offset = await offsetIn(harness.refusal("reveals", bytes));
      expect(() => decodeRevealWave(bytes)).to.throw(`MalformedWave(${offset})`);
    }
  });

  it("on 150 waves of a clearing, both ways", async () => {
    for (let turn = 0; turn < 150; turn += 1) {
      const wave = clearWaveOf(random);
      const bytes = encodeClearWave(wave);
      expect(decodeClearWave(bytes)).to.deep.equal(wave);
      expect(await harness.call<bigint[]>("clearing", bytes)).to.deep.equal(wordsOf(wave));
    }
  });

  it("on bytes of a clearing that end too early or too late, or hold a code that there is none of", async () => {
    for (let turn = 0; turn < 150; turn += 1) {
      const bytes = encodeClearWave(clearWaveOf(random));
      const length = size(bytes);
      const at = random.int(length);
      const digit = 2 + 2 * at;
      const spoilt = random.pick<Hex>([
        at === 0 ? "0x" : slice(bytes, 0, at),
        `${bytes}00`,
        `0x${bytes.slice(2, digit)}${random.int(256).toString(16).padStart(2, "0")}${bytes.slice(digit + 2)}`,
      ]);
      const offset = await offsetIn(harness.refusal("clearing", spoilt));
      if (offset === "none") decodeClearWave(spoilt);
      else expect(() => decodeClearWave(spoilt), spoilt).to.throw(`MalformedWave(${offset})`);
    }
  });
});

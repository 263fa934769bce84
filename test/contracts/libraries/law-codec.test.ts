import { expect } from "chai";
import { getAddress, type Hex } from "viem";
import { bytesToHex, hexToBytes } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import {
  cloneArgs,
  cloneContext,
  decodeLaw,
  encodeLaw,
  type LawHeader,
  type LawNode,
  lawHashOf,
  lawLength,
  type MissionContext,
  specHashOf,
} from "../../../orchestrator/rules/law-codec.ts";
import { type MissionParams, packMissionParams, unpackMissionParams } from "../../../orchestrator/rules/mission-params-codec.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const hash = (random: RandomStream): Hex => bytesToHex(random.bytes(32));
const wide = (random: RandomStream, bytes: number): bigint => BigInt(bytesToHex(random.bytes(bytes)));

function node(random: RandomStream): LawNode {
  return {
    predecessors: wide(random, 32),
    tier: random.int(4),
    redundancy: random.int(8),
    threshold: random.int(8),
    risk: random.int(3),
    floor: random.int(6),
    questions: random.int(4),
    leaf: random.int(2) === 1,
    band: random.int(4),
    panelSize: random.int(8),
    timeout: random.int(2 ** 16),
    reviewWindow: random.int(2 ** 24),
    budget: wide(random, 8),
    predicate: random.int(2 ** 16),
    capabilities: wide(random, 10),
    anyCode: random.int(2) === 1,
  };
}

function law(random: RandomStream, count = 1 + random.int(6)): { header: LawHeader; nodes: LawNode[] } {
  const header = {
    nodeCount: count,
    risk: random.int(3),
    duration: random.int(2 ** 32),
    budget: wide(random, 8),
    outputPredicate: random.int(2 ** 16),
    anchorInterval: random.int(2 ** 16),
    goalHash: hash(random),
    inputHash: hash(random),
    servicesRoot: hash(random),
  };
  return { header, nodes: Array.from({ length: count }, () => node(random)) };
}

function params(random: RandomStream): MissionParams {
  const minutes = () => random.int(2 ** 16);
  const confidence = () => random.int(2 ** 14);
  return {
    verificationTimeout: random.int(2 ** 17),
    maxHumanReviewTimeout: random.int(2 ** 17),
    baseEscalationWindow: random.int(2 ** 13),
    maxRefinementIterations: random.int(2 ** 4),
    escalationFreezeCount: random.int(2 ** 4),
    reputationScaling: random.int(2) === 1,
    reputationScalingBonus: random.int(2 ** 3),
    protocolFeeRate: random.int(2 ** 10),
    insuranceReserveRate: random.int(2 ** 9),
    reputationMultiplierAlpha: random.int(2 ** 11),
    predicateGasLimit: random.int(2 ** 20),
    appealWindows: [minutes(), minutes(), minutes(), minutes()],
    minConfidence: [confidence(), confidence(), confidence()],
    edition: random.int(2 ** 32),
  };
}

function context(random: RandomStream): MissionContext {
  return {
    params: params(random),
    docHash: hash(random),
    session: wide(random, 32),
    sponsor: getAddress(bytesToHex(random.bytes(20))),
    deployedAt: random.int(2 ** 40),
  };
}

describe("LawCodec agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("LawCodecHarness");

  it("on the bytes and hashes of random laws", async () => {
    const random = randomStream(7, "laws");
    const laws = Array.from({ length: sweep(10_000) }, () => law(random, 1 + random.int(3)));
    for (const batch of batches(laws)) {
      const here = batch.map(({ header, nodes }) => encodeLaw(header, nodes));
      const headers = batch.map(({ header }) => header);
      const nodes = batch.map(({ nodes }) => nodes);
      expect(await harness.call("encodeMany", headers, nodes)).to.deep.equal(here);
      expect(await harness.call("hashOf", here)).to.deep.equal(here.map(lawHashOf));
    }
  });

  it("on decoding, of a law alone and of a clone's arguments, up to 256 nodes", async () => {
    const random = randomStream(7, "decode");
    for (const count of [1, 2, 9, 256]) {
      const { header, nodes } = law(random, count);
      const bytes = encodeLaw(header, nodes);
      const args = cloneArgs(bytes, context(random));
      for (const source of [bytes, args]) {
        expect(decodeLaw(source)).to.deep.equal({ header, nodes });
        expect(await harness.call("decode", source)).to.deep.equal([header, nodes]);
        expect(lawHashOf(source)).to.equal(lawHashOf(bytes));
      }
      expect(await harness.call<bigint>("lawLength", count)).to.equal(BigInt(lawLength(count)));
    }
  });

  it("on what is canonical: any flipped bit or cut is another law or no law, on both sides", async () => {
    const random = randomStream(7, "flips");
    const broken = Array.from({ length: 2000 }, () => {
      const { header, nodes } = law(random, 1 + random.int(2));
      const bytes = hexToBytes(encodeLaw(header, nodes));
      // Headers and B words hold the spare bits: half of the flips go there.
      const byte = random.int(2) === 1 ? random.int(bytes.length) : random.pick([0, 14, 15, 29, 160, 161, 162, 163]);
      bytes[byte] = (bytes[byte] ?? 0) ^ (1 << random.int(8));
      return bytesToHex(random.int(10) === 0 ? bytes.slice(0, random.int(bytes.length)) : bytes);
    });
    const here = broken.map((bytes) => {
      try {
        const { header, nodes } = decodeLaw(bytes);
        return encodeLaw(header, nodes) === bytes;
      } catch {
        return false;
      }
    });
    const chain: boolean[] = [];
    for (const batch of batches(broken, 50)) chain.push(...(await harness.call<boolean[]>("canonical", batch)));
    expect(chain).to.deep.equal(here);
    expect(here.filter(Boolean).length).to.be.within(500, 1500);
  });

  it("on the arguments of a clone and the parameters in them, random contexts", async () => {
    const random = randomStream(7, "contexts");
    const { header, nodes } = law(random, 1);
    const bytes = encodeLaw(header, nodes);
    const contexts = Array.from({ length: sweep(10_000) }, () => context(random));
    for (const batch of batches(contexts)) {
      const args = batch.map((c) => cloneArgs(bytes, c));
      expect(await harness.call("args", bytes, batch)).to.deep.equal(args);
      expect(args.map(cloneContext)).to.deep.equal(batch);
      const words = batch.map((c) => packMissionParams(c.params));
      expect(
        await harness.call(
          "pack",
          batch.map((c) => c.params),
        ),
      ).to.deep.equal(words);
      expect(await harness.call("unpack", words)).to.deep.equal(words.map(unpackMissionParams));
    }
    const [first] = contexts;
    expect(await harness.call("context", cloneArgs(bytes, first!))).to.deep.equal(first);
  });

  it("on errors and their values", async () => {
    const random = randomStream(7, "errors");
    const { header, nodes } = law(random, 2);
    const bytes = encodeLaw(header, nodes);
    const spare = `0x01${bytes.slice(4)}` as Hex;
    const long = `${bytes}00` as Hex;
    const cases: [string, unknown[], () => unknown, string][] = [
      ["decode", ["0x1234"], () => decodeLaw("0x1234"), "MalformedLaw"],
      ["decode", [long], () => decodeLaw(long), "MalformedLaw"],
      ["decode", [spare], () => decodeLaw(spare), "MalformedHeader"],
      ["context", [bytes], () => cloneContext(bytes), "MalformedLaw"],
      ["encode", [{ ...header, nodeCount: 3 }, nodes], () => encodeLaw({ ...header, nodeCount: 3 }, nodes), "MalformedLaw"],
      ["encode", [{ ...header, nodeCount: 0 }, []], () => encodeLaw({ ...header, nodeCount: 0 }, []), "MalformedLaw"],
      ["unpack", [[1n << 250n]], () => unpackMissionParams(1n << 250n), "MalformedParams"],
    ];
    const [first] = nodes;
    const tooBig = [{ ...first!, redundancy: 8 }, nodes[1]!];
    cases.push(["encode", [header, tooBig], () => encodeLaw(header, tooBig), "FieldTooLarge"]);
    const badFloor = [{ ...first!, floor: 6 }, nodes[1]!];
    cases.push(["encode", [header, badFloor], () => encodeLaw(header, badFloor), "MalformedNode"]);
    const badParams = { ...params(random), protocolFeeRate: 2 ** 14 };
    cases.push(["pack", [[badParams]], () => packMissionParams(badParams), "ParamTooLarge"]);
    const c = context(random);
    const whole = cloneArgs(bytes, c);
    const marked: Hex = `0x${whole.slice(2, -64)}01${whole.slice(-62)}`;
    cases.push(["args", [whole, [c]], () => cloneArgs(whole, c), "MalformedLaw"]);
    cases.push(["context", [marked], () => cloneContext(marked), "MalformedHeader"]);
    for (const [functionName, args, here, code] of cases) {
      const refusal = await harness.refusal(functionName, ...args);
      expect(refusal.code).to.equal(code);
      expect(here).to.throw(`${code}(${refusal.values.join(", ")})`);
    }
    expect(await harness.refusal("node", bytes, 2n)).to.deep.equal({ code: "NodeOutOfRange", values: [2n, 2n] });
  });

  it("on the spec hash of a proposal", async () => {
    const random = randomStream(7, "spec");
    const [a, b] = [hash(random), hash(random)];
    expect(await harness.call("specHash", a, b)).to.equal(specHashOf(a, b));
  });
});

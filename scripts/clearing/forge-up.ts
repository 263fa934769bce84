import type { ClassName } from "../../orchestrator/clearing/admissibility.ts";
import { type AggregationTerms, aggregate } from "../../orchestrator/clearing/aggregate.ts";
import type { BoundObligation } from "../../orchestrator/clearing/bind.ts";
import type { Deployment } from "../../orchestrator/clearing/deployment.ts";
import { type EvidenceItem, emit, emitted } from "../../orchestrator/clearing/evidence-envelope.ts";
import { admitItem } from "../../orchestrator/clearing/ingest.ts";
import { refOf } from "../../orchestrator/clearing/seal.ts";
import type { AdmittedOutput } from "../../orchestrator/clearing/verifier-output.ts";
import { type RandomStream, randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { violatesFloor } from "./invariant.ts";
import { dealWith, envelopeOf, genuine, ISSUED, performanceUnder, SUBMITTED, settles, signerOf, verdictOn } from "./population.ts";

export const SOPHISTICATIONS = Array.from({ length: 11 }, (_, step) => step / 10);

export interface ForgeUp {
  readonly sophistication: number;
  readonly events: number;
  /** Distinct forgeries, each judged by ingest. */
  readonly forgeries: number;
  /** Events whose item ingest rejected. */
  readonly caught: number;
  readonly settled: number;
  /** Settled on an item signed with a stolen key, which no floor can detect (RAILS 5.5). */
  readonly settledOnTheft: number;
  readonly violations: number;
}

/** Floors that the forger targets, and how. */
const TARGETS = ["SIGN", "WIT", "REC", "ATT", "PROOF"] as const;

/** Ingest's answer to an item. It depends on item, deal and deployment alone, which no event changes, so it is asked once for each item. */
interface Judged {
  readonly admitted: boolean;
}

/** One obligation, the items that an attacker may submit under it, and the verdicts that may rest on them. */
interface Stage {
  readonly floor: ClassName;
  readonly deal: BoundObligation;
  readonly terms: AggregationTerms;
  /** Signed with the rightful issuer's stolen key, with the honestly declared verdicts that a verifier may give on it. */
  readonly stolen: readonly (Judged & { readonly verdicts: readonly AdmittedOutput[] })[];
  /** Verdicts on evidence that anyone can make: a self-report, a self-signed artifact. */
  readonly bystanders: readonly AdmittedOutput[];
}

const ARTIFACTS = 4;
const SUBMISSION = { submitted_at: SUBMITTED };

/** FORGE-UP: with probability `sophistication` the forger holds the rightful issuer's key; otherwise it attempts a forgery. */
export function forgeUp(seed: Seed, sophistication: number, seeds: number, perSeed: number, at: Deployment): ForgeUp {
  const stages = TARGETS.map((floor) => stageFor(floor, at));
  let [caught, settled, settledOnTheft, violations] = [0, 0, 0, 0];
  for (let run = 0; run < seeds; run += 1) {
    const random = randomStream(seed, "clearing", "forge-up", sophistication, run);
    // No forgery is admitted at the class it claims.
    const forgeries = new Map(stages.map(({ deal, floor }) => [floor, forgeriesOf(deal, floor, random.fork("forgeries", floor), at)]));
    for (let event = 0; event < perSeed; event += 1) {
      const stage = random.pick(stages);
      const theft = random.next() < sophistication ? random.pick(stage.stolen) : undefined;
      const { admitted } = theft ?? random.pick(forgeries.get(stage.floor) ?? []);
      if (!admitted) caught += 1;
      const outputs = [random.pick(stage.bystanders)];
      if (admitted && theft !== undefined) outputs.push(random.pick(theft.verdicts));
      const result = aggregate(outputs, stage.terms, at.admissibility);
      const emits = settles(result);
      const basis = result.basis.map((one) => one.item);
      if (violatesFloor(emits, basis, stage.floor)) violations += 1;
      if (!emits) continue;
      settled += 1;
      if (admitted) settledOnTheft += 1;
    }
  }
  return {
    sophistication,
    events: seeds * perSeed,
    forgeries: seeds * TARGETS.length * FORGERIES,
    caught,
    settled,
    settledOnTheft,
    violations,
  };
}

function stageFor(floor: ClassName, at: Deployment): Stage {
  const deal = dealWith(floor, at);
  const word = genuine(deal, "word", "SELF");
  const own = genuine(deal, "own", "SIGN");
  const stolen = Array.from({ length: ARTIFACTS }, (_, index) => {
    const item = genuine(deal, `stolen-${index}`, floor);
    const envelope = envelopeOf(deal, [item, word, own], at);
    // Based on the stolen item alone, or also on weaker ones, which must not count under this floor.
    const bases = [[item], [item, word], [item, own], [item, own, word]];
    return { ...judged(item, deal, at), verdicts: bases.map((basis, verifier) => verdictOn(deal, envelope, basis, at, verifier)) };
  });
  const envelope = envelopeOf(deal, [word, own], at);
  const bystanders = [[word], [word, own]].map((basis, index) => verdictOn(deal, envelope, basis, at, 10 + index));
  return { floor, deal, terms: performanceUnder(floor), stolen, bystanders };
}

/** Inputs of a forgery. */
interface Attempt {
  readonly deal: BoundObligation;
  readonly floor: ClassName;
  readonly random: RandomStream;
  /** Name of the artifact. */
  readonly name: string;
  /** The artifact as signed by its rightful issuer. */
  readonly real: EvidenceItem;
}

const rehopped = (real: EvidenceItem, change: object): EvidenceItem => ({
  ...real,
  provenance: real.provenance.map((one) => ({ ...one, ...change })),
});
const artifactOf = (name: string) => ({ id: name, type: "artifact", content: { id: name } });
const hex = (random: RandomStream): string => random.int(2 ** 40).toString(16);
/** Every class that needs an issuer. */
const VOUCHED = ["SIGN", "WIT", "REC", "ATT", "PROOF"] as const;

/** Ways to claim a class without its issuer's key; the altered values are random. */
const WAYS: readonly ((attempt: Attempt) => EvidenceItem | undefined)[] = [
  ({ real }) => ({ ...real, provenance: [] }),
  ({ deal, floor, name }) => ({ ...genuine(deal, name, "SIGN"), class: floor === "SIGN" ? "ATT" : floor }),
  // The agent issues for itself a class it is not registered for.
  ({ deal, floor, name, random }) => {
    const claimed = floor === "SIGN" ? random.pick(VOUCHED.slice(1)) : floor;
    return emitted(deal.obligation_hash, artifactOf(name), { signer: signerOf("agent"), class: claimed, issuedAt: ISSUED });
  },
  // Genuine, but from another deal.
  ({ deal, floor, name, random }) => {
    const hash = refOf({ another: hex(random) }).slice("sha256:".length) as `0x${string}`;
    return genuine({ ...deal, obligation_hash: hash }, name, floor);
  },
  ({ real, random }) => ({ ...real, ref: refOf({ id: hex(random) }) }),
  ({ real, random }) => ({ ...real, content: { id: `other-${hex(random)}` } }),
  ({ real, random }) => ({ ...real, id: `renamed-${hex(random)}` }),
  // In another party's name, registered or not.
  ({ real, random }) => {
    const own = real.provenance[0]?.emitter;
    const others = ["ghost", "market", "witness", "shop", "runner", "prover"].filter((one) => one !== own);
    return rehopped(real, { emitter: random.pick(others) });
  },
  ({ real, random }) => rehopped(real, { issued_at: `2026-05-01T10:${String(10 + random.int(50))}:${String(10 + random.int(50))}Z` }),
  ({ real, random }) => {
    const own = real.provenance[0]?.class;
    return rehopped(real, { class: random.pick(VOUCHED.filter((one) => one !== own)) });
  },
  ({ deal, floor, real }) => ({
    ...emit(deal.obligation_hash, real, { signer: signerOf("agent"), class: "SELF", issuedAt: ISSUED }),
    class: floor,
  }),
  // Another artifact's signature, or one with an altered digit.
  ({ deal, floor, real, random }) => {
    const signature = genuine(deal, `another-${hex(random)}`, floor).provenance[0]?.signature;
    return signature === undefined ? undefined : rehopped(real, { signature });
  },
  ({ real, random }) => {
    const signature = real.provenance[0]?.signature;
    if (signature === undefined) return undefined;
    const at = signature.length - 1 - random.int(100);
    const digit = ((Number.parseInt(signature[at] ?? "0", 16) + 1 + random.int(15)) % 16).toString(16);
    return rehopped(real, { signature: `${signature.slice(0, at)}${digit}${signature.slice(at + 1)}` });
  },
  // A registered runner of the agent's own principal; one whose registration has expired.
  ({ deal, floor, name }) => vouchedBy("in-house-runner", ["REC", "ATT"], { deal, floor, name }),
  ({ deal, floor, name }) => vouchedBy("retired-runner", ["ATT"], { deal, floor, name }),
];

function vouchedBy(
  id: string,
  registered: readonly ClassName[],
  { deal, floor, name }: Pick<Attempt, "deal" | "floor" | "name">,
): EvidenceItem | undefined {
  if (!registered.includes(floor)) return undefined;
  return emitted(deal.obligation_hash, artifactOf(name), { signer: signerOf(id), class: floor, issuedAt: ISSUED });
}

/** So many are drawn for a seed, a sophistication and a floor. */
export const FORGERIES = 96;

function judged(item: EvidenceItem, deal: BoundObligation, at: Deployment): Judged {
  return { admitted: admitItem(item, SUBMISSION, deal, at).ok };
}

function forgeriesOf(deal: BoundObligation, floor: ClassName, random: RandomStream, at: Deployment): Judged[] {
  return Array.from({ length: FORGERIES }, () => {
    for (;;) {
      const name = `forged-${hex(random)}`;
      const forged = random.pick(WAYS)({ deal, floor, random, name, real: genuine(deal, name, floor) });
      if (forged !== undefined) return judged(forged, deal, at);
    }
  });
}

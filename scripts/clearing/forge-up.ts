import type { ClassName } from "../../orchestrator/clearing/admissibility.ts";
import { aggregate } from "../../orchestrator/clearing/aggregate.ts";
import type { BoundObligation } from "../../orchestrator/clearing/bind.ts";
import type { Deployment } from "../../orchestrator/clearing/deployment.ts";
import { type EvidenceItem, emit, emitted } from "../../orchestrator/clearing/evidence-envelope.ts";
import { admitItem } from "../../orchestrator/clearing/ingest.ts";
import { refOf } from "../../orchestrator/clearing/seal.ts";
import type { AdmittedOutput } from "../../orchestrator/clearing/verifier-output.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { violatesFloor } from "./invariant.ts";
import { dealWith, envelopeOf, genuine, ISSUED, performanceUnder, SUBMITTED, settles, signerOf, verdictOn } from "./population.ts";

export const SOPHISTICATIONS = Array.from({ length: 11 }, (_, step) => step / 10);

export interface ForgeUp {
  readonly sophistication: number;
  readonly events: number;
  /** Forged items that ingest kept out. */
  readonly caught: number;
  readonly settled: number;
  /** Settled on an item whose credential was stolen: what no floor can see (RAILS 5.5). */
  readonly settledOnTheft: number;
  readonly violations: number;
}

/** Floors that a forger aims at, and how. */
const TARGETS = ["SIGN", "WIT", "REC", "ATT", "PROOF"] as const;

/** One obligation, with the items that an attacker may hand in under it and the verdicts that may rest on them. */
interface Stage {
  readonly floor: ClassName;
  readonly deal: BoundObligation;
  /** Forged, one way each: none survives ingest at its claim. */
  readonly forgeries: readonly EvidenceItem[];
  /** Signed with the rightful issuer's stolen key, and the verdicts a verifier may give on it, honestly declared. */
  readonly stolen: readonly { readonly item: EvidenceItem; readonly verdicts: readonly AdmittedOutput[] }[];
  /** Verdicts on what everybody has: a self-report, a self-signed artifact. */
  readonly bystanders: readonly AdmittedOutput[];
}

const ARTIFACTS = 4;
const SUBMISSION = { submitted_at: SUBMITTED };

/** FORGE-UP: with probability `sophistication` the forger holds the rightful issuer's key; else he tries one of the forgeries. */
export function forgeUp(seed: Seed, sophistication: number, seeds: number, perSeed: number, at: Deployment): ForgeUp {
  const stages = TARGETS.map((floor) => stageFor(floor, at));
  let [caught, settled, settledOnTheft, violations] = [0, 0, 0, 0];
  for (let run = 0; run < seeds; run += 1) {
    const random = randomStream(seed, "clearing", "forge-up", sophistication, run);
    for (let event = 0; event < perSeed; event += 1) {
      const stage = random.pick(stages);
      const theft = random.next() < sophistication ? random.pick(stage.stolen) : undefined;
      const item = theft?.item ?? random.pick(stage.forgeries);
      const admitted = admitItem(item, SUBMISSION, stage.deal, at).ok;
      if (!admitted) caught += 1;
      const outputs = [random.pick(stage.bystanders)];
      if (admitted && theft !== undefined) outputs.push(random.pick(theft.verdicts));
      const result = aggregate(outputs, performanceUnder(stage.floor), at.admissibility);
      const emits = settles(result);
      if (emits) settled += 1;
      if (emits && admitted) settledOnTheft += 1;
      if (
        violatesFloor(
          emits,
          result.basis.map((one) => one.item),
          stage.floor,
        )
      )
        violations += 1;
    }
  }
  return { sophistication, events: seeds * perSeed, caught, settled, settledOnTheft, violations };
}

function stageFor(floor: ClassName, at: Deployment): Stage {
  const deal = dealWith(floor, at);
  const word = genuine(deal, "word", "SELF");
  const own = genuine(deal, "own", "SIGN");
  const stolen = Array.from({ length: ARTIFACTS }, (_, index) => {
    const item = genuine(deal, `stolen-${index}`, floor);
    const envelope = envelopeOf(deal, [item, word, own], at);
    // Resting on the stolen item alone, or together with weaker ones: the latter must not count under this floor.
    const bases = [[item], [item, word], [item, own], [item, own, word]];
    return { item, verdicts: bases.map((basis, verifier) => verdictOn(deal, envelope, basis, at, verifier)) };
  });
  const envelope = envelopeOf(deal, [word, own], at);
  const bystanders = [[word], [word, own]].map((basis, index) => verdictOn(deal, envelope, basis, at, 10 + index));
  return { floor, deal, forgeries: forgeriesOf(deal, floor), stolen, bystanders };
}

/** Ten ways to claim a class without its issuer's key. */
function forgeriesOf(deal: BoundObligation, floor: ClassName): EvidenceItem[] {
  const elsewhere = { ...deal, obligation_hash: refOf({ another: "deal" }).slice("sha256:".length) as `0x${string}` };
  const real = genuine(deal, "forged", floor);
  const [hop] = real.provenance;
  const relabelled = genuine(deal, "forged", "SIGN");
  const rehopped = (change: object): EvidenceItem => ({ ...real, provenance: real.provenance.map((one) => ({ ...one, ...change })) });
  const agents = { signer: signerOf("agent"), class: floor, issuedAt: ISSUED };
  const artifact = { id: "forged", type: "artifact", content: { id: "forged" } };
  return [
    { ...real, provenance: [] },
    floor === "SIGN" ? { ...relabelled, class: "ATT" } : { ...relabelled, class: floor },
    floor === "SIGN"
      ? emitted(deal.obligation_hash, artifact, { ...agents, class: "REC" })
      : emitted(deal.obligation_hash, artifact, agents),
    genuine(elsewhere, "forged", floor),
    { ...real, ref: refOf({ id: "other" }) },
    { ...real, content: { id: "other" } },
    { ...real, id: "renamed" },
    rehopped({ emitter: "ghost" }),
    rehopped({ issued_at: "2026-05-01T10:59:00Z" }),
    { ...emit(deal.obligation_hash, real, { ...agents, class: "SELF" }), class: floor },
    ...(hop === undefined
      ? []
      : [{ ...real, provenance: [{ ...hop, signature: genuine(deal, "another", floor).provenance[0]?.signature ?? hop.signature }] }]),
  ];
}

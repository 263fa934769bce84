import {
  type Checks,
  contentHash,
  evaluateDelivery,
  proposalFrom,
  readAgreement,
  signerOf,
  templateOf,
} from "../../orchestrator/agreements/index.ts";
import { type RandomStream, randomStream, type Seed } from "../../orchestrator/primitives/random.ts";

/** Judge queries avoided by structural checks, on deliveries drawn from a seed. */
export interface Saved {
  /** Share of the deliveries with one of `DEFECTS`. */
  readonly defective: number;
  readonly deliveries: number;
  /** Queries if a judge were asked about every dimension. */
  readonly questions: number;
  readonly asked: number;
}

export const POPULATION = { seed: "7", deliveries: 1000, defective: [0, 0.1, 0.3, 0.6] } as const;

const party = (value: string) => ({ identity: { scheme: "uri" as const, value } });
const TERMS = proposalFrom(templateOf("general"), {
  agreement_id: "asa-population",
  created_at: "2026-03-26T14:30:00Z",
  expires_at: "2026-03-27T14:30:00Z",
  parties: { client: party("client"), provider: party("provider"), evaluator: { ...party("evaluator"), type: "agent_as_judge" } },
  description: "What is known of a question, as JSON",
  deliverable_format: "json",
  verification: { strategy: "immediate", depth: "semantic" },
});
const AGREEMENT = readAgreement({
  ...TERMS,
  service: {
    ...TERMS.service,
    constraints: { max_duration_seconds: 3600, max_bytes: 4000 },
    deliverable_schema: { type: "object", required: ["answer", "sources"], properties: { sources: { type: "array", minItems: 1 } } },
  },
  quality_criteria: { ...TERMS.quality_criteria, quality_gates: [{ condition: "sources_exist", type: "boolean" }] },
});

interface Delivery {
  readonly content: Uint8Array;
  readonly delivered_at: string;
}
const SOUND = { answer: "It is so.", sources: ["https://example.org/1"] };
const text = (words: string) => new TextEncoder().encode(words);
const inTime = (content: Uint8Array): Delivery => ({ content, delivered_at: "2026-03-26T14:50:00Z" });
const json = (value: object): Delivery => inTime(text(JSON.stringify(value)));

/** Equally likely; only a judge or the clock detects the last two. */
const DEFECTS: readonly (() => Delivery)[] = [
  () => inTime(new Uint8Array()),
  () => inTime(new Uint8Array([0xff, 0xfe])),
  () => json({ ...SOUND, answer: "so ".repeat(2000) }),
  () => inTime(text("It is so.")),
  () => json({ answer: SOUND.answer }),
  () => json({ ...SOUND, sources: ["nowhere"] }),
  () => ({ ...json(SOUND), delivered_at: "2026-03-26T16:00:00Z" }),
  () => json({ ...SOUND, answer: "?" }),
];

const CHECKS: Checks = { sources_exist: async (content) => !new TextDecoder().decode(content).includes("nowhere") };
const SIGNER = signerOf("ed25519", new Uint8Array(32).fill(3));
const { identity } = party("evaluator");

/** Evaluates deliveries with a share of defects at the depth `semantic`, and counts the judge's queries. */
export async function savedBy(seed: Seed, defective: number, deliveries: number): Promise<Saved> {
  const random = randomStream(seed, "agreements", "saved-evaluations", defective);
  let asked = 0;
  const judge = {
    identity,
    evaluate: async () => {
      asked += 1;
      return { value: 90, evidence: "read", confidence: 0.9, cost_usd: 0.01 };
    },
  };
  for (let number = 0; number < deliveries; number += 1) {
    const delivered = drawn(random, defective);
    const at = {
      verification_id: `ver-${number}`,
      timestamp: "2026-03-26T17:00:00Z",
      startedAt: "2026-03-26T14:30:00Z",
      deliverableHash: contentHash(delivered),
      signer: SIGNER,
      identity,
    };
    await evaluateDelivery(AGREEMENT, delivered, at, { evaluator: judge, checks: CHECKS });
  }
  return { defective, deliveries, questions: deliveries * AGREEMENT.quality_criteria.dimensions.length, asked };
}

function drawn(random: RandomStream, defective: number): Delivery {
  return random.next() < defective ? random.pick(DEFECTS)() : json(SOUND);
}

/** The population of the documentation page. */
export async function savedEvaluations(): Promise<readonly Saved[]> {
  const { seed, deliveries, defective } = POPULATION;
  const found: Saved[] = [];
  for (const share of defective) found.push(await savedBy(seed, share, deliveries));
  return found;
}

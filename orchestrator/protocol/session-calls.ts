import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema } from "../primitives/hex.ts";
import { grounds, reasonsSchema } from "./debate.ts";
import { lawShapeSchema } from "./law-shape.ts";

/** Stages of a session at which a mind is asked: a first law, an amended law, all drafts, the ballot. */
const SESSION_STAGES = ["draft", "amend", "endorse", "debate"] as const;
export type SessionStage = (typeof SESSION_STAGES)[number];

const whole = z.string().regex(/^(?:0|[1-9]\d{0,77})$/);
const byte = z.int().min(0).max(255);
const text = z.string().max(4_096);
const blockId = z.string().min(1).max(128);

/** A task as the producers see it; amounts are decimal text. */
const goalTaskSchema = z.strictObject({
  name: text,
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  services: z.array(z.strictObject({ name: text, capabilities: z.array(byte).max(10), code: hashSchema, schema: hashSchema })).max(256),
  anyCode: z.literal(true).optional(),
  overInput: z.boolean(),
  perItem: z.boolean(),
  after: z.array(text).max(256),
  budget: whole.optional(),
  timeout: z.int().optional(),
  floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"]).optional(),
  get mission() {
    return z.strictObject({ parts: z.int(), tasks: z.array(goalTaskSchema).max(256) }).optional();
  },
});
const goalSchema = z.strictObject({
  text: z.string().max(65_536),
  tasks: z.array(goalTaskSchema).max(256),
  items: z.int(),
  budget: whole,
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  duration: z.int(),
  coverage: z.number().optional(),
});
export type GoalText = z.output<typeof goalSchema>;
export type GoalTaskText = z.output<typeof goalTaskSchema>;

/** A law to argue about or rank. "No law" has neither document nor structure. */
const lawSchema = z.strictObject({
  /** Entry of the ballot, or position on the table; null if it has none yet. */
  number: byte.nullable(),
  document: blockId.nullable(),
  shape: lawShapeSchema.nullable(),
  /** Present if its author planned the tasks. */
  goal: goalSchema.optional(),
  failed: z.array(lawShapeSchema).max(64).optional(),
});
export type LawText = z.output<typeof lawSchema>;

const debateSchema = z.strictObject({
  evidence: z
    .array(
      z.strictObject({
        id: z.string().max(64),
        kind: z.enum(["city", "candidate", "producer"]),
        agent: addressSchema.nullable(),
        candidate: byte.nullable(),
        facts: z.record(z.string().max(64), z.int()),
      }),
    )
    .max(8_192),
  heard: z
    .array(
      z.strictObject({
        speaker: addressSchema,
        round: z.int().min(0),
        about: byte,
        text: z.string().max(2_000),
        ground: z.enum(grounds),
        evidence: z.array(z.string().max(64)).max(8),
      }),
    )
    .max(1_024),
});

const common = {
  session: whole,
  stage: z.enum(SESSION_STAGES),
  /** Round of the debate; 0 is before it. */
  round: byte,
  goal: goalSchema,
  producers: z
    .array(
      z.strictObject({ agent: addressSchema, principal: addressSchema, reputation: z.int(), capabilities: z.array(z.int()).length(10) }),
    )
    .max(5_000),
  failed: z.array(lawShapeSchema).max(64).optional(),
};

/** Decisions of members in a session. Silence costs a vote and nothing else. */
export const SESSION_CALLS = {
  /** Draft a law. */
  draft: {
    of: ["producer"],
    request: z.strictObject({ ...common, barred: z.array(lawShapeSchema).max(64).optional() }),
    answer: lawShapeSchema,
    within: 60,
    optional: true,
  },
  /** Argue for a law. */
  speak: {
    of: ["producer"],
    request: z.strictObject({ ...common, law: lawSchema, debate: debateSchema.optional() }),
    answer: reasonsSchema,
    within: 60,
    optional: true,
  },
  /** Rank all laws, best first. */
  rank: {
    of: ["producer"],
    request: z.strictObject({ ...common, laws: z.array(lawSchema).max(256), debate: debateSchema.optional() }),
    answer: z.array(byte).min(1).max(256),
    within: 60,
    optional: true,
  },
} as const;

/** Messages signed in a session. */
export const SESSION_MESSAGES = ["IdentityAttestation", "Propose", "Sponsor", "StrawPoll", "Ballot", "Speech", "Reintroduce"] as const;
export type SessionMessageType = (typeof SESSION_MESSAGES)[number];

export function isSessionMessage(type: string): type is SessionMessageType {
  return SESSION_MESSAGES.some((known) => known === type);
}

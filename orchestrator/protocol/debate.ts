import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";

/** On what a law can be supported: one quality of it. Closed, so that one agent's reasons reach another's mind without its words. */
export const grounds = ["speed", "thrift", "assurance", "evenness", "income"] as const;
export type Ground = (typeof grounds)[number];

const contentId = z.string().transform(parseContentId);
const session = z.string().regex(/^[1-9]\d*$/);
const evidenceId = z.string().min(1).max(64);

/** One published fact about the city, a candidate or a producer. Numbers only: words are never evidence. */
export const evidenceSchema = z.strictObject({
  /** Unique in its briefing: `city`, `candidate-2`, `producer-0`. */
  id: evidenceId,
  kind: z.enum(["city", "candidate", "producer"]),
  /** The candidate it is about. */
  specHash: hashSchema.nullable(),
  /** The producer it is about. */
  agent: addressSchema.nullable(),
  facts: z.record(z.string(), z.int()),
});
export type Evidence = z.output<typeof evidenceSchema>;

/** What a Regulator publishes before the debate: the chain's own data, as of one block (AgentCity 3.4, evidence anchoring). */
export const briefingSchema = z.strictObject({
  session,
  block: z.strictObject({ number: z.int(), hash: hashSchema }),
  evidence: z.array(evidenceSchema),
});
export type Briefing = z.output<typeof briefingSchema>;

/** Reasons are given, always (AgentCity 3.4): in words, as one of the grounds, and by the evidence they rest on. */
export const reasonsSchema = z.strictObject({
  text: z.string().min(1).max(2000),
  ground: z.enum(grounds),
  /** Ids of published evidence. */
  evidence: z.array(evidenceId).max(8),
});

/** A speech for a law; the speaker signs its digest. */
export const speechContentSchema = z.strictObject({ session, about: hashSchema, ...reasonsSchema.shape });

/** A turn of the debate, with the speaker's signature under its place and content. */
export const turnSchema = z.strictObject({
  agent: addressSchema,
  round: z.int().min(1),
  turn: z.int().min(0),
  content: contentId,
  signature: hexSchema,
});

/** Ballot entries, best first, by agent: each one's vote as it stands at some point of a session. */
export const opinionsSchema = z.array(z.strictObject({ agent: addressSchema, ranking: z.array(z.int().min(0).max(15)).min(2) }));
export type Opinions = z.output<typeof opinionsSchema>;

export const roundSchema = z.strictObject({
  turns: z.array(turnSchema),
  /** What everybody thinks after it. */
  opinions: contentId,
});

export const publishedSchema = z.strictObject({ regulator: addressSchema, content: contentId, signature: hexSchema });

/** A whole debate, as the log names it when the vote opens. */
export const debateSchema = z.strictObject({
  session,
  briefing: publishedSchema,
  /** Block in which it opened: names the speaking orders. */
  opened: hashSchema,
  /** Signed rankings from before it. */
  straws: contentId,
  rounds: z.array(roundSchema),
});
export type Debate = z.output<typeof debateSchema>;

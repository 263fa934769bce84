import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { parseContentId } from "../primitives/hash.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";

/** Grounds for supporting a law. A closed list, so that one agent's reasons reach another's mind without free text. */
export const grounds = ["speed", "thrift", "assurance", "evenness", "income"] as const;
export type Ground = (typeof grounds)[number];

const contentId = z.string().transform(parseContentId);
const session = z.string().regex(/^[1-9]\d*$/);
const evidenceId = z.string().min(1).max(64);

/** One published fact about the city, a candidate or a producer. Numbers only: text is never evidence. */
export const evidenceSchema = z.strictObject({
  /** Unique in its briefing: `city`, `candidate-2`, `producer-0`. */
  id: evidenceId,
  kind: z.enum(["city", "candidate", "producer"]),
  /** The candidate that it is about. */
  specHash: hashSchema.nullable(),
  /** The producer that it is about. */
  agent: addressSchema.nullable(),
  facts: z.record(z.string(), z.int()),
});
export type Evidence = z.output<typeof evidenceSchema>;

/** What a Regulator publishes before the debate: the chain's own data as of one block (AgentCity 3.4, evidence anchoring). */
export const briefingSchema = z.strictObject({
  session,
  block: z.strictObject({ number: z.int(), hash: hashSchema }),
  evidence: z.array(evidenceSchema),
});
export type Briefing = z.output<typeof briefingSchema>;

/** Reasons are mandatory (AgentCity 3.4): in words, as one of the grounds, and with the evidence they cite. */
export const reasonsSchema = z.strictObject({
  text: z.string().min(1).max(2000),
  ground: z.enum(grounds),
  /** Ids of published evidence. */
  evidence: z.array(evidenceId).max(8),
});

/** A speech for a law; the speaker signs its digest. */
export const speechContentSchema = z.strictObject({ session, about: hashSchema, ...reasonsSchema.shape });

/** A turn of the debate; the signature covers its position and content. */
export const turnSchema = z.strictObject({
  agent: addressSchema,
  round: z.int().min(1),
  turn: z.int().min(0),
  content: contentId,
  signature: hexSchema,
});

/** By agent, ballot entries from best to worst at some point of a session. */
export const opinionsSchema = z.array(z.strictObject({ agent: addressSchema, ranking: z.array(z.int().min(0).max(15)).min(2) }));
export type Opinions = z.output<typeof opinionsSchema>;

/** Straw ballots as the chain recorded them; older bundles hold their signatures, too. */
export const strawsSchema = z.array(z.object({ agent: addressSchema, ranking: hexSchema.transform(BigInt) }));

export const roundSchema = z.strictObject({
  turns: z.array(turnSchema),
  /** Every participant's ranking after the round. */
  opinions: contentId,
});

export const publishedSchema = z.strictObject({ regulator: addressSchema, content: contentId, signature: hexSchema });

/** A whole debate, as logged when the vote opens. */
export const debateSchema = z.strictObject({
  session,
  briefing: publishedSchema,
  /** Block in which the debate opened; it seeds the speaking orders. */
  opened: hashSchema,
  /** Rankings from before the debate, as on chain then. */
  straws: contentId,
  rounds: z.array(roundSchema),
});
export type Debate = z.output<typeof debateSchema>;

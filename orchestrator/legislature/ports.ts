import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { z } from "zod";
import type { Boundary } from "../primitives/boundary.ts";
import type { ContentId, Hash } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import type { Mutex } from "../primitives/mutex.ts";
import type { LegislatureBoundary } from "../protocol/boundaries.ts";
import type { CodificationApproval, CodificationRequest } from "../protocol/codification-approval.ts";

/** Content-addressed blocks of JSON. Putting the same value twice is putting it once. */
export interface RecordsPort {
  put(bytes: Uint8Array): ContentId;
  putJson(value: unknown): ContentId;
  getJson(id: ContentId): JsonValue;
}

/** Which answer of a Mind. */
export interface AnswerKey {
  readonly session: string;
  readonly agent: string;
  readonly step: string;
  readonly round: number;
}

/** Answers of Minds, recorded before anything depends on them, and read back on a re-run (decision 45). */
export interface AnswersPort {
  remember<Answer>(key: AnswerKey, schema: z.ZodType<Answer>, compute: () => Promise<unknown>): Promise<Answer>;
}

/** What adjudicators are asked when flagged voters delay a law. */
export interface RulingRequest {
  readonly session: bigint;
  /** What is judged: the voters flagged so far. */
  readonly caseHash: Hash;
}

/** What a session needs of the city around it. Log entries travel with the transactions, as the client's notes. */
export interface LegislaturePorts {
  readonly records: RecordsPort;
  readonly answers: AnswersPort;
  readonly checkpointer: BaseCheckpointSaver;
  /**
   * Asked when a law of HIGH risk waits: an adjudicator's signature, if there is one by now. Without one the session stops with
   * `AuditNeeded`, and resumes when it is run again and there is a signature, here or on chain.
   */
  readonly approval?: ((request: CodificationRequest) => Promise<CodificationApproval | undefined>) | undefined;
  /**
   * Gets the adjudicators' RULE_ON_BLOC on chain, or returns without it: the session then stops with `RulingNeeded` and resumes when it is
   * run again.
   */
  readonly ruling?: ((request: RulingRequest) => Promise<void>) | undefined;
  /** Sessions side by side take turns in paying their deposits: the sponsor has one allowance. Default: this session is alone. */
  readonly deposits?: Mutex | undefined;
  /** Default: crossing a boundary does nothing. */
  readonly boundary?: Boundary<LegislatureBoundary> | undefined;
}

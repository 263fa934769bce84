import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { z } from "zod";
import type { Boundary } from "../primitives/boundary.ts";
import type { ContentId, Hash } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import type { LegislatureBoundary } from "../protocol/boundaries.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";

/** Content-addressed blocks of JSON. Putting the same value twice is putting it once. */
export interface RecordsPort {
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

/** What an adjudicator is asked before a law of HIGH risk is deployed. */
export interface AuditRequest {
  readonly session: bigint;
  readonly specHash: Hash;
  readonly document: MissionDocument;
}

/** What a session needs of the city around it. Log entries travel with the transactions, as the client's notes. */
export interface LegislaturePorts {
  readonly records: RecordsPort;
  readonly answers: AnswersPort;
  readonly checkpointer: BaseCheckpointSaver;
  /**
   * Gets an adjudicator's APPROVE_CODIFICATION on chain, or returns without it: the session then stops with `AuditNeeded` and goes
   * on when it is run again. Without this port a mission of HIGH risk is refused before any money moves.
   */
  readonly audit?: ((request: AuditRequest) => Promise<void>) | undefined;
  /** Default: crossing a boundary does nothing. */
  readonly boundary?: Boundary<LegislatureBoundary> | undefined;
}

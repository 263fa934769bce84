import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { z } from "zod";
import type { Boundary } from "../primitives/boundary.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import type { Mutex } from "../primitives/mutex.ts";
import type { LegislatureBoundary } from "../protocol/boundaries.ts";
import type { CodificationApproval, CodificationRequest } from "../protocol/codification-approval.ts";

/** Content-addressed blocks of JSON. Writing is idempotent. */
export interface RecordsPort {
  put(bytes: Uint8Array): ContentId;
  putJson(value: unknown): ContentId;
  getJson(id: ContentId): JsonValue;
}

/** Identifies a mind's answer. */
export interface AnswerKey {
  readonly session: string;
  readonly agent: string;
  readonly step: string;
  readonly round: number;
}

/** Answers of minds, recorded before anything depends on them, and replayed on a re-run (decision 45). */
export interface AnswersPort {
  remember<Answer>(key: AnswerKey, schema: z.ZodType<Answer>, compute: () => Promise<unknown>): Promise<Answer>;
}

/** The case for adjudicators when flagged voters delay a law. */
export interface RulingRequest {
  readonly session: bigint;
  /** The state to be judged: the voters flagged so far. */
  readonly caseHash: Hash;
}

/** An agent's act that the chain refused. */
export interface RefusedAct {
  readonly agent: Address;
  /** The call, e.g. "propose". */
  readonly what: string;
  /** Name of the contract's error. */
  readonly reason: string;
}

/** The session's interface to the city around it. Log entries travel with the transactions, as the client's notes. */
export interface LegislaturePorts {
  readonly records: RecordsPort;
  readonly answers: AnswersPort;
  readonly checkpointer: BaseCheckpointSaver;
  /**
   * Called when a law of HIGH risk waits: an adjudicator's signature, if available. Without one the session stops with `AuditNeeded`, and
   * resumes when it is run again and there is a signature, here or on chain.
   */
  readonly approval?: ((request: CodificationRequest) => Promise<CodificationApproval | undefined>) | undefined;
  /**
   * Obtains the adjudicators' RULE_ON_BLOC on chain, or returns without it: the session then stops with `RulingNeeded` and resumes when it
   * is run again.
   */
  readonly ruling?: ((request: RulingRequest) => Promise<void>) | undefined;
  /** Receives acts that the chain refused; the session goes on without them. */
  readonly refused?: ((act: RefusedAct) => void) | undefined;
  /** Serialises deposits of concurrent sessions, since the sponsor has one allowance. Default: this session is alone. */
  readonly deposits?: Mutex | undefined;
  /** Default: crossing a boundary does nothing. */
  readonly boundary?: Boundary<LegislatureBoundary> | undefined;
}

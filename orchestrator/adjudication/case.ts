import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** A case for a human: one node that waits in PENDING_REVIEW, with its evidence. */
export interface Case {
  readonly mission: Address;
  readonly node: number;
  readonly label: string;
  /** The state the signature will bind (`caseHash` on chain). */
  readonly caseHash: Hash;
  /** Why it is here. */
  readonly reason: "human tier" | "disputed" | "vetoed" | "frozen";
  /** The mesh's score, 0–1; 0 if it reached none. */
  readonly quality: number;
  /** 1 − the mesh's confidence, 0–1; 1 if it reached none. */
  readonly risk: number;
  /** The law's criteria for the work, if any. */
  readonly rubric?: string;
  /** The work as text; at most a few thousand characters. */
  readonly excerpt: string;
  /** ABI-encoded arguments of APPROVE_POP: openings, proven items, basis, share. */
  readonly approval: Hex;
  /** Chain time at which it goes to the backup pool, or fails. */
  readonly deadline: number;
  /** The seat whose turn it was did not rule in the review window: the other seats are the backup pool (AgentCity B.11). */
  readonly escalated: boolean;
}

/** `amend`: the same executors redo a frozen node under an amended mandate (AgentCity B.11.2, path 2). */
export type Ruling = "approve" | "reject" | "amend";

export interface Judgement {
  readonly ruling: Ruling;
  readonly justification: string;
  /** What the executors of an amended node are to do; required for `amend`. */
  readonly mandate?: string;
}

/** Decides a case: a person at a terminal, or a labelled simulation. */
export interface Judge {
  readonly simulated: boolean;
  /** Undefined if external adjudicators decided it on chain meanwhile. */
  decide(subject: Case): Promise<Judgement | undefined>;
}

import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** What a human is asked to judge: one node of one mission that waits in PENDING_REVIEW, with what supports it. */
export interface Case {
  readonly mission: Address;
  readonly node: number;
  readonly label: string;
  /** The state the signature will bind (`caseHash` on chain). */
  readonly caseHash: Hash;
  /** Why it is here. */
  readonly reason: "human tier" | "disputed" | "vetoed" | "frozen";
  /** The mesh's score, 0–1; 0 when it reached none. */
  readonly quality: number;
  /** 1 − the mesh's confidence, 0–1; 1 when it reached none. */
  readonly risk: number;
  /** What the law says the work is to be judged by, if anything. */
  readonly rubric?: string;
  /** The work itself, as text for a person; at most a few thousand characters. */
  readonly excerpt: string;
  /** ABI-encoded arguments of APPROVE_POP: openings, proven items, basis, share. */
  readonly approval: Hex;
  /** Chain time when it ends without a human: it goes to the backup pool, or fails. */
  readonly deadline: number;
  /** Whose turn it was did not rule in the review window: the other seats are the backup pool (AgentCity B.11). */
  readonly escalated: boolean;
}

/** `amend`: the same executors redo a frozen node under an amended mandate (AgentCity B.11.2, path 2). */
export type Ruling = "approve" | "reject" | "amend";

export interface Judgement {
  readonly ruling: Ruling;
  readonly justification: string;
  /** What the executors of an amended node are to do; required by `amend`. */
  readonly mandate?: string;
}

/** Decides a case: a person at a terminal, or a labelled simulation of one. */
export interface Judge {
  readonly simulated: boolean;
  /** Undefined if adjudicators elsewhere decide and have acted on chain meanwhile. */
  decide(subject: Case): Promise<Judgement | undefined>;
}

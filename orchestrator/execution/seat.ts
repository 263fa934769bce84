import type { LocalAccount } from "viem";
import type { Mind } from "../minds/mind.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import type { PublicKey } from "../primitives/signing.ts";
import type { Opening } from "../rules/commitments.ts";
import type { ClearingDocument } from "./clearing-record.ts";
import type { SignedItem } from "./evidence.ts";
import type { SandboxLimits } from "./sandbox/limits.ts";
import type { Tool } from "./sandbox/process.ts";
import type { RunResult } from "./sandbox/result.ts";
import type { RegisteredService } from "./world.ts";

/** One executor's slot in one attempt at a node. */
export interface Place {
  readonly mission: Address;
  readonly node: number;
  readonly attempt: number;
  readonly slot: number;
}

/** A service to be run on a node's input. */
export interface WorkOrder extends Place {
  /** The node's name, for people. */
  readonly label: string;
  readonly service: RegisteredService;
  readonly input: JsonObject;
  readonly limits: Partial<SandboxLimits>;
  readonly tools: Readonly<Record<string, Tool>>;
}

/** Finished work and the evidence for it: what a commitment hides. The salt is the executor's. */
export interface Deed extends Place {
  readonly obligation: Hash;
  readonly outputHash: Hash;
  readonly trail: readonly Hash[];
  readonly items: readonly SignedItem[];
}

/**
 * Where a producer's decisions, signatures and work come from. A stage asks and does not know who answers, or where. Every question may
 * fail with SeatAbsent: whoever asked goes on without, and the law says what that costs.
 */
export interface Worker {
  readonly name: string;
  /** Signs typed data; nothing else. */
  readonly account: LocalAccount;
  /** Whose signatures count under documents that no contract takes. */
  readonly publicKey: () => PublicKey;
  readonly principal: Address;
  readonly mind: Mind;
  /** Who manages the stake pool that stands for its bids, if it is in one. */
  readonly manager?: LocalAccount;
  /** Runs a service. A fault of the service is a result. */
  perform(order: WorkOrder): Promise<RunResult>;
  /** What it commits to. */
  pledge(deed: Deed): Promise<Hash>;
  /** What opens its commitment to a deed: asked once nobody can copy the work. */
  open(deed: Deed): Promise<Opening>;
  /** Its signature under a clearing's document. */
  seal(document: ClearingDocument): Promise<Hex>;
}

/** A seat gave no answer that counts: it was away, too late, unwilling, or answered something else. */
export class SeatAbsent extends AgentCityError {
  constructor(name: string, question: string, why: string) {
    super("SeatAbsent", `${name} gave no answer to ${question}`, { details: why });
  }
}

/** The answer of a seat, or undefined if there is none. */
export async function unlessAbsent<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SeatAbsent) return undefined;
    throw error;
  }
}

import type { LocalAccount } from "viem";
import type { Mind } from "../minds/mind.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { PublicKey } from "../primitives/signing.ts";
import type { Opening } from "../rules/commitments.ts";
import type { ClearingDocument } from "./clearing-record.ts";
import type { SignedItem } from "./evidence.ts";
import type { SandboxLimits } from "./sandbox/limits.ts";
import type { Tool } from "./sandbox/process.ts";
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
  /** What the input is made of, for whoever makes it again. */
  readonly origin: () => Promise<Origin>;
}

/** Blocks that an input follows from: the law's document, the mission's items, and what the executors of its predecessors handed in. */
export interface Origin {
  readonly document: string;
  readonly items: string;
  readonly upstream: readonly { readonly node: number; readonly outputs: readonly { readonly slot: number; readonly output: string }[] }[];
}

/** What a service gave. A fault of the service is a result. */
export type Performed =
  | {
      readonly status: "ok";
      readonly output: JsonValue;
      readonly trail: readonly Hash[];
      readonly tools: number;
      readonly messages: number;
    }
  | { readonly status: "failed"; readonly kind: string; readonly details: string };

/** A signature under a document, and the key that it is of. */
export interface Seal {
  readonly publicKey: PublicKey;
  readonly signature: Hex;
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
  readonly principal: Address;
  readonly mind: Mind;
  /** Who manages the stake pool that stands for its bids, if it is in one. */
  readonly manager?: LocalAccount;
  perform(order: WorkOrder): Promise<Performed>;
  /** What it commits to. */
  pledge(deed: Deed): Promise<Hash>;
  /** What opens its commitment to a deed: asked once nobody can copy the work. */
  open(deed: Deed): Promise<Opening>;
  /** Its signature under a clearing's document. */
  seal(document: ClearingDocument): Promise<Seal>;
}

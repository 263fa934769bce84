import type { LocalAccount } from "viem";
import { toAccount } from "viem/accounts";
import type { ClaimAttestation } from "../attestation/claims.ts";
import type { Judgement } from "../clearing/judgement.ts";
import type { Judge } from "../clearing/mesh.ts";
import { SeatAbsent } from "../minds/absence.ts";
import type { Mind } from "../minds/mind.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { PublicKey } from "../primitives/signing.ts";
import type { EvidenceClassName, QuestionName } from "../protocol/evidence.ts";
import type { HearingTerms } from "../protocol/hearing-schema.ts";
import type { PanelKind } from "../protocol/verifier-kinds.ts";
import type { Opening } from "../rules/commitments.ts";
import type { ClaimFile } from "./claims.ts";
import type { ClearingDocument } from "./clearing-record.ts";
import type { SignedItem } from "./evidence.ts";
import type { SandboxLimits } from "./sandbox/limits.ts";
import type { Tool } from "./sandbox/process.ts";
import type { HandedIn } from "./work.ts";
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
  /** The obligation under which the work is sealed; undefined where it is handed in open. */
  readonly sealedUnder: Hash | undefined;
}

/** Blocks that an input follows from: the law's document, the mission's items, and what the executors of its predecessors handed in. */
export interface Origin {
  readonly document: string;
  readonly items: string;
  readonly upstream: readonly Upstream[];
}

/** What was opened of a node: outputs, and sealed work that what opened its commitment does not open, with the evidence for it. */
export interface Upstream {
  readonly node: number;
  readonly outputs: readonly { readonly slot: number; readonly output: string }[];
  readonly unread: readonly { readonly slot: number; readonly sealed: string; readonly items: readonly SignedItem[] }[];
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
  | { readonly status: "sealed"; readonly work: Uint8Array; readonly tools: number; readonly messages: number }
  | { readonly status: "failed"; readonly kind: string; readonly details: string };

/** A signature under a document, and the key that it is of. */
export interface Seal {
  readonly publicKey: PublicKey;
  readonly signature: Hex;
}

/** Finished work and the evidence for it: what a commitment hides. The salt is the executor's. */
export interface CommittedWork extends Place {
  readonly obligation: Hash;
  /** Keccak of what was handed in. */
  readonly handed: Hash;
  readonly work: { readonly outputHash: Hash; readonly trail: readonly Hash[] } | { readonly sealed: Uint8Array };
  readonly items: readonly SignedItem[];
}

/** Whoever signs: by typed data on its way to the chain, and as a whole under the documents of a clearing. */
export interface Signing {
  readonly name: string;
  /** Who answers for it. */
  readonly principal: Address;
  /** Signs typed data; nothing else. */
  readonly account: LocalAccount;
  /** Its signature under a clearing's document. */
  seal(document: ClearingDocument): Promise<Seal>;
}

/**
 * Where a producer's decisions, signatures and work come from. A stage asks and does not know who answers, or where. Every question may
 * fail with SeatAbsent: whoever asked goes on without, and the law says what that costs.
 */
export interface Worker extends Signing {
  readonly mind: Mind;
  /** Who manages the stake pool that stands for its bids, if it is in one. */
  readonly manager?: LocalAccount;
  /** Whether it opens a commitment before the chain shows that nobody can copy the work: what is worked off chain needs that. */
  readonly opensEarly: boolean;
  perform(order: WorkOrder): Promise<Performed>;
  /** What it commits to. */
  pledge(committed: CommittedWork): Promise<Hash>;
  /** What opens its commitment: asked once nobody can copy the work. */
  open(committed: CommittedWork): Promise<Opening>;
}

/** What a stage asks of whoever was awarded a slot. */
export type Executor = Pick<Worker, "name" | "account" | "opensEarly" | "perform" | "pledge" | "open" | "seal">;

/** The seat of an agent that bid on chain and has none here: it is absent whatever it is asked, and the law says what that costs it. */
export function emptySeat(agent: Address): Executor {
  const absent = (question: string) => async (): Promise<never> => {
    throw new SeatAbsent(agent, question, "it has no seat in this city");
  };
  const [signMessage, signTransaction, signTypedData] = [absent("sign"), absent("sign"), absent("sign")];
  return {
    name: agent,
    account: toAccount({ address: agent, signMessage, signTransaction, signTypedData }),
    opensEarly: false,
    ...{ perform: absent("perform"), pledge: absent("pledge"), open: absent("open"), seal: absent("seal") },
  };
}

/** An executor's work that an issuer is to check. */
export interface Vouching extends Place {
  /** As the chain computes it. */
  readonly obligation: Hash;
  readonly claim: ClaimAttestation;
  readonly service: RegisteredService;
  /** What was handed in: an output, or sealed work. */
  readonly handed: Pick<HandedIn, "id" | "hash">;
  /** The executor's word that the bytes are its own: its signature under `HeldOutput`. */
  readonly held: { readonly since: number; readonly signature: Hex };
  readonly limits: Partial<SandboxLimits>;
  /** The bytes that were handed in, or those of a second run; rejects where there are none. */
  readonly obtain: () => Promise<Uint8Array>;
  readonly origin: () => Promise<Origin>;
}

/** What an issuer found, under its own signature. */
export type Vouched = Pick<ClaimFile, "outcome" | "found" | "key">;

/** Opened work of an only executor that shows nothing for it, which an issuer is to compare with what its service gives. */
export interface Refuting extends Pick<Vouching, keyof Place | "obligation" | "claim" | "service" | "limits" | "obtain" | "origin"> {
  readonly commitment: Hash;
  /** Of the output that the commitment was opened to. */
  readonly outputHash: Hash;
}

/** An issuer's seat: it checks what executors claim of their outputs. */
export interface Issuer extends Signing {
  /** Of the evidence that it may sign. */
  readonly issues: readonly EvidenceClassName[];
  vouch(work: Vouching): Promise<Vouched>;
  /** What the service gives; where that is something else, it signs so when it is asked for that. */
  refute(work: Refuting): Promise<Vouched>;
}

/** Opened work of one slot. */
export interface Opened {
  readonly slot: number;
  /** Of what was handed in. */
  readonly handedId: string;
  readonly opening: Opening;
  readonly items: readonly SignedItem[];
}

/** Work of a node as its panel gets it. */
export interface Brief extends Omit<Place, "slot"> {
  /** Names the draw of the panel. */
  readonly drawBlock: number;
  readonly obligation: Hash;
  readonly questions: readonly QuestionName[];
  readonly works: readonly Opened[];
  /** Issuers' words against work that nothing is shown for: of two principals, or none. */
  readonly refutations: readonly SignedItem[];
  /** Bits of the items on which a verdict can rest. */
  readonly admissible: bigint;
  /** Kinds by which the law asks each member to judge; none where it asks for nothing but the work done again. */
  readonly kinds: readonly PanelKind[];
  /** What follows from all this by the city's rule, for whoever asks and by its own model. */
  readonly conclude: (by: Address, judge: Judge | undefined) => Promise<readonly Judgement[]>;
  /** What is wrong with findings that somebody came to elsewhere. */
  readonly problem: (by: Address, judgements: readonly Judgement[]) => Promise<string | undefined>;
  readonly origin: () => Promise<Origin>;
}

/** A job of somebody's escrow as its panel gets it. */
export interface JobBrief {
  readonly terms: HearingTerms;
  readonly obligation: Hash;
  /** Names the draw of the panel. */
  readonly drawBlock: number;
  readonly questions: readonly QuestionName[];
  readonly kinds: readonly PanelKind[];
  /** Blocks that hold what is judged, and by what. */
  readonly commissionId: string;
  readonly handedId: string;
  /** The block in which its escrow says that it was submitted. */
  readonly submittedIn: number;
  readonly opening: Opening;
  readonly items: readonly SignedItem[];
  /** Bits of the items on which a verdict can rest. */
  readonly admissible: bigint;
  /** What follows from all this by the city's rule, for whoever asks and by its own model. */
  readonly conclude: (by: Address, judge: Judge | undefined) => Promise<readonly Judgement[]>;
  /** What is wrong with findings that somebody came to elsewhere. */
  readonly problem: (by: Address, judgements: readonly Judgement[]) => string | undefined;
}

/** Everybody in a city whose key is elsewhere. */
export interface Outsiders {
  readonly workers: readonly Worker[];
  readonly verifiers: readonly Verifier[];
  readonly issuers: readonly Issuer[];
}

/** A verifier's seat: it judges for itself what the executors of a node committed. */
export interface Verifier extends Signing {
  judge(brief: Brief): Promise<readonly Judgement[]>;
  /** The same of a job of somebody's escrow. */
  hear(brief: JobBrief): Promise<readonly Judgement[]>;
}

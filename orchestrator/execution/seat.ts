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

/** An executor's slot in an attempt at a node. */
export interface Place {
  readonly mission: Address;
  readonly node: number;
  readonly attempt: number;
  readonly slot: number;
}

/** An order to run a service on a node's input. */
export interface WorkOrder extends Place {
  /** The node's label, for display. */
  readonly label: string;
  readonly service: RegisteredService;
  readonly input: JsonObject;
  readonly limits: Partial<SandboxLimits>;
  readonly tools: Readonly<Record<string, Tool>>;
  /** The parts of the input, for agents that rebuild it. */
  readonly origin: () => Promise<Origin>;
  /** The obligation under which the work is sealed; undefined if it is handed in unsealed. */
  readonly sealedUnder: Hash | undefined;
}

/** Blocks from which an input is derived: the law's document, the mission's items, and what the executors of its predecessors handed in. */
export interface Origin {
  readonly document: string;
  readonly items: string;
  readonly upstream: readonly Upstream[];
}

/** What was opened of a node: outputs, and sealed work that its opening does not decrypt, with the evidence for it. */
export interface Upstream {
  readonly node: number;
  readonly outputs: readonly { readonly slot: number; readonly output: string }[];
  readonly unread: readonly { readonly slot: number; readonly sealed: string; readonly items: readonly SignedItem[] }[];
}

/** A service's result. A fault of the service is a result too. */
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

/** A signature over a document, with its key. */
export interface Seal {
  readonly publicKey: PublicKey;
  readonly signature: Hex;
}

/** Finished work with its evidence, which a commitment hides. Only the executor knows the salt. */
export interface CommittedWork extends Place {
  readonly obligation: Hash;
  /** Keccak of what was handed in. */
  readonly handed: Hash;
  readonly work: { readonly outputHash: Hash; readonly trail: readonly Hash[] } | { readonly sealed: Uint8Array };
  readonly items: readonly SignedItem[];
}

/** A signer: of typed data for the chain, and of whole documents of a clearing. */
export interface Signing {
  readonly name: string;
  /** The principal that answers for it. */
  readonly principal: Address;
  /** Signs typed data only. */
  readonly account: LocalAccount;
  /** Signs a document of a clearing. */
  seal(document: ClearingDocument): Promise<Seal>;
}

/**
 * The source of a producer's decisions, signatures and work. A stage does not know who answers, or where. Every question may fail with
 * SeatAbsent: the stage continues without, and the law determines what that costs the producer.
 */
export interface Worker extends Signing {
  readonly mind: Mind;
  /** The manager of its stake pool, if it is in one. */
  readonly manager?: LocalAccount;
  /** Whether it opens a commitment before the chain shows that the work can no longer be copied, as work off chain requires. */
  readonly opensEarly: boolean;
  perform(order: WorkOrder): Promise<Performed>;
  /** Returns its commitment. */
  pledge(committed: CommittedWork): Promise<Hash>;
  /** Opens its commitment; called once the work can no longer be copied. */
  open(committed: CommittedWork): Promise<Opening>;
}

/** The part of a worker that a stage needs of a slot's executor. */
export type Executor = Pick<Worker, "name" | "account" | "opensEarly" | "perform" | "pledge" | "open" | "seal">;

/** The seat of an agent that bid on chain without joining here: it is always absent, and the law determines what that costs it. */
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

/** An executor's work for an issuer to check. */
export interface Vouching extends Place {
  /** As computed on chain. */
  readonly obligation: Hash;
  readonly claim: ClaimAttestation;
  readonly service: RegisteredService;
  /** What was handed in: an output, or sealed work. */
  readonly handed: Pick<HandedIn, "id" | "hash">;
  /** The executor's confirmation that the bytes are its own: its signature under `HeldOutput`. */
  readonly held: { readonly since: number; readonly signature: Hex };
  readonly limits: Partial<SandboxLimits>;
  /** The bytes that were handed in, or those of a re-execution; rejects if there are none. */
  readonly obtain: () => Promise<Uint8Array>;
  readonly origin: () => Promise<Origin>;
}

/** An issuer's signed finding. */
export type Vouched = Pick<ClaimFile, "outcome" | "found" | "key">;

/** Opened work of a single executor without evidence, for an issuer to compare with a re-execution. */
export interface Refuting extends Pick<Vouching, keyof Place | "obligation" | "claim" | "service" | "limits" | "obtain" | "origin"> {
  readonly commitment: Hash;
  /** Hash of the output that the commitment was opened to. */
  readonly outputHash: Hash;
}

/** The work of an external escrow's job, for an issuer to receive. */
export interface JobWork {
  readonly terms: HearingTerms;
  readonly obligation: Hash;
  /** Block that holds it, and its hash. */
  readonly workId: string;
  readonly payload: Hash;
  /** Place of the receipt in the envelope. */
  readonly index: number;
}

/** An issuer's seat: it checks executors' claims about their outputs. */
export interface Issuer extends Signing {
  /** Evidence classes that it may sign. */
  readonly issues: readonly EvidenceClassName[];
  vouch(work: Vouching): Promise<Vouched>;
  /** Re-executes the service; if the result differs, the issuer signs a refutation on request. */
  refute(work: Refuting): Promise<Vouched>;
  /** Its signed receipt for the work of a job. */
  acknowledge(work: JobWork): Promise<SignedItem>;
  /** Whether an output fits its schema, asked before the issuer signs that. Absent for issuers reached by calls: no call asks it. */
  readonly measure?: (work: { readonly schema: JsonObject; readonly output: JsonObject }) => boolean;
}

/** Opened work of one slot. */
export interface Opened {
  readonly slot: number;
  /** Content id of what was handed in. */
  readonly handedId: string;
  readonly opening: Opening;
  readonly items: readonly SignedItem[];
}

/** A node's work as its panel receives it. */
export interface Brief extends Omit<Place, "slot"> {
  /** Identifies the draw of the panel. */
  readonly drawBlock: number;
  readonly obligation: Hash;
  readonly questions: readonly QuestionName[];
  readonly works: readonly Opened[];
  /** Refutations of work without evidence, by issuers of two principals, or none. */
  readonly refutations: readonly SignedItem[];
  /** Bitmap of the items on which a verdict may rest. */
  readonly admissible: bigint;
  /** Kinds of check that the law requires of each member; empty if it requires re-execution only. */
  readonly kinds: readonly PanelKind[];
  /** A verifier's judgements by the city's rules and its own model. */
  readonly conclude: (by: Address, judge: Judge | undefined) => Promise<readonly Judgement[]>;
  /** Checks an external verifier's judgements; returns the problem. */
  readonly problem: (by: Address, judgements: readonly Judgement[]) => Promise<string | undefined>;
  readonly origin: () => Promise<Origin>;
}

/** A job of an external escrow as its panel receives it. */
export interface JobBrief {
  readonly terms: HearingTerms;
  readonly obligation: Hash;
  /** Identifies the draw of the panel. */
  readonly drawBlock: number;
  readonly questions: readonly QuestionName[];
  readonly kinds: readonly PanelKind[];
  /** Blocks with the work and the criteria. */
  readonly commissionId: string;
  readonly handedId: string;
  /** The block in which its escrow says that it was submitted. */
  readonly submittedIn: number;
  readonly opening: Opening;
  readonly items: readonly SignedItem[];
  /** Bitmap of the items on which a verdict may rest. */
  readonly admissible: bigint;
  /** A verifier's judgements by the city's rules and its own model. */
  readonly conclude: (by: Address, judge: Judge | undefined) => Promise<readonly Judgement[]>;
  /** Checks an external verifier's judgements; returns the problem. */
  readonly problem: (by: Address, judgements: readonly Judgement[]) => string | undefined;
}

/** Members of a city whose keys are elsewhere. */
export interface Outsiders {
  readonly workers: readonly Worker[];
  readonly verifiers: readonly Verifier[];
  readonly issuers: readonly Issuer[];
}

/** A verifier's seat: it independently judges what the executors of a node committed. */
export interface Verifier extends Signing {
  judge(brief: Brief): Promise<readonly Judgement[]>;
  /** The same for a job of an external escrow. */
  hear(brief: JobBrief): Promise<readonly Judgement[]>;
}

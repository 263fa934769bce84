/**
 * The seven messages of the legislature (AgentCity B.10): who signs each under which EIP-712 type, its schema, and when it is valid. A
 * message that a contract consumes is signed once, for the contract: a proposal is its `Propose`, a bid its `Bid`, an approval its
 * `OfficeApproval`. A predicate compares a message with facts that its reader found on chain, and returns the violation in a few words.
 */

import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import { KINDS } from "./kinds.ts";
import { OFFICES } from "./offices.ts";
import type { SessionMessageName } from "./session-messages.ts";
import type { MessageName } from "./typed-data.ts";

const APPROVERS: readonly number[] = [OFFICES.SPEAKER, OFFICES.REGULATOR];

const session = z.coerce.bigint();
const seconds = z.int().min(0);

/** The content of a message of one of the seven types, without its signature. */
export const sevenSchemas = {
  IdentityVerificationRequest: z.strictObject({
    session,
    registrar: addressSchema,
    /** To be repeated in the answer. */
    nonce: hashSchema,
    /** Whole points. */
    minReputation: z.int().min(0),
    deadline: seconds,
  }),
  IdentityAttestation: z.strictObject({
    session,
    agent: addressSchema,
    principal: addressSchema,
    reputation: z.int().min(0),
    nonce: hashSchema,
    deadline: seconds,
  }),
  DAGProposal: z.strictObject({ session, agent: addressSchema, specHash: hashSchema, cid: hashSchema, deadline: seconds }),
  TaskBid: z.strictObject({
    agent: addressSchema,
    mission: addressSchema,
    node: z.int().min(0).max(255),
    service: hashSchema,
    price: z.bigint().positive(),
    nonce: z.bigint().nonnegative(),
    deadline: seconds,
  }),
  RegulatoryDecision: z.strictObject({
    regulator: addressSchema,
    mission: addressSchema,
    /** Bitmap. */
    nodes: z.bigint().positive(),
    deadline: seconds,
  }),
  CodedContractSpecification: z.strictObject({
    session,
    codifier: addressSchema,
    specHash: hashSchema,
    lawHash: hashSchema,
    docHash: hashSchema,
    /** Implementation that the mission will be a clone of. */
    template: addressSchema,
  }),
  LegislativeApproval: z.strictObject({
    clerk: addressSchema,
    office: z.int().min(0).max(3),
    session,
    specHash: hashSchema,
    deadline: seconds,
  }),
} as const;

export type SevenName = keyof typeof sevenSchemas;
export type Seven<Name extends SevenName> = z.output<(typeof sevenSchemas)[Name]>;

/** MSG_TYPE_1 … 7: the type under which it is signed, and where it is stored. */
export const sevenMessages = {
  IdentityVerificationRequest: { number: 1, signedAs: "IdentityVerificationRequest", kept: "log" },
  IdentityAttestation: { number: 2, signedAs: "IdentityAttestation", kept: "log" },
  DAGProposal: { number: 3, signedAs: "Propose", kept: "chain" },
  TaskBid: { number: 4, signedAs: "Bid", kept: "chain" },
  /** Needed only before a window ends; afterwards the contract decides by the same rule without a signature (decision 15). */
  RegulatoryDecision: { number: 5, signedAs: "AwardDecision", kept: "chain" },
  CodedContractSpecification: { number: 6, signedAs: "CodedContractSpecification", kept: "log" },
  LegislativeApproval: { number: 7, signedAs: "OfficeApproval", kept: "chain" },
} as const satisfies Record<
  SevenName,
  { readonly number: number; readonly signedAs: MessageName | SessionMessageName; readonly kept: "log" | "chain" }
>;

/** Facts that a predicate compares with its message. `appointed`: the sender holds the office it speaks for. */
export interface SevenFacts {
  readonly IdentityVerificationRequest: {
    readonly appointed: boolean;
    readonly minReputation: number;
    /** Last second of the stage. */
    readonly deadline: number;
  };
  readonly IdentityAttestation: {
    readonly request: Pick<Seven<"IdentityVerificationRequest">, "session" | "nonce">;
    readonly kind: number;
    readonly principal: Address;
    readonly reputation: number;
    readonly registeredBlock: number;
    readonly openedBlock: number;
    /** The chain lets it vote in this session: its reputation when the session opened counts, by the floor of that day. */
    readonly eligible: boolean;
  };
  readonly DAGProposal: {
    /** Hash of the compiled document behind the message's `cid`; the compiler rejects cycles and malformed nodes. */
    readonly specHash: Hash;
    readonly budget: bigint;
    readonly deposit: bigint;
  };
  readonly TaskBid: {
    readonly kind: number;
    /** The service is registered under the code hash that its id commits to. */
    readonly registered: boolean;
    readonly locked: bigint;
    readonly minStake: bigint;
    readonly slotBudget: bigint;
  };
  readonly RegulatoryDecision: {
    readonly appointed: boolean;
    readonly uncovered: number;
    readonly fairness: number;
    readonly minFairness: number;
  };
  readonly CodedContractSpecification: {
    readonly appointed: boolean;
    /** The ballot's choice, and what its document compiles to. */
    readonly chosen: Hash;
    readonly lawHash: Hash;
    readonly docHash: Hash;
    /** The constitution accepted it. */
    readonly validated: boolean;
    readonly template: Address;
  };
  readonly LegislativeApproval: { readonly appointed: boolean; readonly specification: Hash };
}

type Predicate<Name extends SevenName> = (message: Seven<Name>, facts: SevenFacts[Name]) => string | null;

/** The first violated condition, or null. */
function first(...conditions: readonly (readonly [boolean, string])[]): string | null {
  return conditions.find(([holds]) => !holds)?.[1] ?? null;
}

const predicates: { readonly [Name in SevenName]: Predicate<Name> } = {
  IdentityVerificationRequest: (message, facts) =>
    first(
      [facts.appointed, "office"],
      [message.minReputation === facts.minReputation, "reputation"],
      [message.deadline <= facts.deadline, "deadline"],
    ),
  IdentityAttestation: (message, { request, ...facts }) =>
    first(
      [message.session === request.session && message.nonce === request.nonce, "request"],
      [facts.kind === KINDS.PRODUCER, "kind"],
      [message.principal === facts.principal, "principal"],
      [message.reputation === facts.reputation, "reputation"],
      [facts.registeredBlock < facts.openedBlock, "registered too late"],
      [facts.eligible, "not eligible"],
    ),
  DAGProposal: (message, facts) => first([message.specHash === facts.specHash, "document"], [facts.budget <= facts.deposit, "budget"]),
  TaskBid: (message, facts) =>
    first(
      [facts.kind === KINDS.PRODUCER, "kind"],
      [facts.registered, "service"],
      [facts.locked >= facts.minStake, "stake"],
      [message.price <= facts.slotBudget, "price"],
    ),
  RegulatoryDecision: (_, facts) =>
    first([facts.appointed, "office"], [facts.uncovered === 0, "uncovered nodes"], [facts.fairness >= facts.minFairness, "fairness"]),
  CodedContractSpecification: (message, facts) =>
    first(
      [facts.appointed, "office"],
      [message.specHash === facts.chosen, "another law"],
      [message.lawHash === facts.lawHash && message.docHash === facts.docHash, "document"],
      [facts.validated, "constitution"],
      [message.template === facts.template, "template"],
    ),
  LegislativeApproval: (message, facts) =>
    first(
      [APPROVERS.includes(message.office) && facts.appointed, "office"],
      [message.specHash === facts.specification, "another specification"],
    ),
};

/** The violation of a message in a few words; null if it is valid. */
export function flawOf<Name extends SevenName>(name: Name, message: Seven<Name>, facts: SevenFacts[Name]): string | null {
  return predicates[name](message, facts);
}

/** An invalid message of the legislature. */
export class MessageRefused extends AgentCityError {
  readonly flaw: string;
  constructor(name: SevenName, flaw: string, details?: string) {
    super("MessageRefused", `${name} (MSG_TYPE_${sevenMessages[name].number}) does not hold: ${flaw}`, { details });
    this.flaw = flaw;
  }
}

/** Throws MessageRefused unless the message is valid. */
export function requireValid<Name extends SevenName>(name: Name, message: Seven<Name>, facts: SevenFacts[Name]): void {
  const flaw = flawOf(name, message, facts);
  if (flaw !== null) throw new MessageRefused(name, flaw);
}

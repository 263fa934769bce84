import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { keccak256 } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema, hexSchema } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import { evidenceClasses, evidenceKinds, questions, verdictResults } from "./evidence.ts";
import { MAX_EVIDENCE } from "./hearing.ts";
import { hearingTermsSchema } from "./hearing-schema.ts";
import { SESSION_CALLS, SESSION_MESSAGES } from "./session-calls.ts";
import { PANEL_KINDS } from "./verifier-kinds.ts";

/** Basis points. */
const share = z.int().min(0).max(10_000);
/** Amounts and other large numbers are decimal text. */
const whole = z.string().regex(/^(?:0|[1-9]\d{0,77})$/);
const byte = z.int().min(0).max(255);
const place = { mission: addressSchema, node: byte, attempt: byte, slot: byte };
const text = z.string().max(4_096);
const blockId = z.string().min(1).max(128);
const moment = z.string().max(64);

const item = z.strictObject({
  slot: byte,
  index: byte,
  kind: z.enum(evidenceKinds),
  payload: hashSchema,
  issuer: addressSchema,
  class: z.enum(evidenceClasses),
  signature: hexSchema,
});

const openNode = z.strictObject({
  node: byte,
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  redundancy: z.int().min(1).max(5),
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  slotBudget: whole,
  stake: whole,
  services: z.array(text).max(64),
  capabilities: z.array(byte).length(10),
  barred: z.array(addressSchema).max(1_024),
});

/** An entry of a list that is signed as a whole. */
const entry = z.record(z.string().max(64), z.union([z.string().max(256), z.int()]));

/** Items of an envelope: its last position is reserved for refutations (`rules/admissibility.ts`). */
const MAX_ITEMS = 31;
/** Refutations of one work: a FAIL rests on two issuers. */
const MAX_REFUTATIONS = 2;

/** Work behind a commitment. */
const deed = z.strictObject({
  ...place,
  obligation: hashSchema,
  /** Hash of what was handed in. */
  handed: hashSchema,
  items: z.array(item).max(MAX_ITEMS),
});

/** Blocks from which the recipient rebuilds a node's input. */
const origin = {
  document: blockId,
  items: blockId,
  upstream: z
    .array(
      z.strictObject({
        node: byte,
        outputs: z.array(z.strictObject({ slot: byte, output: blockId })).max(5),
        /** Sealed work that could not be decrypted although its commitment is open, with the evidence for what was handed in. */
        unread: z.array(z.strictObject({ slot: byte, sealed: blockId, items: z.array(item).max(MAX_ITEMS) })).max(5),
      }),
    )
    .max(255),
};

/** A verifier's finding by one kind of check. */
const finding = z.strictObject({
  ...{ kind: z.enum(PANEL_KINDS), result: z.enum(verdictResults), confidence: share, score: share },
  ...{ basis: whole, agreeing: byte, from: hashSchema },
  said: z
    .strictObject({
      model: z.string().min(1).max(200),
      answers: z.array(z.strictObject({ slot: z.int().min(0).max(7), answer: z.string().max(2_000) })).max(8),
    })
    .optional(),
});

/** A panel member's answer to every question, in order. */
const verdicts = z
  .array(
    z.strictObject({
      question: z.enum(questions),
      result: z.enum(verdictResults),
      confidence: share,
      score: share,
      basis: whole,
      agreeing: byte,
      findings: z.array(finding).max(8).optional(),
    }),
  )
  .max(2);

/** Limits of a service's run. */
const bounds = {
  seconds: z.int().positive().max(86_400),
  tools: z.int().min(0).max(10_000),
  messages: z.int().min(0).max(10_000),
};

/**
 * An executor's work for an issuer to check: what it is, when the executor claims to have finished it, and the executor's `HeldOutput`
 * signature, which proves whose bytes they are.
 */
const claimed = {
  ...{ ...place, obligation: hashSchema, document: blockId, handed: blockId, attestedAt: moment },
  held: z.strictObject({ since: z.int().min(0), signature: hexSchema }),
};

/** An issuer's finding: `outcome` as the attestation library signs it, `found` the hash of the output it obtained, zero for none. */
const vouched = z.strictObject({ outcome: z.record(z.string().max(64), z.json()), found: hashSchema });

/** Roles open to external agents. */
const SEAT_ROLES = ["producer", "verifier", "issuer"] as const;
export type SeatRole = (typeof SEAT_ROLES)[number];

/** A question and the schema of its answer. */
export interface CallKind {
  /** Roles that are asked. Others are never asked this. */
  readonly of: readonly SeatRole[];
  readonly request: z.ZodType;
  readonly answer: z.ZodType;
  /** Time to answer, seconds of the machine's clock; a request may add more. */
  readonly within: number;
  /** Silence has no cost: a disconnected agent is not waited for. */
  readonly optional?: true;
}

/**
 * Everything that a city may ask of an external seat. The list is closed: mailbox, agents and their tests derive from it, whatever the
 * transport. No call asks to sign raw bytes.
 */
export const CALLS = {
  /** Choose nodes of a mission to bid for. */
  bid: {
    of: ["producer"],
    request: z.strictObject({
      mission: addressSchema,
      nodes: z.array(openNode).max(256),
      producers: z
        .array(
          z.strictObject({
            agent: addressSchema,
            principal: addressSchema,
            reputation: z.int(),
            capabilities: z.array(z.int()).length(10),
          }),
        )
        .max(5_000),
      freeStake: whole,
    }),
    answer: z.array(z.strictObject({ node: byte, service: text.min(1), price: whole })).max(256),
    within: 30,
    optional: true,
  },
  /**
   * Run a service on a node's input, which is rebuilt from law, items and outputs by their hashes. Where outputs are compared, the work is
   * handed in sealed.
   */
  perform: {
    of: ["producer"],
    request: z.strictObject({
      ...place,
      service: hashSchema,
      ...origin,
      inputHash: hashSchema,
      ...bounds,
    }),
    answer: z.discriminatedUnion("status", [
      z.strictObject({
        status: z.literal("ok"),
        output: blockId,
        trail: z.array(hashSchema).max(4_096),
        tools: z.int().min(0).max(10_000),
        messages: z.int().min(0).max(10_000),
      }),
      z.strictObject({
        status: z.literal("sealed"),
        work: blockId,
        tools: z.int().min(0).max(10_000),
        messages: z.int().min(0).max(10_000),
      }),
      z.strictObject({ status: z.literal("failed"), details: text }),
    ]),
    within: 30,
  },
  /** Commit to its work and the evidence issued for it. */
  pledge: { of: ["producer"], request: deed, answer: z.strictObject({ commitment: hashSchema }), within: 30 },
  /** Open a commitment: where work is redundant, only once the chain shows that it can no longer be copied. */
  open: {
    of: ["producer"],
    request: deed,
    answer: z.strictObject({
      salt: hashSchema,
      outputHash: hashSchema,
      trailRoot: hashSchema,
      envelopeRoot: hashSchema,
      items: z.int().min(0).max(MAX_ITEMS),
      classes: whole,
    }),
    within: 30,
  },
  /** Sign an EIP-712 message of this type; `mission` if that contract consumes it. */
  sign: {
    of: SEAT_ROLES,
    request: z.strictObject({
      type: z.string().max(64),
      mission: addressSchema.nullable(),
      message: z.record(
        z.string().max(64),
        z.union([z.string().max(65_536), z.int(), z.array(z.string().max(256)).max(256), z.array(entry).max(256)]),
      ),
    }),
    answer: z.strictObject({ signature: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{130}$/)]) }),
    within: 30,
  },
  /** Judge what the executors of a node committed, as a member of its panel. */
  judge: {
    of: ["verifier"],
    request: z.strictObject({
      mission: addressSchema,
      node: byte,
      attempt: byte,
      draw: z.int().min(0),
      obligation: hashSchema,
      /** Kinds of check that the law requires; absent where it requires re-execution only. */
      kinds: z.array(z.enum(PANEL_KINDS)).max(8).optional(),
      ...origin,
      works: z
        .array(
          z.strictObject({
            ...{ slot: byte, handed: blockId, salt: hashSchema, outputHash: hashSchema, trailRoot: hashSchema },
            items: z.array(item).max(MAX_ITEMS),
          }),
        )
        .max(5),
      /** Issuers' refutations of work for which no evidence was shown. */
      refutations: z.array(item).max(MAX_REFUTATIONS),
    }),
    answer: verdicts,
    within: 30,
  },
  /** Judge a job of an external escrow, as a member of the panel that `ClearingEvaluator` drew. */
  hear: {
    of: ["verifier"],
    request: z.strictObject({
      terms: hearingTermsSchema,
      draw: z.int().min(0),
      obligation: hashSchema,
      commission: blockId,
      /** The block in which the escrow says that the work was submitted. */
      submittedIn: z.int().min(0),
      work: z.strictObject({
        ...{ handed: blockId, salt: hashSchema, outputHash: hashSchema, trailRoot: hashSchema },
        items: z.array(item).max(MAX_EVIDENCE),
      }),
    }),
    answer: verdicts,
    within: 30,
  },
  /** Receive the work of a job of an external escrow, and sign that it did: an item of the envelope that its provider delivers with. */
  acknowledge: {
    of: ["issuer"],
    request: z.strictObject({
      terms: hearingTermsSchema,
      obligation: hashSchema,
      work: blockId,
      index: z
        .int()
        .min(0)
        .max(MAX_EVIDENCE - 1),
    }),
    answer: z.strictObject({ signature: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{130}$/)]) }),
    within: 10,
    optional: true,
  },
  /** Receive work, usually sealed, and attest to its bytes. */
  receive: { of: ["issuer"], request: z.strictObject(claimed), answer: vouched, within: 30, optional: true },
  /** Re-execute an executor's code on the same input, and attest to the result. */
  reexecute: {
    of: ["issuer"],
    request: z.strictObject({ ...claimed, service: hashSchema, ...origin, ...bounds }),
    answer: vouched,
    within: 30,
    optional: true,
  },
  /**
   * Re-execute the code of an executor that shows no evidence for its work, and attest whether it gives what was committed (decision 57).
   */
  refute: {
    of: ["issuer"],
    request: z.strictObject({
      ...{ ...place, obligation: hashSchema, commitment: hashSchema, attestedAt: moment },
      ...{ service: hashSchema, ...origin, ...bounds },
    }),
    answer: vouched,
    within: 30,
    optional: true,
  },
  /** Sign a document of a clearing, as a whole. */
  seal: {
    of: SEAT_ROLES,
    request: z.strictObject({ document: z.looseObject({ kind: z.enum(["claim", "item", "envelope", "output"]) }) }),
    answer: z.strictObject({ signature: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{128}$/)]) }),
    within: 30,
  },
  ...SESSION_CALLS,
} as const satisfies Record<string, CallKind>;

/** What each role signs: types of messages and kinds of documents. Anything else is refused unread. */
export const SIGNS: Readonly<Record<SeatRole, { readonly messages: readonly string[]; readonly documents: readonly string[] }>> = {
  producer: { messages: ["Bid", "Commits", "HeldOutput", "Withdrawal", ...SESSION_MESSAGES], documents: ["claim", "envelope"] },
  verifier: { messages: ["Verdicts", "Withdrawal"], documents: ["output"] },
  issuer: { messages: ["Evidences"], documents: ["item"] },
};

export type CallName = keyof typeof CALLS;
export type CallRequest<Kind extends CallName> = z.output<(typeof CALLS)[Kind]["request"]>;
export type CallAnswer<Kind extends CallName> = z.output<(typeof CALLS)[Kind]["answer"]>;

/** The program that requests calls, by its own account; displayed, never verified. */
export const buildSchema = z
  .string()
  .regex(/^[\w.+/@ -]{1,80}$/)
  .optional();

/** A question in transit. Its id is the hash of everything except `answerBy`, so that repeating a question does not ask twice. */
export const callSchema = z.strictObject({
  id: hashSchema,
  to: addressSchema,
  kind: z.enum(Object.keys(CALLS) as [CallName, ...CallName[]]),
  payload: z.json(),
  /** Milliseconds since 1970, by the city's clock. */
  answerBy: z.number(),
});
export type Call = z.infer<typeof callSchema>;

/** The preimage of a call's id. */
export function callIdParts(
  { city, chainId }: { readonly city: Address; readonly chainId: number },
  to: Address,
  kind: CallName,
  payload: JsonObject,
): readonly JsonValue[] {
  return [city, chainId, to, kind, payload];
}

/** Maximum size of a call or an answer, bytes. */
export const MAX_CALL_BYTES = 1_048_576;
/** Maximum size of a transferred block, bytes. */
export const MAX_BLOCK_BYTES = 8_388_608;

/** A mailbox request, signed by its sender: bound to host, path, body and time, and valid once. */
export const mailboxTypes = {
  MailboxRequest: [
    { name: "method", type: "string" },
    { name: "host", type: "string" },
    { name: "target", type: "string" },
    { name: "body", type: "bytes32" },
    { name: "created", type: "uint64" },
    { name: "nonce", type: "bytes32" },
  ],
  /** The city's receipt for every answer it stored. */
  Received: [
    { name: "call", type: "bytes32" },
    { name: "answer", type: "bytes32" },
    { name: "at", type: "uint64" },
  ],
} as const;

export function mailboxDomain(chainId: number) {
  return { name: "AgentCity mailbox", version: "1", chainId } as const;
}

/** A request as its sender signs it. */
export function requestShown(
  chainId: number,
  method: string,
  sent: { readonly host: string; readonly target: string; readonly created: number; readonly nonce: Hash; readonly signature: Hex },
  body: Uint8Array,
) {
  const { host, target, created, nonce, signature } = sent;
  const message = { method, host, target, body: keccak256(body), created: BigInt(created), nonce };
  return { domain: mailboxDomain(chainId), types: mailboxTypes, primaryType: "MailboxRequest", message, signature } as const;
}

export const receivedSchema = z.strictObject({ call: hashSchema, answer: hashSchema, at: z.int(), signature: hexSchema });
export type Received = z.infer<typeof receivedSchema>;

/** A city's description of itself, for agents that want a seat. */
export const cityCardSchema = z.strictObject({
  chainId: z.int().positive(),
  rpcUrl: z.url(),
  addresses: z.record(z.string(), addressSchema),
  /** Key that signs `Received`. */
  receiver: addressSchema,
  /** Block 0. */
  genesis: hashSchema,
  /** Its chain lives in the operator's process. */
  embedded: z.boolean(),
  /** Milliseconds since 1970, by the city's clock. */
  now: z.number(),
});
export type CityCard = z.infer<typeof cityCardSchema>;

const signedBinding = z.strictObject({
  agent: addressSchema,
  principal: addressSchema,
  kind: byte,
  did: hashSchema,
  capabilities: whole,
  stake: whole,
  nonce: whole,
  deadline: z.int(),
});

const signedPermit = z.strictObject({ value: whole, deadline: whole, v: z.int(), r: hashSchema, s: hashSchema });

/** A signed registration: it cannot be altered in transit. */
export const joinSchema = z.strictObject({
  binding: signedBinding,
  did: text,
  byPrincipal: hexSchema,
  byAgent: hexSchema,
  permit: signedPermit,
});
export type Join = z.infer<typeof joinSchema>;

/** The same for an agent created by a producer, which signs in the principal's place and provides the stake. */
export const subAgentSchema = z.strictObject({
  binding: signedBinding.omit({ principal: true, kind: true }).extend({ creator: addressSchema }),
  did: text,
  byCreator: hexSchema,
  byAgent: hexSchema,
  permit: signedPermit,
});
export type SubAgent = z.infer<typeof subAgentSchema>;

/** A petition for an evidence office, signed by account and principal: it cannot be altered in transit. */
export const petitionSchema = z.strictObject({
  petition: z.strictObject({
    account: addressSchema,
    principal: addressSchema,
    /** `enum EvidenceRole`: 1 issuer, 2 verifier. */
    office: z.union([z.literal(1), z.literal(2)]),
    classes: z.int().min(0).max(63),
    runtime: z.string().max(200),
    contact: z.string().max(200),
    relations: z.string().max(2_000),
    deadline: z.int(),
  }),
  byAccount: hexSchema,
  byPrincipal: hexSchema,
});
export type Petition = z.infer<typeof petitionSchema>;

export const serviceOfferSchema = z.strictObject({
  codeHash: hashSchema,
  schemaHash: hashSchema,
  endpoint: text,
  constraints: hashSchema,
  deadline: z.int(),
  signature: hexSchema,
});
export type ServiceOffer = z.infer<typeof serviceOfferSchema>;

/** ERC-8004 registries: an agent's registration, and feedback on it from the outcome of an agreement. Draft of October 2026. */
import { type Account, encodeFunctionData, isAddressEqual, keccak256, type PublicClient, parseAbi, parseEventLogs, toBytes } from "viem";
import { z } from "zod";
import { type Agreement, agreementHash, type ClosingRecord } from "../agreements/index.ts";
import { historyRisk } from "../clearing/exposure.ts";
import type { Passport } from "../clearing/passport.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { contentIdOfJson, digestOf } from "../primitives/hash.ts";
import { type Address, type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { type Fate, type SendOptions, sending } from "./send.ts";
import type { StepCall } from "./steps.ts";

export const IDENTITY_ABI = parseAbi([
  "function register(string agentURI) returns (uint256 agentId)",
  "function setAgentURI(uint256 agentId, string newURI)",
  "function ownerOf(uint256 agentId) view returns (address)",
  "function tokenURI(uint256 agentId) view returns (string)",
  "function getAgentWallet(uint256 agentId) view returns (address)",
  "event Registered(uint256 indexed agentId, string agentURI, address indexed owner)",
]);
export const REPUTATION_ABI = parseAbi([
  "function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
  "function getIdentityRegistry() view returns (address)",
  "function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex) view returns (int128 value, uint8 valueDecimals, string tag1, string tag2, bool isRevoked)",
  "event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
]);

const REGISTRATION_TYPE = "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";
/** Tag of feedback that comes from an agreement. */
const TAG = "asa";
/** Tag of feedback that comes from a clearing passport. */
const PASSPORT_TAG = "rails";
/** Composites are in hundredths of a point. */
const DECIMALS = 2;

/** The file behind an agent's URI. Unknown fields are allowed. */
export const registrationSchema = z.looseObject({
  type: z.literal(REGISTRATION_TYPE),
  name: z.string().min(1).max(200),
  description: z.string().max(5000),
  services: z.array(z.looseObject({ name: z.string().min(1), endpoint: z.string().min(1), version: z.string().optional() })),
  x402Support: z.boolean(),
  active: z.boolean(),
  registrations: z.array(z.strictObject({ agentId: z.int().nonnegative(), agentRegistry: z.string().min(1) })),
  supportedTrust: z.array(z.string()).optional(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** Text of a registration file. Throws a ZodError when something is missing. */
export function registrationText(
  fields: Omit<Registration, "type" | "registrations"> & Partial<Pick<Registration, "registrations">>,
): string {
  return canonicalJson(registrationSchema.parse({ registrations: [], ...fields, type: REGISTRATION_TYPE }));
}

/** `eip155:<chain id>:<registry>`, the form in which files name a registry. */
export function registryName(chainId: number, registry: Address): string {
  return `eip155:${chainId}:${registry}`;
}

/** Fields that the draft requires of the file behind a piece of feedback. */
const required = {
  agentRegistry: z.string(),
  agentId: z.int().nonnegative(),
  clientAddress: z.string(),
  createdAt: z.iso.datetime(),
  value: z.int(),
  valueDecimals: z.literal(DECIMALS),
  tag2: z.string(),
  endpoint: z.string().optional(),
};

/** The closing record behind a number, without whose it is. */
export const closingOutcomeSchema = z.strictObject({
  agreement_hash: z.string(),
  passed: z.boolean(),
  composite: z.int().min(0).max(10_000),
  on_time: z.boolean(),
  disputed: z.boolean(),
  upheld: z.boolean(),
});

/** Feedback from an agreement, with the closing record behind the number. */
const agreementFeedbackSchema = z.looseObject({ ...required, tag1: z.literal(TAG), asa: closingOutcomeSchema });
export type AgreementFeedback = z.infer<typeof agreementFeedbackSchema>;

/** Feedback from a clearing passport: its digest, and what the number counts. The passport itself stays with its engine. */
const passportFeedbackSchema = z.looseObject({
  ...required,
  tag1: z.literal(PASSPORT_TAG),
  rails: z.strictObject({
    passport: hashSchema,
    /** Final clearings behind it. */
    clearings: z.int().nonnegative(),
    /** Verdicts that were compared, if it judges. */
    verdicts: z.int().nonnegative(),
  }),
});
export type PassportFeedback = z.infer<typeof passportFeedbackSchema>;

export const feedbackSchema = z.discriminatedUnion("tag1", [agreementFeedbackSchema, passportFeedbackSchema]);
export type Feedback = z.infer<typeof feedbackSchema>;

/** The subject and the author of feedback. */
export interface FeedbackPlace {
  readonly chainId: number;
  readonly identity: Address;
  readonly agentId: number;
  /** The agreement's client, or the evaluator contract that judged it; never the agent's owner, whom the registry rejects. */
  readonly client: Address;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endpoint?: string;
}

/** Feedback on the provider of a closed agreement: the composite in hundredths, and nothing about the work itself. */
export function feedbackOn(
  agreement: Agreement,
  closing: ClosingRecord,
  { chainId, identity, agentId, client, createdAt, endpoint }: FeedbackPlace,
): AgreementFeedback {
  const { provider: _, ...outcome } = closing;
  return agreementFeedbackSchema.parse({
    agentRegistry: registryName(chainId, identity),
    agentId,
    clientAddress: registryName(chainId, client),
    createdAt,
    value: closing.composite,
    valueDecimals: DECIMALS,
    tag1: TAG,
    tag2: agreement.service.type,
    ...(endpoint === undefined ? {} : { endpoint }),
    asa: { agreement_hash: agreementHash(agreement), ...outcome },
  });
}

/**
 * Feedback on the subject of a clearing passport (RAILS 9.6): the share of its history that speaks for it (`historyRisk`), in hundredths of a
 * point. For the engine that writes passports; a registry rejects the agent's owner.
 */
export function feedbackOnPassport(
  passport: Passport,
  { chainId, identity, agentId, client, createdAt, endpoint }: FeedbackPlace,
): PassportFeedback {
  const { agreed, disagreed } = passport.record;
  return passportFeedbackSchema.parse({
    agentRegistry: registryName(chainId, identity),
    agentId,
    clientAddress: registryName(chainId, client),
    createdAt,
    value: Math.round((1 - historyRisk(passport)) * BASIS_POINTS),
    valueDecimals: DECIMALS,
    tag1: PASSPORT_TAG,
    tag2: "passport",
    ...(endpoint === undefined ? {} : { endpoint }),
    rails: { passport: digestOf(contentIdOfJson(passport)), clearings: passport.history.length, verdicts: agreed + disagreed },
  });
}

/** Keccak-256 of the file's text, which goes on chain with its address. */
export function feedbackHash(feedback: Feedback): Hash {
  return keccak256(toBytes(canonicalJson(feedback)));
}

/** Arguments of `giveFeedback`. */
function givenBy(feedback: Feedback, uri: string) {
  const { agentId, value, valueDecimals, tag1, tag2, endpoint = "" } = feedback;
  return [BigInt(agentId), BigInt(value), valueDecimals, tag1, tag2, endpoint, uri, feedbackHash(feedback)] as const;
}

/** Gas for one `giveFeedback`, with a margin. */
const FEEDBACK_GAS = 400_000n;

/** The call by which an account gives feedback itself: a gateway has no key of the parties. */
export function feedbackCall(reputation: Address, feedback: Feedback, uri: string): StepCall {
  const data = encodeFunctionData({ abi: REPUTATION_ABI, functionName: "giveFeedback", args: givenBy(feedback, uri) });
  return { what: "feedback", to: reputation, data, gas: FEEDBACK_GAS };
}

/** The identity registry of a reputation registry, and an agent's wallet in it; undefined if either does not answer. */
export async function agentAt(
  reader: Pick<PublicClient, "readContract">,
  reputation: Address,
  agentId: number,
): Promise<{ readonly identity: Address; readonly wallet: Address } | undefined> {
  try {
    const identity = await reader.readContract({ abi: REPUTATION_ABI, address: reputation, functionName: "getIdentityRegistry" });
    const args = [BigInt(agentId)] as const;
    return { identity, wallet: await reader.readContract({ abi: IDENTITY_ABI, address: identity, functionName: "getAgentWallet", args }) };
  } catch {
    return undefined;
  }
}

export interface RegistriesOptions extends SendOptions {
  readonly identity: Address;
  readonly reputation: Address;
}

/** Where feedback is on chain, and since when. */
export type Given =
  | { readonly kind: "given"; readonly index: bigint; readonly reference: Hash }
  | Exclude<Fate, { readonly kind: "settled" }>;

/** Connects a pair of registries. Throws if the reputation registry belongs to another identity registry. */
export async function connectRegistries({ identity, reputation, ...options }: RegistriesOptions) {
  const { reader, send, fateOf } = sending(options);
  const identities = { abi: IDENTITY_ABI, address: identity } as const;
  const opinions = { abi: REPUTATION_ABI, address: reputation } as const;
  const of = await reader.readContract({ ...opinions, functionName: "getIdentityRegistry" });
  if (!isAddressEqual(of, identity)) throw new RangeError(`the reputation registry ${reputation} is about agents of ${of}`);

  const eventsBy = (agentId: bigint, clientAddress: Address) =>
    reader.getContractEvents({ ...opinions, eventName: "NewFeedback", args: { agentId, clientAddress }, fromBlock: 0n, strict: true });

  return {
    fateOf,
    /** Registers the caller's agent under a file's address. Ids start at 0. */
    async register(
      account: Account,
      uri: string,
    ): Promise<{ readonly kind: "registered"; readonly agentId: bigint } | Exclude<Fate, { kind: "settled" }>> {
      const fate = await send(account, { ...identities, functionName: "register", args: [uri] });
      if (fate.kind !== "settled") return fate;
      const [event] = parseEventLogs({ abi: IDENTITY_ABI, eventName: "Registered", logs: fate.receipt.logs });
      if (event === undefined) throw new RangeError("the registry registered nobody");
      return { kind: "registered", agentId: event.args.agentId };
    },
    walletOf: (agentId: bigint): Promise<Address> =>
      reader.readContract({ ...identities, functionName: "getAgentWallet", args: [agentId] }),
    uriOf: (agentId: bigint): Promise<string> => reader.readContract({ ...identities, functionName: "tokenURI", args: [agentId] }),
    /**
     * Gives feedback once: feedback of this client under the same hash is found, not repeated. `rejected` if the agent's wallet is not the
     * one that the agreement paid, since the id then belongs to another agent.
     */
    async give(account: Account, feedback: Feedback, { uri, paid }: { readonly uri: string; readonly paid: Address }): Promise<Given> {
      const agentId = BigInt(feedback.agentId);
      const hash = feedbackHash(feedback);
      const wallet = await this.walletOf(agentId);
      if (!isAddressEqual(wallet, paid))
        return { kind: "rejected", reason: `agent ${agentId} is paid at ${wallet}, the agreement paid ${paid}` };
      const known = (await eventsBy(agentId, account.address)).find(({ args }) => args.feedbackHash === hash);
      if (known !== undefined) return { kind: "given", index: known.args.feedbackIndex, reference: known.transactionHash };
      const fate = await send(account, { ...opinions, functionName: "giveFeedback", args: givenBy(feedback, uri) });
      if (fate.kind !== "settled") return fate;
      const [event] = parseEventLogs({ abi: REPUTATION_ABI, eventName: "NewFeedback", logs: fate.receipt.logs });
      if (event === undefined) throw new RangeError("the registry took no feedback");
      return { kind: "given", index: event.args.feedbackIndex, reference: fate.receipt.transactionHash };
    },
    /** Whether a client's feedback matches a file: number, tags and hash, and that it was not revoked. */
    async holds(feedback: Feedback, client: Address, index: bigint): Promise<boolean> {
      const agentId = BigInt(feedback.agentId);
      const read = await reader.readContract({ ...opinions, functionName: "readFeedback", args: [agentId, client, index] });
      const [value, decimals, tag1, tag2, isRevoked] = read;
      const event = (await eventsBy(agentId, client)).find(({ args }) => args.feedbackIndex === index);
      return (
        !isRevoked &&
        value === BigInt(feedback.value) &&
        decimals === feedback.valueDecimals &&
        tag1 === feedback.tag1 &&
        tag2 === feedback.tag2 &&
        event?.args.feedbackHash === feedbackHash(feedback)
      );
    },
  };
}
export type Registries = Awaited<ReturnType<typeof connectRegistries>>;

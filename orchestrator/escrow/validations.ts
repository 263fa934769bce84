/** ERC-8004's validation registry: who judged an agreement answers a request to validate the agent's work with its result. */
import {
  type Account,
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  toBytes,
  zeroAddress,
} from "viem";
import { z } from "zod";
import type { ClosingRecord } from "../agreements/index.ts";
import { revertOf } from "../chain/revert.ts";
import { type Address, type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { closingOutcomeSchema, IDENTITY_ABI, registryName } from "./registries.ts";
import { type Fate, type SendOptions, sending } from "./send.ts";
import type { StepCall } from "./steps.ts";

export const VALIDATION_ABI = parseAbi([
  "function validationRequest(address validatorAddress, uint256 agentId, string requestURI, bytes32 requestHash)",
  "function validationResponse(bytes32 requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag)",
  "function getIdentityRegistry() view returns (address)",
  "function getValidationStatus(bytes32 requestHash) view returns (address validatorAddress, uint256 agentId, uint8 response, bytes32 responseHash, string tag, uint256 lastUpdate)",
  "event ValidationRequest(address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash)",
  "event ValidationResponse(address indexed validatorAddress, uint256 indexed agentId, bytes32 indexed requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag)",
]);

/** Tag of answers that come from an agreement's result. */
const TAG = "asa";
/** Gas for one call, with a margin. */
const VALIDATION_GAS = 300_000n;

/** What is validated where, and by whom. */
export interface ValidationPlace {
  readonly chainId: number;
  readonly registry: Address;
  readonly agentId: number;
  /** The agreement's evaluator: the only account whose answer the registry takes. */
  readonly validator: Address;
  readonly agreement: Hash;
}

/**
 * The key of a request. The registry gives a key to whoever is first, so it says everything that the request is about: a request under this key
 * that names another validator or agent is a squatter's, and is not answered.
 */
export function requestHash({ chainId, registry, agentId, validator, agreement }: ValidationPlace): Hash {
  const types = parseAbiParameters("uint256, address, uint256, address, bytes32");
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), registry, BigInt(agentId), validator, agreement]));
}

/** The file behind an answer: the outcome, and nothing of the work. */
export const validationSchema = z.strictObject({
  validationRegistry: z.string(),
  agentId: z.int().nonnegative(),
  validatorAddress: z.string(),
  requestHash: hashSchema,
  createdAt: z.iso.datetime(),
  /** The composite in whole points, rounded down. */
  response: z.int().min(0).max(100),
  tag: z.literal(TAG),
  asa: closingOutcomeSchema,
});
export type Validation = z.infer<typeof validationSchema>;

/** The answer about an agreement that ended with a result. */
export function validationOf(place: ValidationPlace, { provider: _, ...outcome }: ClosingRecord, createdAt: string): Validation {
  return validationSchema.parse({
    validationRegistry: registryName(place.chainId, place.registry),
    agentId: place.agentId,
    validatorAddress: registryName(place.chainId, place.validator),
    requestHash: requestHash(place),
    createdAt,
    response: Math.floor(outcome.composite / 100),
    tag: TAG,
    asa: { agreement_hash: place.agreement, ...outcome },
  });
}

/** Keccak-256 of the file's text, which goes on chain with its address. */
export function validationHash(validation: Validation): Hash {
  return keccak256(toBytes(canonicalJson(validation)));
}

/** The call by which the agent's owner asks for a validation. */
export function validationRequestCall(place: ValidationPlace, uri: string): StepCall {
  const args = [place.validator, BigInt(place.agentId), uri, requestHash(place)] as const;
  const data = encodeFunctionData({ abi: VALIDATION_ABI, functionName: "validationRequest", args });
  return { what: "validation-request", to: place.registry, data, gas: VALIDATION_GAS };
}

/** Where an answer is on chain. */
export type Answered = { readonly kind: "answered"; readonly reference: Hash } | Exclude<Fate, { readonly kind: "settled" }>;

/** Connects a validation registry. Throws if it belongs to another identity registry. */
export async function connectValidations({
  identity,
  registry,
  ...options
}: SendOptions & { readonly identity: Address; readonly registry: Address }) {
  const { reader, send, fateOf } = sending(options);
  const validations = { abi: VALIDATION_ABI, address: registry } as const;
  const of = await reader.readContract({ ...validations, functionName: "getIdentityRegistry" });
  if (!isAddressEqual(of, identity)) throw new RangeError(`the validation registry ${registry} is about agents of ${of}`);

  const answersTo = (hash: Hash) =>
    reader.getContractEvents({ ...validations, eventName: "ValidationResponse", args: { requestHash: hash }, fromBlock: 0n, strict: true });
  const statusOf = (hash: Hash) =>
    reader
      .readContract({ ...validations, functionName: "getValidationStatus", args: [hash] })
      .then(([validator, agentId, response, responseHash, tag]) => ({ validator, agentId, response, responseHash, tag }))
      .catch((error: unknown) => {
        // A registry may refuse the question; a node that is silent says nothing about it.
        if (revertOf(error) === undefined) throw error;
        return { validator: zeroAddress, agentId: 0n, response: 0, responseHash: "0x", tag: "" };
      });

  return {
    fateOf,
    /** Asks for a validation, as the agent's owner. */
    async request(account: Account, place: ValidationPlace, uri: string): Promise<Fate> {
      const args = [place.validator, BigInt(place.agentId), uri, requestHash(place)];
      return send(account, { ...validations, functionName: "validationRequest", args });
    },
    /**
     * Answers a request once: the same answer is found, not repeated. `rejected` if nobody asked, if the request under this key names another
     * validator or agent, if the agent's wallet is not the one that the agreement paid, or if another answer stands: the registry would
     * overwrite it, and an evaluator has one result.
     */
    async answer(
      account: Account,
      place: ValidationPlace,
      validation: Validation,
      { uri, paid }: { readonly uri: string; readonly paid: Address },
    ): Promise<Answered> {
      const rejected = (reason: string) => ({ kind: "rejected", reason }) as const;
      const hash = requestHash(place);
      if (validation.requestHash !== hash) return rejected("the answer is to another request");
      const status = await statusOf(hash);
      if (status.validator === zeroAddress) return rejected("nobody asked for this validation");
      if (!isAddressEqual(status.validator, place.validator) || status.agentId !== BigInt(place.agentId))
        return rejected(`the request names agent ${status.agentId} and validator ${status.validator}`);
      const wallet = await reader.readContract({
        ...{ abi: IDENTITY_ABI, address: identity, functionName: "getAgentWallet" },
        args: [BigInt(place.agentId)],
      });
      if (!isAddressEqual(wallet, paid)) return rejected(`agent ${place.agentId} is paid at ${wallet}, the agreement paid ${paid}`);
      const own = validationHash(validation);
      const [last] = (await answersTo(hash)).slice(-1);
      if (last !== undefined)
        return last.args.responseHash === own
          ? { kind: "answered", reference: last.transactionHash }
          : rejected("it was answered otherwise");
      const args = [hash, validation.response, uri, own, TAG];
      const fate = await send(account, { ...validations, functionName: "validationResponse", args });
      if (fate.kind !== "settled") return fate;
      const [event] = parseEventLogs({ abi: VALIDATION_ABI, eventName: "ValidationResponse", logs: fate.receipt.logs });
      if (event === undefined) throw new RangeError("the registry took no answer");
      return { kind: "answered", reference: fate.receipt.transactionHash };
    },
    /** Whether the standing answer is this file's: number, tag and hash, by this validator about this agent, and never another one before. */
    async holds(place: ValidationPlace, validation: Validation): Promise<boolean> {
      const [status, answers] = await Promise.all([statusOf(requestHash(place)), answersTo(requestHash(place))]);
      return (
        answers.length === 1 &&
        isAddressEqual(status.validator, place.validator) &&
        status.agentId === BigInt(place.agentId) &&
        status.response === validation.response &&
        status.tag === validation.tag &&
        status.responseHash === validationHash(validation)
      );
    },
  };
}

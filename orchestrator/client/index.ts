/** `agentcity`: a typed client of a city for one account, in the style of viem. See examples/. */

export { TransactionReverted } from "../chain/errors.ts";
export { AgentCityError } from "../primitives/errors.ts";
export type { Address, Hash, Hex } from "../primitives/hex.ts";
export type { CityAddresses } from "../protocol/addresses.ts";
export { ESCROW_TYPES, type EscrowDomain, type EscrowTerms, escrowTypedData, jobOf } from "../protocol/escrow-terms.ts";
export {
  commissionHash,
  deliverableOf,
  HEARING_TYPES,
  type HearingPlace,
  hearingKey,
  hearingObligation,
  hearingTypedData,
  JOB_LAYOUTS,
  termsOnChain,
} from "../protocol/hearing.ts";
export type { Commission, HearingTerms } from "../protocol/hearing-schema.ts";
export { KINDS } from "../protocol/kinds.ts";
export { type MessageName, typedData, typedDataTypes } from "../protocol/typed-data.ts";
export {
  type AccountActions,
  AccountMissing,
  type AgentCityClient,
  type AgentCityClientOptions,
  createAgentCityClient,
  NotACity,
  type SendOptions,
} from "./account-client.ts";
export { type AbiOf, type ContractName, contractAbis } from "./contracts.ts";
export { revertedWith } from "./errors.ts";
export type { BlockRange, EventFilter, EventLogs, EventName } from "./events.ts";
export { type EnclosedItem, openingUnder } from "./openings.ts";
export type { Message, SigningDomain } from "./sign/sign-message.ts";

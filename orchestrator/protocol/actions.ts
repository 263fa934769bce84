/**
 * Every action of the override panel, once off chain: its number is its place in `enum Action` (contracts/types/Actions.sol), and
 * `data` is what its ABI-encoded arguments mean (AgentCity B.12).
 */
import { type AbiParameter, type DecodeAbiParametersReturnType, decodeAbiParameters, encodeAbiParameters } from "viem";
import type { Hex } from "../primitives/hex.ts";

/** `struct Opening` (contracts/types/Messages.sol). */
export const OPENING = [
  { name: "salt", type: "bytes32" },
  { name: "outputHash", type: "bytes32" },
  { name: "trailRoot", type: "bytes32" },
  { name: "envelopeRoot", type: "bytes32" },
  { name: "items", type: "uint8" },
  { name: "classes", type: "uint96" },
] as const;

/** `struct EvidenceItem` (contracts/types/Messages.sol). */
export const EVIDENCE_ITEM = [
  { name: "slot", type: "uint8" },
  { name: "index", type: "uint8" },
  { name: "kind", type: "uint8" },
  { name: "payload", type: "bytes32" },
  { name: "issuer", type: "address" },
  { name: "class", type: "uint8" },
  { name: "proof", type: "bytes32[]" },
  { name: "signature", type: "bytes" },
] as const;

/** The data of APPROVE_POP: what an approval carries, so that it passes the same floor (decision 23). */
const APPROVAL = [
  { name: "openings", type: "tuple[]", components: OPENING },
  { name: "items", type: "tuple[]", components: EVIDENCE_ITEM },
  { name: "basis", type: "uint256" },
  { name: "share", type: "uint16" },
] as const;

/** `ICollaborationContract.Resolution`, the data of RESOLVE_APPEAL: one ruling on all open appeals of an attempt (decision 29). */
const RESOLUTION = [
  {
    type: "tuple",
    components: [
      { name: "attempt", type: "uint8" },
      { name: "filed", type: "uint8" },
      { name: "upheld", type: "uint16" },
      { name: "share", type: "uint16" },
      { name: "slash", type: "uint64" },
      { name: "culprits", type: "uint8" },
    ],
  },
] as const;

/** In the order of the enum, after NONE. */
export const ACTION_DATA = {
  FREEZE: [],
  UNFREEZE: [],
  TERMINATE_MISSION: [],
  APPROVE_POP: APPROVAL,
  REJECT_POP: [],
  AMEND_PARAMETER: [
    { name: "parameter", type: "uint8" },
    { name: "value", type: "uint256" },
  ],
  ADJUST_REPUTATION: [{ name: "delta", type: "int256" }],
  CLASSIFY_FALSE_POSITIVE: [{ name: "freeze", type: "uint256" }],
  EMERGENCY_STOP: [],
  CLEAR_EMERGENCY_STOP: [],
  APPROVE_PREDICATE: [{ name: "id", type: "uint16" }],
  VETO_OUTPUT: [],
  RELEASE_OUTPUT: [
    { name: "slot", type: "uint8" },
    { name: "opening", type: "tuple", components: OPENING },
  ],
  RESOLVE_APPEAL: RESOLUTION,
  SLASH: [
    { name: "amount", type: "uint64" },
    { name: "ban", type: "bool" },
  ],
  FREEZE_PRINCIPAL: [{ name: "frozen", type: "bool" }],
  CLAIM_INSURANCE: [
    { name: "mission", type: "address" },
    { name: "loss", type: "uint64" },
  ],
  DISBURSE: [
    { name: "purpose", type: "uint8" },
    { name: "amount", type: "uint64" },
  ],
  APPROVE_CODIFICATION: [{ name: "session", type: "uint256" }],
  APPOINT_CLERK: [
    { name: "office", type: "uint8" },
    { name: "principal", type: "address" },
  ],
  SET_ENVELOPE: [
    { name: "office", type: "uint8" },
    { name: "permitted", type: "bytes4[]" },
    { name: "maxPerSession", type: "uint16" },
  ],
  PUBLISH_TEMPLATE: [
    { name: "name", type: "bytes32" },
    { name: "auditHash", type: "bytes32" },
  ],
  REGISTER_ISSUER: [
    { name: "role", type: "uint8" },
    { name: "principal", type: "address" },
    { name: "value", type: "uint16" },
  ],
  ADMIT_ADJUDICATOR: [{ name: "principal", type: "address" }],
  AMEND_CONSTITUTION: [{ name: "institution", type: "uint8" }],
  RULE_ON_BLOC: [
    { name: "session", type: "uint256" },
    { name: "release", type: "bool" },
  ],
  IMPEACH: [],
  AUDIT_UNILATERAL: [{ name: "digest", type: "bytes32" }],
  RELEASE_WATCHDOG: [],
  RESUME_WITH_AMENDMENT: [{ name: "amendment", type: "bytes32" }],
  SET_MANDATE: [
    { name: "office", type: "uint8" },
    { name: "operation", type: "bytes32" },
    { name: "service", type: "bytes32" },
    { name: "needsIntermediate", type: "bool" },
    { name: "schemaHash", type: "bytes32" },
  ],
  FAULT_SLOTS: [
    { name: "attempt", type: "uint8" },
    { name: "slots", type: "uint8" },
  ],
  STOP_CITY: [],
  RESUME_CITY: [],
  FREEZE_AGENT: [{ name: "frozen", type: "bool" }],
} as const satisfies Record<string, readonly AbiParameter[]>;

export type ActionName = keyof typeof ACTION_DATA;
export type ActionData<Name extends ActionName> = (typeof ACTION_DATA)[Name];

export const ACTION_NAMES = Object.keys(ACTION_DATA) as readonly ActionName[];

/** Its number in the enum. */
export function actionNumber(name: ActionName): number {
  return ACTION_NAMES.indexOf(name) + 1;
}

/** The action of a number; undefined for NONE and for what the contracts do not know. */
export function actionName(number: number): ActionName | undefined {
  return number === 0 ? undefined : ACTION_NAMES[number - 1];
}

/** The bytes that `data` takes. */
export function encodeActionData<Name extends ActionName>(name: Name, values: DecodeAbiParametersReturnType<ActionData<Name>>): Hex {
  return encodeAbiParameters(ACTION_DATA[name] as readonly AbiParameter[], values as readonly unknown[]);
}

/** Throws viem's error when the bytes are not what the action takes. */
export function decodeActionData<Name extends ActionName>(name: Name, data: Hex): DecodeAbiParametersReturnType<ActionData<Name>> {
  return decodeAbiParameters(ACTION_DATA[name], data) as never;
}

/** `enum EvidenceRole` (contracts/types/Evidence.sol): what REGISTER_ISSUER gives; NONE takes all. */
export const evidenceRoles = ["NONE", "ISSUER", "VERIFIER", "RUNNER", "MONITOR"] as const;

/** `enum ITreasury.Purpose`. */
export const purposes = ["GOVERNANCE", "INSURANCE", "GAS_SUBSIDY"] as const;
export type PurposeName = (typeof purposes)[number];

/** `enum Institution` (contracts/types/Roles.sol). */
export const institutionNames = [
  "TOKEN",
  "PRODUCERS",
  "CLERKS",
  "MANAGEMENT",
  "SERVICES",
  "EVIDENCE",
  "TREASURY",
  "TEMPLATES",
  "VALIDATOR",
  "LEGISLATION",
  "EXECUTION",
  "ADJUDICATION",
  "ROSTER",
  "STAKE_POOL",
  "WATCHDOG",
] as const;
export type InstitutionName = (typeof institutionNames)[number];

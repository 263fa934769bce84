/**
 * Every action of the override panel, defined once off chain: its number is its position in `enum Action` (contracts/types/Actions.sol),
 * `ACTION_DATA` has its arguments, and `ACTS` what else is signed (AgentCity B.12; decision 85). `acts.ts` derives the EIP-712 type of each
 * act from both, and `contracts/meta/adjudication/ActTypes.sol` is generated.
 */
import {
  type AbiParameter,
  concatHex,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  encodeAbiParameters,
  keccak256,
  pad,
  size,
  slice,
} from "viem";
import type { Hash, Hex } from "../primitives/hex.ts";

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

/** The data of APPROVE_POP: everything an approval needs to pass the same floor as a clearing (decision 23). */
const APPROVAL = [
  { name: "basis", type: "uint256" },
  { name: "share", type: "uint16" },
  { name: "openings", type: "tuple[]", components: OPENING },
  { name: "items", type: "tuple[]", components: EVIDENCE_ITEM },
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

/** An act that stops something names the attempt, whatever its state when it arrives. */
const ATTEMPT = [{ name: "attempt", type: "uint8" }] as const;

/** In the order of the enum, after NONE. Variable-length data (`ActShape.carries`) comes last. */
export const ACTION_DATA = {
  FREEZE: ATTEMPT,
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
  VETO_OUTPUT: ATTEMPT,
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
    { name: "maxPerSession", type: "uint16" },
    { name: "permitted", type: "bytes4[]" },
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

/** What is signed of an act in addition to its arguments, reason and deadline. */
export interface ActShape {
  /** Subject of the act: the fields `mission` and `node` are signed only where they apply. */
  readonly on: "node" | "mission" | "city";
  /** Name of the `target` field; absent if the act names no account or contract. */
  readonly target?: string;
  /** The state that is judged, or a salt. An act that stops something judges no state, so that changing the state cannot invalidate it. */
  readonly binds: "case" | "salt";
  /** Last word of the data: the hash of the variable-length data behind it, hashed as an EIP-712 list or as ABI-encoded documents. */
  readonly carries?: { readonly name: string; readonly type: "bytes32" | "bytes4[]" };
}

const ON_NODE = { on: "node", binds: "case" } as const;
const STOPS_NODE = { on: "node", binds: "salt" } as const;
const ON_MISSION = { on: "mission", binds: "case" } as const;
const ON_CITY = { on: "city", binds: "salt" } as const;

export const ACTS: Readonly<Record<ActionName, ActShape>> = {
  FREEZE: STOPS_NODE,
  UNFREEZE: ON_NODE,
  TERMINATE_MISSION: ON_MISSION,
  APPROVE_POP: { ...ON_NODE, carries: { name: "evidence", type: "bytes32" } },
  REJECT_POP: ON_NODE,
  AMEND_PARAMETER: ON_CITY,
  ADJUST_REPUTATION: { ...ON_CITY, target: "agent" },
  CLASSIFY_FALSE_POSITIVE: { ...ON_MISSION, target: "agent" },
  EMERGENCY_STOP: { on: "mission", binds: "salt" },
  CLEAR_EMERGENCY_STOP: ON_MISSION,
  APPROVE_PREDICATE: { ...ON_CITY, target: "predicate" },
  VETO_OUTPUT: STOPS_NODE,
  RELEASE_OUTPUT: { ...ON_NODE, carries: { name: "opening", type: "bytes32" } },
  RESOLVE_APPEAL: ON_NODE,
  SLASH: { ...ON_CITY, target: "agent" },
  FREEZE_PRINCIPAL: { ...ON_CITY, target: "principal" },
  CLAIM_INSURANCE: { ...ON_CITY, target: "executor" },
  DISBURSE: { ...ON_CITY, target: "recipient" },
  APPROVE_CODIFICATION: { on: "city", binds: "case" },
  APPOINT_CLERK: { ...ON_CITY, target: "clerk" },
  SET_ENVELOPE: { ...ON_CITY, carries: { name: "permitted", type: "bytes4[]" } },
  PUBLISH_TEMPLATE: { ...ON_CITY, target: "implementation" },
  REGISTER_ISSUER: { ...ON_CITY, target: "account" },
  ADMIT_ADJUDICATOR: { ...ON_CITY, target: "candidate" },
  AMEND_CONSTITUTION: { ...ON_CITY, target: "procedure" },
  RULE_ON_BLOC: { on: "city", binds: "case" },
  IMPEACH: { ...ON_CITY, target: "adjudicator" },
  AUDIT_UNILATERAL: { ...ON_CITY, target: "senior" },
  RELEASE_WATCHDOG: ON_CITY,
  RESUME_WITH_AMENDMENT: ON_NODE,
  SET_MANDATE: ON_CITY,
  FAULT_SLOTS: ON_NODE,
  STOP_CITY: ON_CITY,
  RESUME_CITY: ON_CITY,
  FREEZE_AGENT: { ...ON_CITY, target: "agent" },
};

export const ACTION_NAMES = Object.keys(ACTION_DATA) as readonly ActionName[];

/** Acts that an appeal about a node may challenge (`ActionTable.isAppealable`): their signers may not resolve it. */
export const APPEALABLE: readonly ActionName[] = ["APPROVE_POP", "REJECT_POP", "RELEASE_OUTPUT", "VETO_OUTPUT", "FAULT_SLOTS"];

/** Acts that judge a whole mission (`ActionTable.judgesMission`): they bind `missionCaseHash()`, others on a mission `caseHash(node)`. */
const JUDGES_MISSION: readonly ActionName[] = ["TERMINATE_MISSION"];

/** Hashes of a mission's states, which its acts judge. */
export interface Cases<Word = Hash> {
  caseHash(node: number): Promise<Word>;
  missionCaseHash(): Promise<Word>;
}

/** Hash of the current state that an act on a mission judges. */
export function caseHashFor<Word>(mission: Cases<Word>, action: ActionName, node: number): Promise<Word> {
  return JUDGES_MISSION.includes(action) ? mission.missionCaseHash() : mission.caseHash(node);
}

/** The action's number in the enum. */
export function actionNumber(name: ActionName): number {
  return ACTION_NAMES.indexOf(name) + 1;
}

/** The action of a number; undefined for NONE and for unknown numbers. */
export function actionName(number: number): ActionName | undefined {
  return number === 0 ? undefined : ACTION_NAMES[number - 1];
}

/** The arguments encoded as words, and the variable-length ones behind them. */
export function argumentsOf(name: ActionName): { readonly words: readonly AbiParameter[]; readonly carried: readonly AbiParameter[] } {
  const all: readonly AbiParameter[] = ACTION_DATA[name];
  const carries = ACTS[name].carries;
  const first = carries === undefined ? all.length : all.findIndex(({ type }) => /\[\]$|^tuple/.test(type));
  return { words: all.slice(0, first), carried: all.slice(first) };
}

/** Length of the words before the variable-length data, its hash included, bytes. */
function headOf(name: ActionName): number {
  const words = argumentsOf(name).words.flatMap((word) => ("components" in word ? word.components : [word]));
  return 32 * (words.length + (ACTS[name].carries === undefined ? 0 : 1));
}

/** Encodes `data`: one word per static argument, then the hash of the variable-length data, then the data itself. */
export function encodeActionData<Name extends ActionName>(name: Name, values: DecodeAbiParametersReturnType<ActionData<Name>>): Hex {
  const { words, carried } = argumentsOf(name);
  const given = values as readonly unknown[];
  const head = encodeAbiParameters(words, given.slice(0, words.length));
  const carries = ACTS[name].carries;
  if (carries === undefined) return head;
  const behind = given.slice(words.length);
  const tail =
    carries.type === "bytes32"
      ? encodeAbiParameters(carried, behind)
      : concatHex((behind[0] as readonly Hex[]).map((each) => pad(each, { dir: "right", size: 32 })));
  return concatHex([head, keccak256(tail), tail]);
}

/** Decodes `data`. Throws viem's error for bytes of another shape. */
export function decodeActionData<Name extends ActionName>(name: Name, data: Hex): DecodeAbiParametersReturnType<ActionData<Name>> {
  const { words, carried } = argumentsOf(name);
  const head = decodeAbiParameters(words, data);
  const carries = ACTS[name].carries;
  if (carries === undefined) return head as never;
  const tail = carriedBy(name, data);
  const behind = carries.type === "bytes32" ? decodeAbiParameters(carried, tail) : [selectorsIn(tail)];
  return [...head, ...behind] as never;
}

/** The variable-length data behind an act's words. */
function carriedBy(name: ActionName, data: Hex): Hex {
  const head = headOf(name);
  return size(data) > head ? slice(data, head) : "0x";
}

function selectorsIn(list: Hex): readonly Hex[] {
  return Array.from({ length: size(list) / 32 }, (_, at) => slice(list, 32 * at, 32 * at + 4));
}

/** The signed fields of an act's data and their values, in order. */
export function signedData(
  name: ActionName,
  data: Hex,
): readonly { readonly name: string; readonly type: string; readonly value: unknown }[] {
  const fields = argumentsOf(name).words.flatMap((word) => ("components" in word ? word.components : [word]));
  const values: readonly unknown[] = decodeAbiParameters(fields, data);
  const signed = fields.map(({ name: called = "", type }, at) => ({ name: called, type, value: values[at] }));
  const carries = ACTS[name].carries;
  if (carries === undefined) return signed;
  const tail = carriedBy(name, data);
  const value: Hash | readonly Hex[] = carries.type === "bytes32" ? keccak256(tail) : selectorsIn(tail);
  return [...signed, { ...carries, value }];
}

/** `enum EvidenceRole` (contracts/types/Evidence.sol), granted by REGISTER_ISSUER; NONE revokes every role. */
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

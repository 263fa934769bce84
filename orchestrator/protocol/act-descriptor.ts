/**
 * How clear-signing wallets display human acts: an ERC-7730 (version 1) descriptor, from the table that the contracts' types are generated
 * from (decision 85). `docs/acts.erc7730.json` is the descriptor without a city.
 */
import type { Address } from "../primitives/hex.ts";
import { ACTION_NAMES, type ActionName, evidenceRoles, institutionNames, purposes } from "./actions.ts";
import { actFields, actType, type Field } from "./acts.ts";
import { OFFICE_NAMES } from "./offices.ts";
import { PARAMETERS } from "./parameters.ts";

/** Shown above an act's fields: what it does. */
const INTENTS: Readonly<Record<ActionName, string>> = {
  FREEZE: "Stop a node",
  UNFREEZE: "Release a frozen node",
  TERMINATE_MISSION: "End a mission",
  APPROVE_POP: "Approve work under review",
  REJECT_POP: "Reject work",
  AMEND_PARAMETER: "Change a parameter",
  ADJUST_REPUTATION: "Change a reputation",
  CLASSIFY_FALSE_POSITIVE: "Call a freeze a false alarm",
  EMERGENCY_STOP: "Stop a mission",
  CLEAR_EMERGENCY_STOP: "Resume a stopped mission",
  APPROVE_PREDICATE: "Let laws name a gate",
  VETO_OUTPUT: "Hold an output",
  RELEASE_OUTPUT: "Release a held output",
  RESOLVE_APPEAL: "Rule on appeals",
  SLASH: "Take stake",
  FREEZE_PRINCIPAL: "Freeze or release a principal",
  CLAIM_INSURANCE: "Compensate an executor",
  DISBURSE: "Pay from the treasury",
  APPROVE_CODIFICATION: "Approve a codified law",
  APPOINT_CLERK: "Give or take an office",
  SET_ENVELOPE: "Set what an office may call",
  PUBLISH_TEMPLATE: "Publish a template",
  REGISTER_ISSUER: "Give or take a role in evidence",
  ADMIT_ADJUDICATOR: "Seat an adjudicator",
  AMEND_CONSTITUTION: "Announce a procedure",
  RULE_ON_BLOC: "Rule on a vote",
  IMPEACH: "Impeach an adjudicator",
  AUDIT_UNILATERAL: "Close an audit",
  RELEASE_WATCHDOG: "End the watchdog's freeze",
  RESUME_WITH_AMENDMENT: "Have a node redone",
  SET_MANDATE: "Give an operation to a service",
  FAULT_SLOTS: "Find executors at fault",
  STOP_CITY: "Stop the city",
  RESUME_CITY: "Resume the city",
  FREEZE_AGENT: "Freeze or release an agent",
};

/** Enums whose numbers are shown by name. */
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  parameter: PARAMETERS.map(({ name }) => name),
  office: OFFICE_NAMES,
  role: evidenceRoles,
  purpose: purposes,
  institution: institutionNames,
};

/** Amounts in the settlement token's smallest unit, and shares in hundredths of a per cent. */
const AMOUNTS = new Set(["amount", "loss", "slash"]);
const SHARES = new Set(["share"]);

/** `maxPerSession` as `Max per session`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function shown({ name, type }: Field) {
  const field = { path: name, label: labelOf(name) };
  if (name === "deadline") return { ...field, label: "Valid until", format: "date", params: { encoding: "timestamp" } };
  if (name in ENUMS) return { ...field, format: "enum", params: { $ref: `$.metadata.enums.${name}` } };
  if (AMOUNTS.has(name)) return { ...field, format: "unit", params: { base: "tokens", decimals: 6 } };
  if (SHARES.has(name)) return { ...field, format: "unit", params: { base: "%", decimals: 2 } };
  if (type === "address") return { ...field, format: "addressName" };
  return { ...field, path: type.endsWith("[]") ? `${name}.[]` : name, format: "raw" };
}

/** The descriptor of every act. `city`: binds it to that chain and contract. */
export function actDescriptor(city?: { readonly chainId: number; readonly adjudication: Address }) {
  const domain = [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ];
  const deployments = city === undefined ? {} : { deployments: [{ chainId: city.chainId, address: city.adjudication }] };
  const schemas = ACTION_NAMES.map((name) => ({
    primaryType: actType(name),
    types: { EIP712Domain: domain, [actType(name)]: actFields(name) },
  }));
  const enums = Object.entries(ENUMS).map(([name, values]) => [name, Object.fromEntries(values.map((value, at) => [String(at), value]))]);
  const formats = ACTION_NAMES.map((name) => {
    const fields = actFields(name);
    return [actType(name), { intent: INTENTS[name], fields: fields.map(shown), required: fields.map(({ name: path }) => path) }];
  });
  return {
    $schema: "https://eips.ethereum.org/assets/eip-7730/erc7730-v1.schema.json",
    context: { eip712: { schemas, domain: { name: "AgentCity", version: "1" }, ...deployments } },
    metadata: { owner: "AgentCity", enums: Object.fromEntries(enums) },
    display: { formats: Object.fromEntries(formats) },
  };
}

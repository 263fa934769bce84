/** Parses command-line arguments; drafts orders on missions and on the city. */
import { zeroHash } from "viem";
import { stateOf } from "../../orchestrator/adjudication/act.ts";
import type { Draft } from "../../orchestrator/city/humans/case-decisions.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { parseAmount } from "../../orchestrator/primitives/amounts.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { type Address, type Hash, hashSchema } from "../../orchestrator/primitives/hex.ts";
import type { ActionName } from "../../orchestrator/protocol/actions.ts";
import { OFFICE_NAMES } from "../../orchestrator/protocol/offices.ts";
import type { Office } from "./office.ts";

export type { Draft };

export function addressIn(text: string, what: string): Address {
  const parsed = addressSchema.safeParse(text);
  if (!parsed.success) throw new InvalidValue(what, `${text} is not an address`);
  return parsed.data;
}

export function hashIn(text: string, what: string): Hash {
  const parsed = hashSchema.safeParse(text);
  if (!parsed.success) throw new InvalidValue(what, `${text} is not 32 bytes in hex`);
  return parsed.data;
}

/** Tokens with their decimals, in units. */
export function amountIn(text: string): bigint {
  return parseAmount(text);
}

/** A whole number from `least` to `most`. */
export function wholeIn(text: string, what: string, least: number, most: number): number {
  const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new InvalidValue(what, `${text} is not a whole number from ${least} to ${most}`);
  return value;
}

/** The position of a name in a Solidity enum. */
export function positionIn(text: string, names: readonly string[], what: string): number {
  const position = names.indexOf(text.toUpperCase());
  if (position === -1) throw new InvalidValue(what, `${text} is not one of ${names.join(", ")}`);
  return position;
}

/** The number of an office. */
export function officeIn(text: string): number {
  return positionIn(text, OFFICE_NAMES, "office");
}

/** An order on a mission's current state: one that releases or decides is void if the state changes before the order arrives. */
export async function onMission({ client }: Office, action: ActionName, mission: string, node = "0"): Promise<Draft> {
  const address = addressIn(mission, "mission");
  const number = wholeIn(node, "node", 0, 99);
  if (!(await client.templates.isGenuine(address))) throw new InvalidValue("mission", `${mission} is not a mission of this city`);
  return { action, mission: address, node: number, ...(await stateOf(client, action, address, number)) };
}

/** An order on the city: it binds no state. */
export function onCity(action: ActionName, order: Pick<Draft, "target" | "data">): Draft {
  return { action, caseHash: zeroHash, ...order };
}

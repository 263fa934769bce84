/**
 * What adjudicators sign: each act is its own EIP-712 type with flat, named fields (decision 85), so that a wallet shows `Freeze`, mission,
 * node and reason instead of bytes. Solidity side: `contracts/meta/adjudication/Acts.sol` and `ActTypes.sol`, which is generated from here;
 * a test compares the digests of every act.
 */
import type { AbiParameter, TypedDataDomain } from "viem";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { ACTS, type ActionName, actionName, argumentsOf, signedData } from "./actions.ts";
import { typedDataDomain } from "./typed-data.ts";

/** An order as submitted: `struct OverrideAction` (contracts/types/Actions.sol). Fields that its act does not sign are zero. */
export interface OverrideAction {
  readonly action: number;
  readonly mission: Address;
  readonly node: number;
  readonly target: Address;
  readonly data: Hex;
  readonly because: string;
  readonly caseHash: Hash;
  readonly salt: bigint;
  readonly deadline: number;
}

export interface Field {
  readonly name: string;
  readonly type: string;
}

/** `FREEZE_AGENT` signs a `FreezeAgent`. */
export function actType(name: ActionName): string {
  return name.replace(/(?:^|_)([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => `${first}${rest.toLowerCase()}`);
}

/** The fields of an act, in hashing order. */
export function actFields(name: ActionName): readonly Field[] {
  const { on, target, binds, carries } = ACTS[name];
  return [
    ...(on === "city" ? [] : [{ name: "mission", type: "address" }]),
    ...(on === "node" ? [{ name: "node", type: "uint8" }] : []),
    ...(target === undefined ? [] : [{ name: target, type: "address" }]),
    ...dataFields(name),
    ...(carries === undefined ? [] : [carries]),
    { name: "because", type: "string" },
    binds === "case" ? { name: "caseHash", type: "bytes32" } : { name: "salt", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ];
}

/** The static words of an act's data. */
export function dataFields(name: ActionName): readonly Field[] {
  const flat = ({ components }: AbiParameter & { readonly components?: readonly AbiParameter[] }) => components;
  return argumentsOf(name).words.flatMap((word) => (flat(word) ?? [word]).map(({ name: called = "", type }) => ({ name: called, type })));
}

/** The EIP-712 type string of an act. */
export function actTypeString(name: ActionName): string {
  return `${actType(name)}(${actFields(name)
    .map((field) => `${field.type} ${field.name}`)
    .join(",")})`;
}

/**
 * The typed data that a wallet signs for an order. Throws RangeError for an action unknown to this version, viem's errors for malformed
 * data.
 */
export function actTypedData(chainId: number, adjudication: Address, order: OverrideAction) {
  const name = actionName(order.action);
  if (name === undefined) throw new RangeError(`action ${order.action} is unknown to this version`);
  const { target } = ACTS[name];
  const { mission, node, because, caseHash, salt, deadline } = order;
  const values: Readonly<Record<string, unknown>> = {
    ...{ mission, node, because, caseHash, salt, deadline },
    ...(target === undefined ? {} : { [target]: order.target }),
    ...Object.fromEntries(signedData(name, order.data).map((field) => [field.name, field.value])),
  };
  const fields = actFields(name);
  const primaryType = actType(name);
  return {
    domain: typedDataDomain(chainId, adjudication) as TypedDataDomain,
    types: { [primaryType]: fields },
    primaryType,
    message: Object.fromEntries(fields.map((field) => [field.name, values[field.name]])),
  };
}

/** Orders of every act with random contents. */
import { bytesToHex, getAddress, type Hex, zeroAddress, zeroHash } from "viem";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { ACTION_DATA, ACTS, type ActionName, actionNumber, encodeActionData } from "../../orchestrator/protocol/actions.ts";
import type { OverrideAction } from "../../orchestrator/protocol/acts.ts";

interface Parameter {
  readonly type: string;
  readonly components?: readonly { readonly name?: string; readonly type: string }[];
}

function argumentOf(random: RandomStream, parameter: Parameter): unknown {
  const { type, components } = parameter;
  const bytes = (size: number): Hex => bytesToHex(random.bytes(size));
  if (type.endsWith("[]"))
    return Array.from({ length: random.int(4) }, () => argumentOf(random, { ...parameter, type: type.slice(0, -2) }));
  if (type === "tuple") return Object.fromEntries((components ?? []).map((each) => [each.name, argumentOf(random, each)]));
  if (type === "address") return getAddress(bytes(20));
  if (type === "bool") return random.int(2) === 1;
  if (type === "bytes") return bytes(random.int(70));
  if (type === "int256") return BigInt(random.int(201) - 100);
  const [, kind, size] = /^(uint|bytes)(\d+)$/.exec(type) ?? [];
  if (kind === "bytes") return bytes(Number(size));
  return Number(size) <= 48 ? random.int(2 ** Number(size)) : BigInt(bytes(Number(size) / 8));
}

/** What an act takes, at random. */
export function randomArguments(random: RandomStream, name: ActionName): unknown[] {
  return ACTION_DATA[name].map((each) => argumentOf(random, each));
}

/** An order of an act, as full as its type allows. */
export function randomOrder(random: RandomStream, name: ActionName): OverrideAction {
  const { on, target, binds } = ACTS[name];
  const bytes = (size: number): Hex => bytesToHex(random.bytes(size));
  return {
    action: actionNumber(name),
    mission: on === "city" ? zeroAddress : getAddress(bytes(20)),
    node: on === "node" ? random.int(256) : 0,
    target: target === undefined ? zeroAddress : getAddress(bytes(20)),
    data: encodeActionData(name, randomArguments(random, name) as never),
    because: random.pick(["It follows.", "Weil es so ist: é", "x".repeat(100)]),
    caseHash: binds === "case" ? bytes(32) : zeroHash,
    salt: binds === "salt" ? BigInt(bytes(32)) : 0n,
    deadline: random.int(2 ** 40),
  };
}

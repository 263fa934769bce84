/** `contracts/meta/adjudication/ActTypes.sol`: what each human act signs, generated from `orchestrator/protocol/actions.ts` (decision 85). */
import { format, resolveConfig } from "prettier";
import { keccak256, stringToHex } from "viem";
import { ACTION_NAMES, ACTS, type ActionName } from "../../orchestrator/protocol/actions.ts";
import { actTypeString, dataFields } from "../../orchestrator/protocol/acts.ts";

export const ACT_TYPES_FILE = "contracts/meta/adjudication/ActTypes.sol";

/** As `contracts/meta/adjudication/Acts.sol` reads a row. */
const FLAGS = { node: 1, target: 2, caseHash: 4 };
const BOOL = 33;
const CARRIED = 34;
/** Bytes of a row behind its type hash: flags, then a width for each word of the data. */
const SHAPE = 8;

function widthOf(type: string): number {
  if (type === "bool") return BOOL;
  if (type === "address") return 20;
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits !== undefined) return Number(bits) / 8;
  if (type === "bytes32" || type === "int256") return 32;
  throw new RangeError(`Acts.sol knows no width for ${type}`);
}

function rowOf(name: ActionName): string {
  const { on, target, binds, carries } = ACTS[name];
  const flags = (on === "node" ? FLAGS.node : 0) | (target === undefined ? 0 : FLAGS.target) | (binds === "case" ? FLAGS.caseHash : 0);
  const widths = [...dataFields(name).map(({ type }) => widthOf(type)), ...(carries === undefined ? [] : [CARRIED])];
  if (widths.length >= SHAPE) throw new RangeError(`${name} has more words than a row holds`);
  const shape = [flags, ...widths].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const type = actTypeString(name);
  // Comments of at most 120 columns.
  const comment = type.replace(/(.{1,108})(?:(?<=,)|$)/g, "// $1\n").trimEnd();
  return `${comment}\nhex"${keccak256(stringToHex(type)).slice(2)}" hex"${shape.padEnd(2 * SHAPE, "0")}"`;
}

export async function actTypesSource(): Promise<string> {
  const source = `// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title The EIP-712 type of every human act (decision 85)
/// @notice Generated from orchestrator/protocol/actions.ts by \`npm run docs\`. One row of 40 bytes for each action after NONE: its type hash,
/// then what \`Acts\` hashes: flags (1 node, 2 target, 4 case hash instead of salt), and for each word of the data the bytes that it may fill (33 a
/// bool, 34 the hash of what follows the words).
library ActTypes {
bytes internal constant ROWS =
${ACTION_NAMES.map(rowOf).join("\n")};
}
`;
  return format(source, { ...(await resolveConfig(ACT_TYPES_FILE)), filepath: ACT_TYPES_FILE });
}

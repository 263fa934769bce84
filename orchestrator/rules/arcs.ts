/** Twin of `contracts/libraries/Arcs.sol`: a transition table is one word, sixteen bits of targets per source. */
import { RuleError } from "./rule-error.ts";

/** A lifecycle as exported from Solidity: names by code, and the table. */
export interface TransitionTable<State extends string> {
  readonly states: readonly State[];
  /** Allowed targets of each state. */
  readonly arcs: Readonly<Record<State, readonly State[]>>;
  /** The Solidity constant. */
  readonly table: bigint;
}

/** Bitmap of the targets of a source code. */
export function targets(table: bigint, from: number): bigint {
  return from >= 0 && from < 16 ? (table >> BigInt(16 * from)) & 0xffffn : 0n;
}

/** Throws for an arc that is not in the table. */
export function requireArc(table: bigint, from: number, to: number): void {
  if (to < 0 || ((targets(table, from) >> BigInt(to)) & 1n) === 0n) throw new RuleError("IllegalTransition", from, to);
}

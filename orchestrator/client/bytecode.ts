import { addressSchema } from "../primitives/address.ts";
import { type Address, type Hex, hexToBytes } from "../primitives/hex.ts";
import { keepNewest } from "../primitives/recent.ts";

/** Opcodes with effects outside the contract. */
export const OPCODES = {
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  SELFDESTRUCT: 0xff,
  SSTORE: 0x55,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
} as const;
export type OpcodeName = keyof typeof OPCODES;

const PUSH0 = 0x5f;
const PUSH32 = 0x7f;
const PUSH4 = 0x63;
const PUSH20 = 0x73;
const JUMPDEST = 0x5b;
const JUMPI = 0x57;
/** EQ, SUB, XOR: how a dispatcher compares a selector with the called one. */
const COMPARES: ReadonlySet<number> = new Set([0x14, 0x03, 0x18]);
/** Maximum distance between a pushed selector and its comparison, instructions. */
const DISPATCH = 4;
/** STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT: code after them runs only as a jump target. */
const ENDS: ReadonlySet<number> = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe, 0xff]);

export interface Instruction {
  readonly offset: number;
  readonly opcode: number;
  /** Pushed bytes. */
  readonly operand: Uint8Array;
}

/** What a contract's runtime code reveals without running it. */
export interface CodeShape {
  /** Reachable occurrences of each opcode: after a jump to a pushed offset, or in line. */
  readonly count: Readonly<Record<OpcodeName, number>>;
  /** Selectors the dispatcher compares with, sorted. */
  readonly selectors: readonly Hex[];
  /** Constants of an address's size, sorted; masks are not addresses. */
  readonly addresses: readonly Address[];
}

/** Cached shapes: every mission's codification is audited against the same template. */
const REMEMBERED = 64;
const remembered = new Map<Hex, CodeShape>();

/** Parses runtime code in solc's layout: instructions, possibly data, then metadata whose length is in the last two bytes. */
export function shapeOf(code: Hex): CodeShape {
  const shape = remembered.get(code) ?? parsed(code);
  keepNewest(remembered, code, shape, REMEMBERED);
  return shape;
}

function parsed(code: Hex): CodeShape {
  const instructions = reachable(instructionsOf(withoutMetadata(hexToBytes(code))));
  const counts = new Uint32Array(256);
  for (const { opcode } of instructions) counts[opcode] = (counts[opcode] ?? 0) + 1;
  const count = (opcode: number) => counts[opcode] ?? 0;
  return {
    count: {
      CREATE: count(OPCODES.CREATE),
      CALL: count(OPCODES.CALL),
      CALLCODE: count(OPCODES.CALLCODE),
      DELEGATECALL: count(OPCODES.DELEGATECALL),
      CREATE2: count(OPCODES.CREATE2),
      STATICCALL: count(OPCODES.STATICCALL),
      SELFDESTRUCT: count(OPCODES.SELFDESTRUCT),
      SSTORE: count(OPCODES.SSTORE),
      TLOAD: count(OPCODES.TLOAD),
      TSTORE: count(OPCODES.TSTORE),
    },
    selectors: sorted(instructions.flatMap((each, index) => (isDispatch(instructions, index) ? [hexOf(each.operand)] : []))),
    addresses: sorted(
      instructions.flatMap(({ opcode, operand }) =>
        opcode === PUSH20 && operand.some((byte) => byte !== 0xff) ? [addressSchema.parse(hexOf(operand))] : [],
      ),
    ),
  };
}

function withoutMetadata(code: Uint8Array): Uint8Array {
  const length = code.length < 2 ? 0 : 256 * (code.at(-2) ?? 0) + (code.at(-1) ?? 0) + 2;
  return length > code.length ? code : code.subarray(0, code.length - length);
}

const NOTHING = new Uint8Array();

/** Linear disassembly; the bytes after a PUSH are its operand. */
export function instructionsOf(code: Uint8Array): Instruction[] {
  const instructions: Instruction[] = [];
  for (let offset = 0; offset < code.length; ) {
    const opcode = code[offset] ?? 0;
    const pushed = opcode >= PUSH0 && opcode <= PUSH32 ? opcode - PUSH0 : 0;
    instructions.push({ offset, opcode, operand: pushed === 0 ? NOTHING : code.subarray(offset + 1, offset + 1 + pushed) });
    offset += 1 + pushed;
  }
  return instructions;
}

/**
 * Drops code after a terminating instruction unless it is a pushed jump target: constant data would otherwise be parsed as instructions.
 */
function reachable(instructions: readonly Instruction[]): Instruction[] {
  const targets = new Set(instructions.flatMap(({ operand }) => (operand.length > 0 && operand.length <= 3 ? [numberOf(operand)] : [])));
  let runs = true;
  return instructions.filter(({ offset, opcode }) => {
    if (opcode === JUMPDEST && targets.has(offset)) runs = true;
    const did = runs;
    if (ENDS.has(opcode)) runs = false;
    return did;
  });
}

function isDispatch(instructions: readonly Instruction[], index: number): boolean {
  if (instructions[index]?.opcode !== PUSH4) return false;
  const next = instructions.slice(index + 1, index + 1 + DISPATCH).map(({ opcode }) => opcode);
  const compared = next.findIndex((opcode) => COMPARES.has(opcode));
  return compared >= 0 && next.indexOf(JUMPI) > compared;
}

function numberOf(operand: Uint8Array): number {
  return operand.reduce((value, byte) => 256 * value + byte, 0);
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

function sorted<Text extends string>(values: readonly Text[]): Text[] {
  return [...new Set(values)].sort();
}

/**
 * How Solidity's numbers are written for z3: as bit vectors, which decide every question of packing, or as whole numbers, which decide
 * questions of arithmetic that vectors of 256 bits are too large for.
 */

/** An expression of z3, with its value where that is known. */
export interface Num {
  readonly kind: "number";
  readonly bits: number;
  readonly smt: string;
  readonly constant?: bigint;
  /** So many of the lowest bits are known to be zero. */
  readonly zeros?: number;
}

export interface Theory {
  /** Sort of a number. */
  sort(bits: number): string;
  literal(value: bigint, bits: number): Num;
  /** What holds of every number of this width, beyond its sort. */
  range(smt: string, bits: number): string | undefined;
  /** Cut to, or widened to, so many bits. */
  resize(a: Num, bits: number): string;
  /** The operation as EVM code does it, modulo 2ⁿ; undefined when the theory cannot say it. */
  wrapping(operator: string, a: Num, b: Num): string | undefined;
  /** When the operation leaves its type; undefined when it never does. */
  overflow(operator: string, a: Num, b: Num): string | undefined;
  less(a: string, b: string): string;
}

const mask = (bits: number) => (1n << BigInt(bits)) - 1n;

export const BIT_VECTORS: Theory = {
  sort: (bits) => `(_ BitVec ${bits})`,
  literal: (value, bits) => ({ kind: "number", bits, smt: `(_ bv${value & mask(bits)} ${bits})`, constant: value & mask(bits) }),
  range: () => undefined,
  resize: (a, bits) => (bits < a.bits ? `((_ extract ${bits - 1} 0) ${a.smt})` : `((_ zero_extend ${bits - a.bits}) ${a.smt})`),
  wrapping(operator, { smt: a }, { smt: b }) {
    const names: Record<string, string> = {
      "+": "bvadd",
      "-": "bvsub",
      "*": "bvmul",
      "/": "bvudiv",
      "%": "bvurem",
      "&": "bvand",
      "|": "bvor",
      "^": "bvxor",
      "<<": "bvshl",
      ">>": "bvlshr",
    };
    const name = names[operator];
    return name && `(${name} ${a} ${b})`;
  },
  overflow(operator, { smt: a, bits }, { smt: b }) {
    if (operator === "+") return `(bvult (bvadd ${a} ${b}) ${a})`;
    if (operator === "-") return `(bvult ${a} ${b})`;
    if (operator === "*") return `(not (bvumul_noovfl ${a} ${b}))`;
    return operator === "/" || operator === "%" ? `(= ${b} (_ bv0 ${bits}))` : undefined;
  },
  less: (a, b) => `(bvult ${a} ${b})`,
};

export const WHOLE_NUMBERS: Theory = {
  sort: () => "Int",
  literal: (value, bits) => ({ kind: "number", bits, smt: `${value}`, constant: value }),
  range: (smt, bits) => `(and (<= 0 ${smt}) (<= ${smt} ${mask(bits)}))`,
  resize: (a, bits) => (bits < a.bits ? `(mod ${a.smt} ${mask(bits) + 1n})` : a.smt),
  wrapping(operator, a, b) {
    const power = b.constant === undefined ? undefined : 1n << b.constant;
    if (operator === "<<") return power === undefined ? undefined : `(mod (* ${a.smt} ${power}) ${mask(a.bits) + 1n})`;
    if (operator === ">>") return power === undefined ? undefined : `(div ${a.smt} ${power})`;
    if (operator === "&")
      return b.constant !== undefined && (b.constant & (b.constant + 1n)) === 0n ? `(mod ${a.smt} ${b.constant + 1n})` : undefined;
    // Bits that fill the empty ones are as good as added.
    if (operator === "|" && b.constant !== undefined && b.constant < 1n << BigInt(a.zeros ?? 0)) return `(+ ${a.smt} ${b.constant})`;
    const exact = wholeNumber(operator, a.smt, b.smt);
    return exact && (operator === "/" || operator === "%" ? exact : `(mod ${exact} ${mask(a.bits) + 1n})`);
  },
  overflow(operator, a, b) {
    if (operator === "+" || operator === "*") return `(> ${wholeNumber(operator, a.smt, b.smt)} ${mask(a.bits)})`;
    if (operator === "-") return `(< ${a.smt} ${b.smt})`;
    return operator === "/" || operator === "%" ? `(= ${b.smt} 0)` : undefined;
  },
  less: (a, b) => `(< ${a} ${b})`,
};

/** The operation as numbers do it, where it did not leave its type. */
export function wholeNumber(operator: string, a: string, b: string): string | undefined {
  const names: Record<string, string> = { "+": "+", "-": "-", "*": "*", "/": "div", "%": "mod" };
  const name = names[operator];
  return name && `(${name} ${a} ${b})`;
}

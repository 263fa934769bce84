/**
 * Gas of a mined transaction by class of opcode and by the contract whose code ran, from the steps that
 * `debug_traceTransaction` lists. A step's cost is the gas before it minus the gas before the next step of its frame.
 */
import { zeroAddress } from "viem";
import { z } from "zod";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { type Address, type Hash, hexSchema } from "../../orchestrator/primitives/hex.ts";

/** JSON-RPC of a node with traces: Hardhat, Anvil, Geth. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

export const GAS_CLASSES = [
  "base price",
  "calldata",
  "signature recovery",
  "other precompiles",
  "SSTORE, new",
  "SSTORE, changed",
  "SSTORE, written before",
  "SLOAD, cold",
  "SLOAD, warm",
  "transient storage",
  "calls, code lookups",
  "contract creation",
  "LOG",
  "KECCAK",
  "memory, copies",
  "stack, jumps, arithmetic",
  "refunds",
] as const;
export type GasClass = (typeof GAS_CLASSES)[number];

/** Classes of pure computation, whose share `mission-8-compute` limits. */
export const COMPUTE: readonly GasClass[] = ["KECCAK", "memory, copies", "stack, jumps, arithmetic"];

/** Gas of one transaction; the cells sum to `used`. */
export interface GasTrace {
  /** Selector of the called function: `0x` and eight digits, fewer if the calldata is shorter. */
  readonly selector: string;
  readonly used: number;
  readonly steps: number;
  readonly cells: readonly GasCell[];
}

export interface GasCell {
  readonly class: GasClass;
  /** Address of the code that ran; absent for costs before any code runs, and for refunds. */
  readonly code?: Address;
  readonly gas: number;
}

const quantity = z.union([z.number(), z.string().regex(/^0x[0-9a-f]+$/i)]).transform(Number);
const Step = z.object({ op: z.string(), gas: quantity, gasCost: quantity, depth: quantity, stack: z.array(z.string()) });
type Step = z.infer<typeof Step>;
const Trace = z.object({ structLogs: z.array(Step) });
const Transaction = z.object({ to: addressSchema.nullable(), input: hexSchema });
const Receipt = z.object({ gasUsed: quantity, contractAddress: addressSchema.nullish() });

/** Traces a mined transaction; of one that creates a contract, refunds are counted against the price of creation. Throws what the node throws, and a ZodError when its answer is not a trace. */
export async function traceGas(ask: Ask, hash: Hash): Promise<GasTrace> {
  const options = { disableStorage: true, disableMemory: true, enableMemory: false };
  const { structLogs } = Trace.parse(await ask("debug_traceTransaction", [hash, options]));
  const { to, input } = Transaction.parse(await ask("eth_getTransactionByHash", [hash]));
  const { gasUsed, contractAddress } = Receipt.parse(await ask("eth_getTransactionReceipt", [hash]));
  const code = to ?? contractAddress;
  const cells = code == null ? [] : new Frames(structLogs).cells(code);
  const paid: GasCell[] = [{ class: "base price", gas: BASE }, { class: "calldata", gas: calldataGas(input) }, ...cells];
  return {
    selector: input.slice(0, 10),
    used: gasUsed,
    steps: structLogs.length,
    cells: [...paid, { class: to === null ? "contract creation" : "refunds", gas: gasUsed - sumOf(paid) }],
  };
}

/** Placeholder for a contract under construction, whose address is not on the stack yet. */
export const CREATED: Address = zeroAddress;

/** Gas of a class, or of several, in a trace or in several. */
export function gasIn(traces: readonly GasTrace[], classes: readonly GasClass[]): number {
  return sumOf(traces.flatMap(({ cells }) => cells.filter((cell) => classes.includes(cell.class))));
}

const sumOf = (cells: readonly GasCell[]): number => cells.reduce((sum, { gas }) => sum + gas, 0);

const BASE = 21_000;
const ZERO_BYTE = 4;
const BYTE = 16;

function calldataGas(input: string): number {
  const bytes = Buffer.from(input.slice(2), "hex");
  return bytes.reduce((gas, byte) => gas + (byte === 0 ? ZERO_BYTE : BYTE), 0);
}

/** First gas of a cold access of an account or a slot (EIP-2929), and of a store into an empty slot or an untouched one. */
const COLD_SLOAD = 2100;
const NEW_SLOT = 20_000;
const CHANGED_SLOT = 2900;
const LAST_PRECOMPILE = 0x11n;
const ECRECOVER = 1n;

const CALLS = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]);
const CREATIONS = new Set(["CREATE", "CREATE2"]);
const LOOKUPS = new Set(["EXTCODESIZE", "EXTCODEHASH", "EXTCODECOPY", "BALANCE", "SELFBALANCE"]);
const MEMORY = new Set(["MLOAD", "MSTORE", "MSTORE8", "MCOPY", "CALLDATACOPY", "CODECOPY", "RETURNDATACOPY"]);
/** Steps that return unused gas; a frame that ends otherwise has spent all of it. */
const RETURNS = new Set(["STOP", "RETURN", "REVERT", "SELFDESTRUCT"]);

function classOf(op: string, cost: number): GasClass {
  if (op === "SSTORE") return cost >= NEW_SLOT ? "SSTORE, new" : cost >= CHANGED_SLOT ? "SSTORE, changed" : "SSTORE, written before";
  if (op === "SLOAD") return cost >= COLD_SLOAD ? "SLOAD, cold" : "SLOAD, warm";
  if (op === "TLOAD" || op === "TSTORE") return "transient storage";
  if (op === "KECCAK256" || op === "SHA3") return "KECCAK";
  if (op.startsWith("LOG")) return "LOG";
  if (LOOKUPS.has(op)) return "calls, code lookups";
  return MEMORY.has(op) ? "memory, copies" : "stack, jumps, arithmetic";
}

const addressOn = (stack: readonly string[]): bigint => {
  const word = stack.at(-2) ?? "0";
  return BigInt(word.startsWith("0x") ? word : `0x${word}`) & ((1n << 160n) - 1n);
};

/** The steps of one transaction, read frame by frame. */
class Frames {
  #at = 0;
  readonly #sums = new Map<Address, Map<GasClass, number>>();
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  cells(code: Address): GasCell[] {
    if (this.#steps.length > 0) this.#frame(code);
    return [...this.#sums].flatMap(([of, classes]) => [...classes].map(([name, gas]) => ({ class: name, code: of, gas })));
  }

  /** Reads a frame that runs this code, to its last step; returns the gas it spent, with what it called. */
  #frame(code: Address): number {
    const depth = this.#steps[this.#at]?.depth ?? 0;
    let spent = 0;
    for (let step = this.#steps[this.#at]; step !== undefined && step.depth === depth; step = this.#steps[this.#at]) {
      this.#at += 1;
      spent += this.#step(step, code);
    }
    return spent;
  }

  #step(step: Step, code: Address): number {
    const inner = (this.#steps[this.#at]?.depth ?? 0) > step.depth ? this.#frame(this.#entered(step)) : 0;
    const next = this.#steps[this.#at];
    const cost = next?.depth === step.depth ? step.gas - next.gas : RETURNS.has(step.op) ? step.gasCost : step.gas;
    this.#add(code, this.#classed(step, cost), cost - inner);
    return cost;
  }

  #classed({ op, stack }: Step, cost: number): GasClass {
    if (CREATIONS.has(op)) return "contract creation";
    if (!CALLS.has(op)) return classOf(op, cost);
    const called = addressOn(stack);
    if (called === ECRECOVER) return "signature recovery";
    return called > 0n && called <= LAST_PRECOMPILE ? "other precompiles" : "calls, code lookups";
  }

  #entered({ op, stack }: Step): Address {
    return CREATIONS.has(op) ? CREATED : addressSchema.parse(`0x${addressOn(stack).toString(16).padStart(40, "0")}`);
  }

  #add(code: Address, name: GasClass, gas: number): void {
    const classes = this.#sums.get(code) ?? new Map<GasClass, number>();
    classes.set(name, (classes.get(name) ?? 0) + gas);
    this.#sums.set(code, classes);
  }
}

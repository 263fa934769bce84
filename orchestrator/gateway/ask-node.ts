import { type Address, type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { Chain, Request } from "../chain/chain.ts";
import { isUnreachable } from "../chain/errors.ts";
import type { Changed } from "../chain/storage.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";

/** A call, with code overrides for accounts. */
export interface Supposed {
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly stateOverride: readonly { readonly address: Address; readonly code: Hex }[];
}

export interface LogOf {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Methods by which a node can report a call's effects, best first. */
export const REPORTING = ["debug_traceCall", "eth_simulateV1"] as const;
type Reporting = (typeof REPORTING)[number];

/** A node's report of a call's effects. */
export interface NodeReport {
  readonly method: Reporting;
  readonly logs: readonly LogOf[];
  /** By contract; undefined if the method does not report storage. */
  readonly storage: ReadonlyMap<Address, Changed> | undefined;
}

/** Why a method gave no report. */
export interface Unreported {
  readonly method: Reporting;
  /** The node's own message, if any. */
  readonly reason: string;
}

export interface NodeAnswer {
  readonly report?: NodeReport;
  /** Methods that were tried before without success. */
  readonly unreported: readonly Unreported[];
}

/** The node's report contradicts the call's result. */
class ToldOtherwise extends AgentCityError {
  constructor(reason: string) {
    super("ToldOtherwise", reason);
  }
}

/** Maximum length of a node's message. */
const MAX_WORDS = 200;

const ZERO: Hex = `0x${"0".repeat(64)}`;
const logSchema = z.object({ address: addressSchema, topics: z.array(hashSchema), data: hexSchema });

const frameSchema = z.object({
  error: z.string().optional(),
  logs: z.array(z.object({ ...logSchema.shape, index: z.coerce.number().optional() })).default([]),
  get calls() {
    return z.array(frameSchema).default([]);
  },
});
type Frame = z.infer<typeof frameSchema>;

const wordsSchema = z.record(addressSchema, z.object({ storage: z.record(hashSchema, hashSchema).default({}) }));
const differenceSchema = z.object({ pre: wordsSchema, post: wordsSchema });

const blocksSchema = z.array(z.object({ calls: z.array(z.object({ status: z.string(), logs: z.array(logSchema).default([]) })) }));

/**
 * Reports a call's effects in the next block by the node's best available method, and why better ones failed; no report if none works or
 * overrides are ignored: EDR's trace runs the accounts' own code. The call is known to succeed.
 */
export async function askNode({ simulation }: Pick<Chain, "simulation">, call: Supposed): Promise<NodeAnswer> {
  const unreported: Unreported[] = [];
  if (simulation === undefined) return { unreported };
  for (const method of REPORTING) {
    try {
      return { report: await ASK[method](simulation, call), unreported };
    } catch (error) {
      // Nodes report unsupported methods and options in different ways.
      if (isUnreachable(error)) throw error;
      unreported.push({ method, reason: reasonOf(error) });
    }
  }
  return { unreported };
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return "it answered in an unknown format";
  return messageOf(error).slice(0, MAX_WORDS);
}

const ASK: Readonly<Record<Reporting, (simulation: Request, call: Supposed) => Promise<NodeReport>>> = {
  debug_traceCall: trace,
  eth_simulateV1: simulateBlock,
};

const overridesOf = ({ stateOverride }: Supposed) => Object.fromEntries(stateOverride.map(({ address, code }) => [address, { code }]));
const transactionOf = ({ to, data, gas }: Supposed) => ({ to, data, gas: numberToHex(gas) });

async function trace(simulation: Request, call: Supposed): Promise<NodeReport> {
  const ask = (tracer: string, tracerConfig: object) =>
    simulation({
      method: "debug_traceCall",
      params: [transactionOf(call), "pending", { tracer, tracerConfig, stateOverrides: overridesOf(call) }],
    });
  const frame = frameSchema.parse(await ask("callTracer", { withLog: true }));
  if (frame.error !== undefined) throw new ToldOtherwise(`the call fails in its trace: ${frame.error}`);
  const { pre, post } = differenceSchema.parse(await ask("prestateTracer", { diffMode: true }));
  const storage = new Map<Address, Changed>();
  for (const address of new Set([...Object.keys(pre), ...Object.keys(post)] as Address[])) {
    const [before, after] = [pre[address]?.storage ?? {}, post[address]?.storage ?? {}];
    // A word that is zero is omitted on its side.
    const words = [...new Set([...Object.keys(before), ...Object.keys(after)] as Hex[])];
    if (words.length > 0) storage.set(address, new Map(words.map((word) => [BigInt(word), [before[word] ?? ZERO, after[word] ?? ZERO]])));
  }
  const logs = logsOf(frame).sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return { method: "debug_traceCall", logs, storage };
}

/** Logs that were not reverted. */
const logsOf = ({ error, logs, calls }: Frame): Frame["logs"] => (error === undefined ? [...logs, ...calls.flatMap(logsOf)] : []);

async function simulateBlock(simulation: Request, call: Supposed): Promise<NodeReport> {
  const block = { stateOverrides: overridesOf(call), calls: [transactionOf(call)] };
  const answer = await simulation({ method: "eth_simulateV1", params: [{ blockStateCalls: [block] }, "latest"] });
  const [made] = blocksSchema.parse(answer)[0]?.calls ?? [];
  if (made?.status !== "0x1") throw new ToldOtherwise("the call fails in its simulated block");
  return { method: "eth_simulateV1", logs: made.logs, storage: undefined };
}

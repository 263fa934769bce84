import type { ContractTransactionResponse } from "ethers";
import { z } from "zod";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { type GasTrace, traceGas } from "../../scripts/bench/trace.ts";
import { ethers } from "../support/city-fixture.ts";

/** Gas of each sample of an operation; several rows may share a transaction. */
export type Samples = Record<string, number[]>;

/** Base price of a transaction. */
export const TRANSACTION = 21_000;

/** Gas that a transaction used. */
export async function gasOf(sent: Promise<ContractTransactionResponse>): Promise<number> {
  const receipt = await (await sent).wait();
  if (receipt == null || receipt.status !== 1) throw new Error("a measured transaction failed");
  return Number(receipt.gasUsed);
}

interface Call {
  to?: string | undefined;
  input: string;
  gasUsed: string;
  calls?: Call[] | undefined;
}
const Call: z.ZodType<Call> = z.object({
  to: z.string().optional(),
  input: z.string(),
  gasUsed: z.string(),
  get calls() {
    return z.array(Call).optional();
  },
});

/** Gas of the calls to these functions inside a transaction, whatever their depth; what they call in turn is in it. */
export async function gasInside(hash: string, selectors: readonly string[]): Promise<number> {
  const trace = Call.parse(await ethers.provider.send("debug_traceTransaction", [hash, { tracer: "callTracer" }]));
  const found = new Map<string, number>();
  const visit = (call: Call): void => {
    const selector = call.input.slice(0, 10);
    if (selectors.includes(selector)) found.set(selector, (found.get(selector) ?? 0) + Number(call.gasUsed));
    else for (const inner of call.calls ?? []) visit(inner);
  };
  visit(trace);
  const missing = selectors.filter((selector) => !found.has(selector));
  if (missing.length > 0) throw new Error(`not called in ${hash}: ${missing.join(", ")}`);
  return [...found.values()].reduce((sum, gas) => sum + gas, 0);
}

/** Blocks after one and up to another. */
export interface BlockRange {
  readonly after: number;
  readonly last: number;
}

export const latestBlock = (): Promise<number> => ethers.provider.getBlockNumber();

/** What each transaction in these blocks did with its gas. */
export async function tracesIn({ after, last }: BlockRange): Promise<GasTrace[]> {
  const traces = [];
  for (let number = after + 1; number <= last; number++) {
    const block = await ethers.provider.getBlock(number);
    for (const hash of block?.transactions ?? [])
      traces.push(await traceGas((method, params) => ethers.provider.send(method, [...params]), hexSchema.parse(hash)));
  }
  return traces;
}

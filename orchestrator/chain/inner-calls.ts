import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import type { Chain, Request } from "./chain.ts";
import { isTooHeavy, RpcUnreachable } from "./errors.ts";

const frameSchema = z.object({
  type: z.string(),
  from: addressSchema,
  to: addressSchema.optional(),
  input: hexSchema,
  output: hexSchema.optional(),
  error: z.string().optional(),
  get calls() {
    return z.array(frameSchema).optional();
  },
});
/** A call and the calls that it made. */
export type CallFrame = z.output<typeof frameSchema>;

/** A mined transaction's calls; undefined if the node does not trace them. Throws RpcUnreachable, TooHeavy. */
export async function callTraceOf(node: Request, hash: Hash): Promise<CallFrame | undefined> {
  try {
    return frameSchema.parse(await node({ method: "debug_traceTransaction", params: [hash, { tracer: "callTracer" }] }));
  } catch (error) {
    if (error instanceof RpcUnreachable || isTooHeavy(error)) throw error;
    return undefined;
  }
}

/**
 * Inputs of a transaction's calls to a contract that took effect, in the order in which they were made, whoever made them. Undefined if other
 * contracts made them and the node traces no calls.
 */
export async function callsTo(
  { publicClient, callTrace }: Pick<Chain, "publicClient" | "callTrace">,
  contract: Address,
  hash: Hash,
): Promise<readonly Hex[] | undefined> {
  const { to, input } = await publicClient.getTransaction({ hash });
  if (to?.toLowerCase() === contract.toLowerCase()) return [input];
  const trace = await callTrace(hash);
  return trace && callsIn(trace, contract);
}

/** What reverts has no effect, nor has what it called. */
function callsIn({ type, to, input, error, calls = [] }: CallFrame, contract: Address): readonly Hex[] {
  if (error !== undefined) return [];
  const isThis = type === "CALL" && to?.toLowerCase() === contract.toLowerCase();
  return [...(isThis ? [input] : []), ...calls.flatMap((call) => callsIn(call, contract))];
}

/** Calls that took effect by which a transaction entered one of these contracts, in lower case, from outside all of them, in order. */
export function entriesIn({ type, from, to, input, error, calls = [] }: CallFrame, contracts: ReadonlySet<string>): readonly Entry[] {
  if (error !== undefined) return [];
  if (to !== undefined && contracts.has(to.toLowerCase())) return type === "CALL" ? [{ from, to, input }] : [];
  return calls.flatMap((call) => entriesIn(call, contracts));
}

/** A call of a contract, as `entriesIn` finds it. */
export interface Entry {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

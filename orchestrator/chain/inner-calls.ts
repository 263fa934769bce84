import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import type { Chain } from "./chain.ts";
import { RpcUnreachable } from "./errors.ts";

const frameSchema = z.object({
  type: z.string(),
  to: addressSchema.optional(),
  input: hexSchema,
  error: z.string().optional(),
  get calls() {
    return z.array(frameSchema).optional();
  },
});
type Frame = z.output<typeof frameSchema>;

/**
 * Inputs of a transaction's calls to a contract that took effect, in the order in which they were made, whoever made them. Undefined if other
 * contracts made them and the node traces no calls.
 */
export async function callsTo(
  { publicClient, request }: Pick<Chain, "publicClient" | "request">,
  contract: Address,
  hash: Hash,
): Promise<readonly Hex[] | undefined> {
  const { to, input } = await publicClient.getTransaction({ hash });
  if (to?.toLowerCase() === contract.toLowerCase()) return [input];
  try {
    const trace = await request({ method: "debug_traceTransaction", params: [hash, { tracer: "callTracer" }] });
    return callsIn(frameSchema.parse(trace), contract);
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error;
    return undefined;
  }
}

/** What reverts has no effect, nor has what it called. */
function callsIn({ type, to, input, error, calls = [] }: Frame, contract: Address): readonly Hex[] {
  if (error !== undefined) return [];
  const isThis = type === "CALL" && to?.toLowerCase() === contract.toLowerCase();
  return [...(isThis ? [input] : []), ...calls.flatMap((call) => callsIn(call, contract))];
}

import type { PublicClient } from "viem";
import { z } from "zod";
import type { Hash, Hex } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import type { Request } from "./chain.ts";
import { RpcUnreachable } from "./errors.ts";
import { revertOf } from "./revert.ts";

/** Revert data from a trace, or from repeating the call on the state before its block if the node has no traces. */
export async function revertDataOf(node: Request, client: PublicClient, hash: Hash): Promise<Hex | undefined> {
  try {
    const trace = await node({ method: "debug_traceTransaction", params: [hash, { tracer: "callTracer" }] });
    return z.object({ output: hexSchema.optional() }).parse(trace).output;
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error;
    const { from, to, input, value, gas, blockNumber } = await client.getTransaction({ hash });
    if (blockNumber === null) return undefined;
    const again = client.call({ account: from, to, data: input, value, gas, blockNumber: blockNumber - 1n });
    return again.then(
      () => undefined,
      (revert: unknown) => revertOf(revert)?.data,
    );
  }
}

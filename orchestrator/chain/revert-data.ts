import type { Hash, Hex } from "../primitives/hex.ts";
import type { Chain } from "./chain.ts";
import { revertOf } from "./revert.ts";

/** Revert data from a trace, or from repeating the call on the state before its block if the node has no traces. */
export async function revertDataOf(
  { publicClient, callTrace }: Pick<Chain, "publicClient" | "callTrace">,
  hash: Hash,
): Promise<Hex | undefined> {
  const trace = await callTrace(hash);
  if (trace !== undefined) return trace.output;
  const { from, to, input, value, gas, blockNumber } = await publicClient.getTransaction({ hash });
  if (blockNumber === null) return undefined;
  const again = publicClient.call({ account: from, to, data: input, value, gas, blockNumber: blockNumber - 1n });
  return again.then(
    () => undefined,
    (revert: unknown) => revertOf(revert)?.data,
  );
}

import type { City } from "../city.ts";
import { ChainFull } from "../errors.ts";

/** Blocks of an embedded chain, all of which are executed again whenever the city opens: from the first on it says so, from the second on nothing new begins. */
export const EMBEDDED_BLOCKS = { warned: 2_000, most: 10_000 } as const;

/** Before a new mission. Throws ChainFull on an embedded chain that is too long to open quickly. */
export function requireShortChain({
  chain,
  progress,
}: Pick<City, "progress"> & { readonly chain: Pick<City["chain"], "kind" | "head"> }): void {
  if (chain.kind !== "embedded") return;
  const blocks = Number(chain.head().number);
  if (blocks >= EMBEDDED_BLOCKS.most) throw new ChainFull(blocks, EMBEDDED_BLOCKS.most);
  if (blocks >= EMBEDDED_BLOCKS.warned)
    progress(
      `this embedded chain has ${blocks} blocks, and executes all of them whenever it is opened; at ${EMBEDDED_BLOCKS.most} it takes no new mission. ` +
        "A city that stays runs on --network anvil",
    );
}

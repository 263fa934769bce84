import { zeroHash } from "viem";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import type { Blocks } from "../../records/blocks.ts";

/** The text of a justification that adjudicators signed, if this city stores it. */
export function textOf(blocks: Pick<Blocks, "has" | "get">, digest: Hash): string | null {
  if (digest === zeroHash) return null;
  const id = contentIdFromDigest(digest);
  return blocks.has(id) ? new TextDecoder().decode(blocks.get(id)) : null;
}

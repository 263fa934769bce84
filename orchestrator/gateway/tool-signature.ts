import { isAddressEqual, recoverMessageAddress } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { sha256 } from "../primitives/hash.ts";
import type { Hex } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject } from "../primitives/json.ts";
import { Refused } from "./errors.ts";
import type { SignedBy } from "./http-signature.ts";
import { hasLowS, SIGNATURE_LIFE } from "./signature-base.ts";
import { address, seconds } from "./wire.ts";

/** A key's signature over one use of one tool: for callers whose client sends its own HTTP requests, as MCP's do. */
export const toolSignature = z
  .strictObject({
    key: address,
    nonce: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/),
    expires: seconds,
    signature: z.string().regex(/^0x[0-9a-f]{130}$/),
  })
  .meta({ description: "EIP-191 by `key` over six lines: docs/gateway.md, Tools that sign" });
export type ToolSignature = z.infer<typeof toolSignature>;

/** What is signed, of which city. */
export interface ToolUse {
  readonly chainId: number;
  /** Host and port by which the city is called. */
  readonly authority: string;
  readonly tool: string;
  /** All fields of the tool but its signature. */
  readonly fields: JsonObject;
}

/** The text that is signed for the use of a tool. */
function toolText({ chainId, authority, tool, fields }: ToolUse, { nonce, expires }: Pick<ToolSignature, "nonce" | "expires">): string {
  return [`AgentCity tool ${tool}`, authority, chainId, sha256(canonicalBytes(fields)), nonce, expires].join("\n");
}

/** Who signed this use of a tool. Throws BadSignature. The nonce is still to be consumed. `now`: unix seconds. */
export async function signerOfTool(use: ToolUse, by: ToolSignature, now: number): Promise<SignedBy> {
  const bad = (problem: string) => new Refused("BadSignature", `The signature of this use of ${use.tool} is not good: ${problem}`);
  if (by.expires < now) throw bad("it has expired");
  if (by.expires > now + SIGNATURE_LIFE) throw bad(`it may live for ${SIGNATURE_LIFE} s: compare your clock`);
  const signature = by.signature satisfies string as Hex;
  if (!hasLowS(signature)) throw bad("it is not in the one form of its kind");
  const text = toolText(use, by);
  const signer = await recoverMessageAddress({ message: text, signature }).catch(() => undefined);
  const key = addressSchema.parse(by.key.toLowerCase());
  if (signer === undefined || !isAddressEqual(signer, key)) throw bad("it is not by the key that it names, over these fields");
  return { key, nonce: by.nonce, expires: by.expires, signed: { text, signature } };
}

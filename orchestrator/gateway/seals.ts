import { z } from "zod";
import { sha256Bytes } from "../primitives/hash.ts";
import { type Hex, hexToBytes } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonObject } from "../primitives/json.ts";
import { type ByteSigner, signerOf } from "../primitives/signing.ts";

/** What the gateway signs by itself: for each a key of its own is made of the operator's, so that no signature is taken for another's. */
const PURPOSES = { card: "AgentCity agent card\n", claims: "AgentCity claim attestation\n", canaries: "AgentCity canaries\n" } as const;

/** A secret of its own for a purpose. `operator`: the operator's secret key. */
export function secretFor(purpose: keyof typeof PURPOSES, operator: Hex): Uint8Array {
  return sha256Bytes(Buffer.concat([new TextEncoder().encode(PURPOSES[purpose]), hexToBytes(operator)]));
}

/** The Ed25519 key for a purpose. */
export function sealFor(purpose: keyof typeof PURPOSES, operator: Hex): ByteSigner {
  return signerOf("ed25519", secretFor(purpose, operator));
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** A public Ed25519 key as JSON Web Key (RFC 8037); its id is its thumbprint (RFC 7638). */
export const webKeySchema = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  kid: z.string(),
  alg: z.literal("EdDSA"),
  use: z.literal("sig"),
});
export type WebKey = z.infer<typeof webKeySchema>;

export function webKeyOf({ publicKey }: ByteSigner): WebKey {
  const key = { crv: "Ed25519", kty: "OKP", x: base64url(hexToBytes(publicKey.key)) } as const;
  return { ...key, kid: base64url(sha256Bytes(canonicalBytes(key))), alg: "EdDSA", use: "sig" };
}

/**
 * A card under its city's signature (A2A 1.0, 8.4; RFC 7515): over the RFC 8785 text of all but `signatures`. The card holds nothing that a
 * reader leaves out of what it checks: no empty text, list or object, and no flag that says what its absence says.
 */
export function signedCard(card: JsonObject, by: ByteSigner, keysUrl: string): JsonObject {
  const { kid, alg } = webKeyOf(by);
  const header = base64url(canonicalBytes({ alg, jku: keysUrl, kid, typ: "JOSE" }));
  const said = new TextEncoder().encode(`${header}.${base64url(new TextEncoder().encode(canonicalJson(card)))}`);
  return { ...card, signatures: [{ protected: header, signature: base64url(hexToBytes(by.sign(said))) }] };
}

import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import { asciiBytes, type Hash } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import type { Signature, Signer } from "./signature.ts";

/** Kinds of signed objects; part of the message, so that a signature over one kind is invalid for another. */
export type SealedKind =
  | "obligation"
  | "binding"
  | "pause"
  | "margin"
  | "appeal"
  | "appeal-record"
  | "hop"
  | "envelope"
  | "verifier-output"
  | "clearing-decision"
  | "override"
  | "settlement-instruction"
  | "passport-delta"
  | "passport-card"
  | "report-card"
  | "finality"
  | "cancellation"
  | "exit"
  | "delegation"
  | "hearing"
  | "human-act";

/** SHA-256 of the RFC 8785 bytes. An object's hash covers everything except that hash and its signatures (RAILS 4.2, A.4.4). */
export function hashOf(body: object): Hash {
  return sha256(canonicalJson(body));
}

/** The bytes that a signature over a hash covers. */
export function messageOf(kind: SealedKind, hash: Hash): Uint8Array {
  return asciiBytes(`rails/1 ${kind} ${hash}`);
}

export function signHash(signer: Signer, kind: SealedKind, hash: Hash): Signature {
  return signer.sign(messageOf(kind, hash));
}

/** The object without some of its fields. */
export function without<Value extends object, Key extends keyof Value>(value: Value, ...keys: readonly Key[]): Omit<Value, Key> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

/** SHA-256 in the paper's form of references: `sha256:0x…`. */
export type Ref = `sha256:${Hash}`;
export const refSchema = z.custom<Ref>(
  (value) => typeof value === "string" && /^sha256:0x[0-9a-f]{64}$/.test(value),
  "expected sha256:0x and 64 hex digits",
);

export function refOf(content: unknown): Ref {
  return `sha256:${sha256(canonicalJson(content))}`;
}

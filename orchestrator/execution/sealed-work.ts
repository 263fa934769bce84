import { gcm } from "@noble/ciphers/aes.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concat } from "viem";
import { z } from "zod";
import { type Hash, hashSchema, hexToBytes } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import type { Opening } from "../rules/commitments.ts";
import { merkleRoot } from "../rules/ordered-merkle.ts";
import { outputHashOf } from "./work.ts";

/** An output with the trail of its run, sealed together, since either would reveal an easily guessed output. */
export interface FinishedWork {
  readonly output: JsonObject;
  readonly trail: readonly Hash[];
}

/** The work that a seal is for. The salt is that of its commitment, known to its executor alone until the commitment is opened. */
export interface SealOf {
  readonly salt: Hash;
  readonly obligation: Hash;
  readonly slot: number;
}

/** Plaintext is padded with spaces to multiples of this, since a length would distinguish answers. */
const FILLED_TO = 1_024;
const SPACE = 0x20;
const [KEY_BYTES, NONCE_BYTES] = [32, 12];

export const finishedSchema = z.strictObject({
  output: z.record(z.string(), z.json()),
  trail: z.array(hashSchema).max(4_096),
});

/**
 * AES-256-GCM under HKDF-SHA-256 of the salt. A salt encrypts one plaintext only, so the nonce can be derived from it too: the sealed work
 * is on disk before it is encrypted.
 */
function cipherOf({ salt, obligation, slot }: SealOf) {
  const place = hexToBytes(concat([obligation, `0x${slot.toString(16).padStart(2, "0")}`]));
  const bytes = hkdf(sha256, hexToBytes(salt), undefined, place, KEY_BYTES + NONCE_BYTES);
  return gcm(bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES));
}

/** Encrypts work to hand in where outputs are compared: no one can read it before the salt is on chain (decision 92). */
export function sealWork({ output, trail }: FinishedWork, of: SealOf): Uint8Array {
  const text = canonicalBytes({ output, trail });
  const filled = new Uint8Array(Math.ceil(text.length / FILLED_TO) * FILLED_TO).fill(SPACE);
  filled.set(text);
  return cipherOf(of).encrypt(filled);
}

/** Decrypts sealed work; undefined for bytes that this salt does not decrypt, or that are not work. */
export function unsealWork(bytes: Uint8Array, of: SealOf): FinishedWork | undefined {
  let text: Uint8Array;
  try {
    text = cipherOf(of).decrypt(bytes);
  } catch {
    return undefined;
  }
  try {
    return finishedSchema.safeParse(parseJsonBytes(text)).data;
  } catch {
    return undefined;
  }
}

/** Decrypts sealed work with the opening of its commitment; undefined if the two do not match: then nothing was handed in. */
export function openWork(
  bytes: Uint8Array,
  place: Omit<SealOf, "salt">,
  { salt, outputHash, trailRoot }: Pick<Opening, "salt" | "outputHash" | "trailRoot">,
): FinishedWork | undefined {
  const work = unsealWork(bytes, { ...place, salt });
  return work !== undefined && outputHashOf(work.output) === outputHash && merkleRoot(work.trail) === trailRoot ? work : undefined;
}

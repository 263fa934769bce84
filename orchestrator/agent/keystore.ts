import { createCipheriv, createDecipheriv, pbkdf2Sync, scryptSync } from "node:crypto";
import { scrypt } from "@noble/hashes/scrypt.js";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import { bytesToHex, type Hex, hexToBytes } from "../primitives/hex.ts";
import { parseJson } from "../primitives/json.ts";

/** A key cannot be read. The message never contains the key. */
export class KeyUnusable extends AgentCityError {
  constructor(problem: string, variable = "AGENTCITY_DEPLOYER_KEY") {
    super("KeyUnusable", problem, {
      action:
        `export ${variable}=0x… (32 bytes), or AGENTCITY_KEYSTORE=<file> and AGENTCITY_KEYSTORE_PASSWORD; ` +
        "keys are never taken from the command line, where other users of the machine see them",
    });
  }
}

/** Largest amount of memory for opening a keystore: n = 2²⁰ with r = 8. */
const MAX_MEMORY = 2 ** 31;

const bytes = z.string().regex(/^(?:[0-9a-f]{2})+$/i);
const whole = z.int().positive();

/** Web3 Secret Storage, version 3: the format of geth, cast and common wallets. */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z.object({
    cipher: z.literal("aes-128-ctr"),
    ciphertext: bytes,
    cipherparams: z.object({ iv: bytes }),
    mac: bytes,
    kdf: z.enum(["scrypt", "pbkdf2"]),
    kdfparams: z.object({
      dklen: z.literal(32),
      salt: bytes,
      n: whole.max(2 ** 20).optional(),
      r: whole.max(32).optional(),
      p: whole.max(16).optional(),
      c: whole.max(10_000_000).optional(),
      prf: z.literal("hmac-sha256").optional(),
    }),
  }),
});

/** Decrypts a version-3 keystore. Throws KeyUnusable. */
export function decryptKeystore(text: string, password: string): Hex {
  const parsed = keystoreSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new KeyUnusable(`The keystore is not of version 3: ${z.prettifyError(parsed.error)}`);
  const { ciphertext, cipherparams, mac, kdf, kdfparams } = parsed.data.crypto;
  const salt = Buffer.from(kdfparams.salt, "hex");
  const { n = 0, r = 0, p = 0, c = 0 } = kdfparams;
  const derived = kdf === "scrypt" ? scrypted(password, salt, { n, r, p }) : pbkdf2Sync(password, salt, c, 32, "sha256");
  const sealed = Buffer.from(ciphertext, "hex");
  const expected = keccak256(Buffer.concat([derived.subarray(16, 32), sealed])).slice(2);
  if (expected !== mac.toLowerCase()) throw new KeyUnusable("The password does not open the keystore");
  const cipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), Buffer.from(cipherparams.iv, "hex"));
  return bytesToHex(Buffer.concat([cipher.update(sealed), cipher.final()]));
}

/**
 * Derives 32 bytes from a password. OpenSSL is ten times as fast but rejects r = 1 with n = 2¹⁸, which the specification's own test vector
 * uses.
 */
function scrypted(password: string, salt: Uint8Array, { n, r, p }: { readonly n: number; readonly r: number; readonly p: number }): Buffer {
  if (r > 1) return scryptSync(password, salt, 32, { N: n, r, p, maxmem: MAX_MEMORY });
  return Buffer.from(scrypt(password, salt, { N: n, r, p, dkLen: 32, maxmem: MAX_MEMORY }));
}

/** scrypt parameters of a new keystore: 128 MiB and a quarter of a second. */
const COST = { n: 2 ** 17, r: 8, p: 1, dklen: 32 } as const;

/** Encrypts a key as a version-3 keystore. `random` returns that many unpredictable bytes. */
export function encryptKeystore(secret: Hex, password: string, random: (bytes: number) => Uint8Array): string {
  const [salt, iv, id] = [Buffer.from(random(32)), Buffer.from(random(16)), Buffer.from(random(16)).toString("hex")];
  const derived = scrypted(password, salt, COST);
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(secret)), cipher.final()]);
  const crypto = {
    cipher: "aes-128-ctr",
    ciphertext: ciphertext.toString("hex"),
    cipherparams: { iv: iv.toString("hex") },
    mac: keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2),
    kdf: "scrypt",
    kdfparams: { ...COST, salt: salt.toString("hex") },
  };
  const uuid = id.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  return `${JSON.stringify({ version: 3, id: uuid, crypto }, null, 2)}\n`;
}

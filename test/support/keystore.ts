import { createCipheriv, pbkdf2Sync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";

/** Writes a version-3 keystore with few rounds and known salts: for keys that are worth nothing. */
export function writeKeystore(path: string, secret: Hex, password: string): string {
  const [salt, iv] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];
  const c = 1_000;
  const derived = pbkdf2Sync(password, salt, c, 32, "sha256");
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(secret)), cipher.final()]);
  const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2);
  const kdfparams = { c, dklen: 32, prf: "hmac-sha256", salt: salt.toString("hex") };
  const crypto = {
    cipher: "aes-128-ctr",
    ciphertext: ciphertext.toString("hex"),
    cipherparams: { iv: iv.toString("hex") },
    mac,
    kdf: "pbkdf2",
    kdfparams,
  };
  writeFileSync(path, JSON.stringify({ version: 3, id: "test", crypto }), { mode: 0o600 });
  return path;
}

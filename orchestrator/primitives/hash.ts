import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { create as createDigest } from "multiformats/hashes/digest";
import { AgentCityError } from "./errors.ts";
import type { ContentId, Hash, Hex } from "./hex.ts";
import { bytesToHex, hexToBytes, isHash } from "./hex.ts";
import { canonicalBytes } from "./json.ts";
import { keepNewest } from "./recent.ts";

const SHA2_256 = 0x12;

/** Node's own hashes are twenty times as fast. Looked up at run time, so that this file also bundles for browsers. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");

/** The text is not a CIDv1 of raw bytes under sha2-256 (decision 40). */
export class BadContentId extends AgentCityError {
  constructor(text: string, problem: string) {
    super("BadContentId", `Not a content id: ${problem}`, { details: text });
  }
}

/** From this size on, bytes, a Keccak-256 is cached by SHA-256: Node has no Keccak, and JavaScript's is slow. */
const LARGE = 8_192;
/** Cached hashes: inputs, outputs and bundles are hashed by every component that handles them. */
const REMEMBERED = 256;
const remembered = new Map<string, Hash>();

/** Keccak-256: EIP-712, Merkle nodes, code hashes. Hex text stands for its bytes. */
export function keccak256(data: Uint8Array | Hex): Hash {
  const bytes = typeof data === "string" ? hexToBytes(data) : data;
  if (native === undefined || bytes.length < LARGE) return bytesToHex(keccak_256(bytes));
  const name = native.hash("sha256", bytes, "base64");
  const hash = remembered.get(name) ?? bytesToHex(keccak_256(bytes));
  keepNewest(remembered, name, hash, REMEMBERED);
  return hash;
}

/** SHA-256 as bytes. */
export function sha256Bytes(data: Uint8Array): Uint8Array {
  // By way of text: for a buffer of its own Node takes twice as long.
  return native === undefined ? nobleSha256(data) : new Uint8Array(Buffer.from(sha256Binary(data), "binary"));
}

/** SHA-256 as text with a character for each byte: for whoever looks at single bytes, and needs no list of them. */
export function sha256Binary(data: Uint8Array): string {
  return native === undefined ? String.fromCharCode(...nobleSha256(data)) : native.hash("sha256", data, "binary");
}

/** SHA-256 as hex; text stands for its UTF-8 bytes. */
export function sha256(data: Uint8Array | string): Hash {
  if (native !== undefined) return `0x${native.hash("sha256", data, "hex")}`;
  return bytesToHex(nobleSha256(typeof data === "string" ? new TextEncoder().encode(data) : data));
}

/** CIDv1 (raw, sha2-256) of bytes, in base32. */
export function contentIdOf(bytes: Uint8Array): ContentId {
  return fromDigestBytes(sha256Bytes(bytes));
}

/** The content id of a value: of its RFC 8785 bytes. */
export function contentIdOfJson(value: unknown): ContentId {
  return contentIdOf(canonicalBytes(value));
}

/** The bare sha2-256 digest, which the chain stores in place of a content id. */
export function digestOf(id: ContentId): Hash {
  return bytesToHex(decode(id).multihash.digest);
}

/** The content id behind a digest read from the chain. */
export function contentIdFromDigest(digest: Hash): ContentId {
  if (!isHash(digest)) throw new BadContentId(digest, "the digest is not 32 bytes of hex");
  return fromDigestBytes(hexToBytes(digest));
}

/** Validates and brands text from outside. Only the one spelling that this project writes is accepted. */
export function parseContentId(text: string): ContentId {
  return fromDigestBytes(decode(text).multihash.digest);
}

function fromDigestBytes(digest: Uint8Array): ContentId {
  return CID.createV1(raw.code, createDigest(SHA2_256, digest)).toString() as ContentId;
}

function decode(text: string): CID {
  let cid: CID;
  try {
    cid = CID.parse(text);
  } catch {
    throw new BadContentId(text, "it cannot be decoded");
  }
  if (cid.version !== 1 || cid.code !== raw.code) throw new BadContentId(text, "expected CIDv1 with the raw codec");
  if (cid.multihash.code !== SHA2_256 || cid.multihash.digest.length !== 32) throw new BadContentId(text, "expected sha2-256");
  if (cid.toString() !== text) throw new BadContentId(text, "expected lower-case base32");
  return cid;
}

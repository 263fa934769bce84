import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect } from "chai";
import { bytesToHex, type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { isSignedBy, signerOf } from "../../orchestrator/primitives/signing.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const numberOf = (little: Uint8Array) => little.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const littleOf = (value: bigint) => Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
/** By the library alone, without Node. */
const reference = (key: Hex, message: Uint8Array, signature: Hex): boolean => {
  try {
    return ed25519.verify(hexToBytes(signature), message, hexToBytes(key), { zip215: false });
  } catch {
    return false;
  }
};

describe("signatures", () => {
  it("are those of RFC 8032, whoever computes them", () => {
    const random = randomStream("signing");
    for (let i = 0; i < 40; i++) {
      const secret = random.bytes(32);
      const message = random.bytes(random.int(80));
      const { publicKey, sign } = signerOf("ed25519", secret);
      expect(sign(message)).to.equal(bytesToHex(ed25519.sign(message, secret)));
      expect(publicKey.key).to.equal(bytesToHex(ed25519.getPublicKey(secret)));
      expect(isSignedBy(publicKey, message, sign(message))).to.equal(true);
    }
  });

  it("are judged as everywhere: a changed bit, another key, s beyond the order, a key or a point of small order", () => {
    const random = randomStream("forged");
    const [one, other] = [signerOf("ed25519", random.bytes(32)), signerOf("ed25519", random.bytes(32))];
    const message = bytes("a message");
    const good = hexToBytes(one.sign(message));
    const late = new Uint8Array([...good.slice(0, 32), ...littleOf(numberOf(good.slice(32)) + L)]);
    const small = ["01".padEnd(64, "0"), "ec".padEnd(62, "f").concat("7f"), "00".repeat(32)].map((hex): Hex => `0x${hex}`);
    const tries: [Hex, Uint8Array][] = [
      [other.publicKey.key, good],
      [one.publicKey.key, late],
      [one.publicKey.key, good.slice(1)],
      ...Array.from({ length: 64 }, (_, at): [Hex, Uint8Array] => [one.publicKey.key, good.map((byte, i) => (i === at ? byte ^ 1 : byte))]),
      ...small.flatMap((key): [Hex, Uint8Array][] => [
        [key, good],
        [key, new Uint8Array([...hexToBytes(key), ...new Uint8Array(32)])],
      ]),
    ];
    for (const [key, signature] of tries) {
      const hex = bytesToHex(signature);
      expect(isSignedBy({ algorithm: "ed25519", key }, message, hex), hex).to.equal(reference(key, message, hex));
      expect(isSignedBy({ algorithm: "ed25519", key }, message, hex), hex).to.equal(false);
    }
  });

  it("with a torsion part are taken here as by the library, which Node alone would refuse", () => {
    // R + T for a point T of order eight: s·B = R + k·A still holds when multiplied by the cofactor.
    const secret = randomStream("torsion").bytes(32);
    const { scalar, point } = ed25519.utils.getExtendedPublicKey(secret);
    const torsion = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
    const message = bytes("a message");
    const nonce = 123456789n;
    const shifted = ed25519.Point.BASE.multiply(nonce).add(torsion).toBytes();
    const key = bytesToHex(point.toBytes());
    const k = numberOf(sha512(shifted, point.toBytes(), message)) % L;
    const s = (nonce + k * scalar) % L;
    const signature = bytesToHex(new Uint8Array([...shifted, ...littleOf(s)]));
    expect(reference(key, message, signature)).to.equal(true);
    expect(isSignedBy({ algorithm: "ed25519", key }, message, signature)).to.equal(true);
  });
});

describe("signatures on secp256k1", () => {
  const byLibrary = (key: Hex, message: Uint8Array, signature: Uint8Array): boolean => {
    try {
      return secp256k1.verify(signature, message, hexToBytes(key));
    } catch {
      return false;
    }
  };

  it("are good under their key and over their message alone", () => {
    const random = randomStream("secp256k1");
    for (let i = 0; i < 20; i++) {
      const { publicKey, sign } = signerOf("secp256k1", random.bytes(32));
      const message = random.bytes(random.int(80));
      expect(isSignedBy(publicKey, message, sign(message))).to.equal(true);
      expect(isSignedBy(publicKey, new Uint8Array([...message, 0]), sign(message))).to.equal(false);
    }
  });

  it("are judged as by the library, which takes one of two mirror images, and keys of either form", () => {
    const random = randomStream("forged on secp256k1");
    const secret = random.bytes(32);
    const [one, other] = [signerOf("secp256k1", secret), signerOf("secp256k1", random.bytes(32))];
    const message = bytes("a message");
    const good = hexToBytes(one.sign(message));
    const { r, s } = secp256k1.Signature.fromBytes(good, "compact");
    const high = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes("compact");
    const { key } = one.publicKey;
    const tries: [what: string, key: Hex, signature: Uint8Array, expected: boolean][] = [
      ["as signed", key, good, true],
      ["under the same key in its long form", bytesToHex(secp256k1.getPublicKey(secret, false)), good, true],
      ["its mirror image", key, high, false],
      ["under another key", other.publicKey.key, good, false],
      ["under a key that is no point", `0x02${"ff".repeat(32)}`, good, false],
      ["too short", key, good.slice(1), false],
      ["too long", key, new Uint8Array([...good, 0]), false],
      ["without r", key, new Uint8Array([...new Uint8Array(32), ...good.slice(32)]), false],
      ["without s", key, new Uint8Array([...good.slice(0, 32), ...new Uint8Array(32)]), false],
      ["with s beyond the order", key, new Uint8Array([...good.slice(0, 32), ...new Uint8Array(32).fill(255)]), false],
      ...Array.from({ length: 64 }, (_, at): [string, Hex, Uint8Array, boolean] => {
        return [`byte ${at} changed`, key, good.map((byte, i) => (i === at ? byte ^ 1 : byte)), false];
      }),
    ];
    for (const [what, by, signature, expected] of tries) {
      expect(byLibrary(by, message, signature), what).to.equal(expected);
      expect(isSignedBy({ algorithm: "secp256k1", key: by }, message, bytesToHex(signature)), what).to.equal(expected);
    }
  });
});

function sha512(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

import { createHmac } from "node:crypto";
import { expect } from "chai";
import { openWork, sealWork, unsealWork } from "../../orchestrator/execution/sealed-work.ts";
import { outputHashOf } from "../../orchestrator/execution/work.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { bytesToHex, hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";

const hashOf = (name: string) => keccak256(new TextEncoder().encode(name));
const of = { salt: hashOf("a salt"), obligation: hashOf("an obligation"), slot: 2 };
const work = { output: { items: [{ id: "a", value: "approve" }] }, trail: [hashOf("input"), hashOf("output")] };
const opening = { salt: of.salt, outputHash: outputHashOf(work.output), trailRoot: merkleRoot(work.trail) };

describe("sealed work", () => {
  it("is read with its salt, for its obligation and its slot, and not otherwise", () => {
    const bytes = sealWork(work, of);
    expect(unsealWork(bytes, of)).to.deep.equal(work);
    expect(unsealWork(bytes, { ...of, salt: hashOf("another salt") })).to.equal(undefined);
    expect(unsealWork(bytes, { ...of, obligation: hashOf("another obligation") })).to.equal(undefined);
    expect(unsealWork(bytes, { ...of, slot: 1 })).to.equal(undefined);
  });

  it("is not read with any bit changed, nor cut, nor where there is nothing", () => {
    const bytes = sealWork(work, of);
    for (const place of [0, 500, bytes.length - 1]) {
      const changed = new Uint8Array(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(unsealWork(changed, of), String(place)).to.equal(undefined);
    }
    for (const length of [0, 15, 16, bytes.length - 1])
      expect(unsealWork(bytes.subarray(0, length), of), String(length)).to.equal(undefined);
  });

  it("shows neither its output nor how long that is", () => {
    const other = { ...work, output: { items: [{ id: "a", value: "reject, and at some length" }] } };
    expect(sealWork(other, of).length).to.equal(sealWork(work, of).length);
    expect(Buffer.from(sealWork(work, of)).includes("approve")).to.equal(false);
  });

  it("opens by what opened its commitment alone", () => {
    const bytes = sealWork(work, of);
    expect(openWork(bytes, of, opening)).to.deep.equal(work);
    expect(openWork(bytes, of, { ...opening, outputHash: hashOf("a copy") })).to.equal(undefined);
    expect(openWork(bytes, of, { ...opening, trailRoot: hashOf("another trail") })).to.equal(undefined);
  });

  it("is what Web Crypto makes of HKDF-SHA-256 and AES-256-GCM, so that anybody can do without this library", async () => {
    const { subtle } = globalThis.crypto;
    const info = Buffer.concat([hexToBytes(of.obligation), Buffer.of(of.slot)]);
    const secret = await subtle.importKey("raw", new Uint8Array(hexToBytes(of.salt)), "HKDF", false, ["deriveBits"]);
    const bits = await subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, secret, 8 * 44);
    const key = await subtle.importKey("raw", bits.slice(0, 32), "AES-GCM", false, ["decrypt"]);
    const bytes = new Uint8Array(sealWork(work, of));
    const text = Buffer.from(await subtle.decrypt({ name: "AES-GCM", iv: bits.slice(32) }, key, bytes)).toString();
    expect(JSON.parse(text)).to.deep.equal(work);
    expect(text).to.have.length(1_024);
    // RFC 5869 by hand: what both libraries say.
    const extracted = createHmac("sha256", Buffer.alloc(32)).update(hexToBytes(of.salt)).digest();
    const first = createHmac("sha256", extracted).update(info).update(Buffer.of(1)).digest();
    expect(bytesToHex(new Uint8Array(bits.slice(0, 32)))).to.equal(bytesToHex(new Uint8Array(first)));
  });
});

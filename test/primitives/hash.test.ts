import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { expect } from "chai";
import {
  BadContentId,
  contentIdFromDigest,
  contentIdOf,
  contentIdOfJson,
  digestOf,
  keccak256,
  parseContentId,
  sha256,
} from "../../orchestrator/primitives/hash.ts";
import { bytesToHex } from "../../orchestrator/primitives/hex.ts";

const bytes = new TextEncoder().encode("hello world");

describe("hashes and content ids", () => {
  it("agree with published values", () => {
    expect(sha256(bytes)).to.equal("0xb94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
    expect(keccak256(bytes)).to.equal("0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad");
    expect(contentIdOf(bytes)).to.equal("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
  });

  it("are those of JavaScript's own functions for any size, however often they are asked for", () => {
    for (const size of [0, 135, 136, 8_191, 8_192, 100_000]) {
      const large = Uint8Array.from({ length: size }, (_, index) => index * 7);
      for (const changed of [large, large, Uint8Array.of(...large.subarray(1), 1)]) {
        expect(keccak256(changed)).to.equal(bytesToHex(keccak_256(changed)));
        expect(sha256(changed)).to.equal(bytesToHex(nobleSha256(changed)));
      }
    }
  });

  it("go from id to digest and back", () => {
    const id = contentIdOf(bytes);
    expect(digestOf(id)).to.equal(sha256(bytes));
    expect(contentIdFromDigest(digestOf(id))).to.equal(id);
    expect(parseContentId(id)).to.equal(id);
  });

  it("name a value by its canonical bytes, not by the order of its keys", () => {
    expect(contentIdOfJson({ a: 1, b: [2] })).to.equal(contentIdOfJson({ b: [2], a: 1 }));
  });

  for (const [why, text] of [
    ["garbage", "nonsense"],
    ["CIDv0", "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"],
    ["another codec", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"],
    ["another spelling", "BAFKREIFZJUT3TE2NHYEKKLSS27NH3K72YSCO7Y32KOAO5EEI66WOF36N5E"],
  ] as const) {
    it(`refuse ${why}`, () => expect(() => parseContentId(text)).to.throw(BadContentId));
  }
});

import { expect } from "chai";
import { keccak256, toRlp } from "viem";
import { orderedTrieRoot } from "../../orchestrator/primitives/ordered-trie.ts";

/** Real blocks are compared in test/chain/block-proof.test.ts; here is what no block of a devnet has. */
describe("the trie over a list", () => {
  it("has the root of every empty list in Ethereum's headers", () => {
    expect(orderedTrieRoot([])).to.equal("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });

  it("keeps one short value in the node itself", () => {
    expect(orderedTrieRoot(["0x01"])).to.equal(keccak256(toRlp(["0x2080", "0x01"])));
  });

  it("tells apart lists that differ in order, in length or in one value", () => {
    const values = Array.from({ length: 300 }, (_, index) => `0x${(index + 1_000).toString(16).padStart(4, "0")}` as const);
    const roots = [
      orderedTrieRoot(values),
      orderedTrieRoot(values.slice(0, -1)),
      orderedTrieRoot(values.toReversed()),
      orderedTrieRoot(values.with(256, "0x00")),
    ];
    expect(new Set(roots).size).to.equal(roots.length);
  });
});

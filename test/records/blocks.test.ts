import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import { NotJson } from "../../orchestrator/primitives/json.ts";
import { type Blocks, memoryBlocks, openBlocks } from "../../orchestrator/records/blocks.ts";
import { BlockDamaged } from "../../orchestrator/records/errors.ts";

const bytes = new TextEncoder().encode("hello world");

for (const kind of ["file", "memory"] as const) {
  describe(`blocks in ${kind}`, () => {
    let dir: string;
    let blocks: Blocks;

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), "agentcity-blocks-"));
      blocks = kind === "file" ? openBlocks(join(dir, "blocks")) : memoryBlocks();
    });
    afterEach(() => rmSync(dir, { recursive: true }));

    it("are found by what they hold", () => {
      const id = blocks.put(bytes);
      expect(id).to.equal(contentIdOf(bytes));
      expect(blocks.put(bytes)).to.equal(id);
      expect(blocks.get(id)).to.deep.equal(bytes);
      const json = blocks.putJson({ b: 1, a: ["x"] });
      expect(blocks.getJson(json)).to.deep.equal({ a: ["x"], b: 1 });
      expect(blocks.list()).to.deep.equal([id, json].sort());
      expect(blocks.has(contentIdOf(new Uint8Array([9])))).to.equal(false);
      expect(() => blocks.get(contentIdOf(new Uint8Array([9])))).to.throw(BlockDamaged, "missing");
      expect(() => blocks.putJson({ amount: 1n })).to.throw(NotJson);
    });

    it("are there as before once they are on disk, and several may ask for that at once", async () => {
      const id = blocks.put(bytes);
      const more = [1, 2, 3].map((byte) => {
        const each = blocks.put(new Uint8Array([byte]));
        return blocks.sync().then(() => each);
      });
      expect([id, ...(await Promise.all(more))].sort()).to.deep.equal(blocks.list());
      await blocks.sync();
      expect(blocks.get(id)).to.deep.equal(bytes);
    });

    it("cannot be changed through what was handed out", () => {
      const id = blocks.put(bytes);
      blocks.get(id)[0] = 0;
      expect(blocks.get(id)).to.deep.equal(bytes);
    });
  });
}

describe("blocks in file", () => {
  it("are checked on every read, named when damaged, and healed by writing again", () => {
    const dir = mkdtempSync(join(tmpdir(), "agentcity-blocks-"));
    try {
      const blocks = openBlocks(dir);
      const id = blocks.put(bytes);
      writeFileSync(join(dir, id), "hello w0rld");
      expect(() => blocks.get(id)).to.throw(BlockDamaged, id);
      blocks.put(bytes);
      expect(blocks.get(id)).to.deep.equal(bytes);
      expect(readdirSync(dir)).to.deep.equal([id]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

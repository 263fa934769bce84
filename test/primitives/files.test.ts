import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { FolderUnusable, keepNewest, makeFolder, syncFolder, writeFileAtomic } from "../../orchestrator/primitives/files.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe("primitives/files", () => {
  const directory = temporaryDirectory();
  const path = (...names: string[]) => join(directory(), ...names);

  it("makes a folder with those above it, or says why it cannot, also where the system says only that nothing is there", () => {
    makeFolder(path("a", "b", "c"));
    makeFolder(path("a", "b", "c"));
    expect(readdirSync(path("a", "b"))).to.deep.equal(["c"]);
    writeFileSync(path("file"), "");
    expect(() => makeFolder(path("file"))).to.throw(FolderUnusable, /there is a file of that name/);
    expect(() => makeFolder(path("file", "below"))).to.throw(FolderUnusable);
    expect(() => makeFolder("/proc/self/none/below")).to.throw(FolderUnusable, /\/proc\/self\/none/);
  });

  it("writes a file whole, and leaves nothing beside it where it cannot", () => {
    writeFileAtomic(path("whole"), "text");
    mkdirSync(path("taken"));
    expect(() => writeFileAtomic(path("taken"), "text")).to.throw();
    expect(readdirSync(directory()).sort()).to.deep.equal(["taken", "whole"]);
  });

  it("brings a folder with all below it to the disk", async () => {
    makeFolder(path("deep", "er"));
    writeFileSync(path("deep", "er", "file"), "text");
    await syncFolder(path("deep"));
    expect(readdirSync(path("deep"), { recursive: true }).sort()).to.deep.equal(["er", "er/file"]);
  });

  it("keeps the newest of the entries that are named so, and touches no other", () => {
    for (const [name, seconds] of Object.entries({ "kept-1": 3, "kept-2": 1, "kept-3": 2, other: 0 })) {
      makeFolder(path(name));
      writeFileSync(path(name, "file"), "");
      utimesSync(path(name), seconds, seconds);
    }
    keepNewest(directory(), 2, /^kept-/);
    expect(readdirSync(directory()).sort()).to.deep.equal(["kept-1", "kept-3", "other"]);
  });
});

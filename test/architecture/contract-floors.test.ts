import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { CONTRACT_FLOORS } from "../../scripts/dev/floors.ts";

const IMPORT = /^import\s[^;]*?["']([^"']+)["'];/gm;
const CONCRETE = /^contract\s/m;
/** Audited, and used where they beat what we would write ourselves. */
const LIBRARIES = ["@openzeppelin/contracts/", "solady/"];

const folderOf = (path: string) => path.split("/")[1] ?? "";
const floorOf = (path: string) => CONTRACT_FLOORS.indexOf(folderOf(path));

/** What is wrong with the imports of these sources (path → text). */
function violations(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, text]) =>
    [...text.matchAll(IMPORT)].flatMap(([, specifier = ""]) => {
      if (!specifier.startsWith("."))
        return LIBRARIES.some((library) => specifier.startsWith(library)) ? [] : [`${path}: ${specifier} is not ours`];
      const target = posix.join(posix.dirname(path), specifier);
      if (CONCRETE.test(sources.get(target) ?? "")) return [`${path}: ${target} is an implementation`];
      if (folderOf(target) === folderOf(path) || floorOf(target) < floorOf(path)) return [];
      return [`${path}: ${target} is not on a lower floor`];
    }),
  );
}

describe("floors of the law", () => {
  const sources = new Map(filesIn("contracts/**/*.sol").map((path) => [path, readFileSync(join(root, path), "utf8")]));

  it("place every folder of contracts/", () => {
    const homeless = [...sources.keys()].filter((path) => floorOf(path) < 0);
    expect(homeless).to.deep.equal([]);
  });

  it("hold: contracts import types, libraries and interfaces, never another contract's implementation", () => {
    expect(sources.size).to.be.greaterThan(0);
    expect(violations(sources)).to.deep.equal([]);
  });

  it("refuse an upward import, an implementation and a foreign package", () => {
    const wrong = new Map([
      ["contracts/libraries/A.sol", 'import {B} from "../interfaces/B.sol";\nlibrary A {}'],
      ["contracts/interfaces/B.sol", 'import {\n    A\n} from "../libraries/A.sol";\ninterface B {}'],
      ["contracts/foundational/C.sol", 'import {B} from "../interfaces/B.sol";\ncontract C {}'],
      ["contracts/meta/D.sol", 'import {C} from "../foundational/C.sol";\nimport "forge-std/Test.sol";\ncontract D {}'],
      ["contracts/meta/E.sol", 'import {D} from "./D.sol";\ncontract E {}'],
    ]);
    expect(violations(wrong)).to.deep.equal([
      "contracts/libraries/A.sol: contracts/interfaces/B.sol is not on a lower floor",
      "contracts/meta/D.sol: contracts/foundational/C.sol is an implementation",
      "contracts/meta/D.sol: forge-std/Test.sol is not ours",
      "contracts/meta/E.sol: contracts/meta/D.sol is an implementation",
    ]);
  });
});

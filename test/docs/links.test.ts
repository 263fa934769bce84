import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { anchorsOf } from "../support/anchors.ts";

const PAGES = filesIn(["*.md", "docs/*.md", "examples/*.md"]);
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

/** Paths of this repository, as pages name them. */
const NAMED_PATH = /(?:`|node )((?:\.ci|contracts|deploy|docs|missions|orchestrator|scripts|services|test)\/[\w./*-]*[\w*/])/g;
const LINK = /\]\(([^)\s]+)\)/g;
/** `start` and `test` need no `run`. */
const COMMAND = /npm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g;

/** What a page says that is not so. */
function faults(page: string, text: string, read: (path: string) => string | undefined): string[] {
  const links = [...text.matchAll(LINK)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .flatMap((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : posix.join(posix.dirname(page), path);
      const found = file === page ? text : read(file);
      if (found === undefined) return [`link to ${target}`];
      return anchor === undefined || anchorsOf(found).has(anchor) ? [] : [`anchor ${target}`];
    });
  const commands = [...text.matchAll(COMMAND)]
    .map(([, run, short]) => run ?? short ?? "")
    .filter((name) => !(name in scripts))
    .map((name) => `npm run ${name}`);
  const paths = [...text.matchAll(NAMED_PATH)]
    .map(([, path = ""]) => path)
    .filter((path) => (path.includes("*") ? filesIn(path).length === 0 : !existsSync(join(root, path))))
    .map((path) => `path ${path}`);
  return [...links, ...commands, ...paths].map((fault) => `${page}: ${fault}`);
}

/** Text of a file; a folder has none but is there. */
function read(path: string): string | undefined {
  const file = join(root, path);
  if (!existsSync(file)) return undefined;
  return path.endsWith(".md") ? readFileSync(file, "utf8") : "";
}

describe("the pages", () => {
  for (const page of PAGES) {
    it(`${page}: what it links to, runs and names exists`, () => {
      expect(faults(page, readFileSync(join(root, page), "utf8"), read)).to.deep.equal([]);
    });
  }

  it("begin with a README of at most 140 lines", () => {
    expect(readFileSync(join(root, "README.md"), "utf8").split("\n").length).to.be.below(142);
  });

  it("find what is wrong", () => {
    const text =
      "# Good one\n[a](b.md) [c](#good-one) [d](#bad) `npm run nothing`, npm start, `contracts/None.sol`, `test/none/*.ts`, [e](https://x.y)";
    expect(faults("docs/x.md", text, () => undefined)).to.deep.equal([
      "docs/x.md: link to b.md",
      "docs/x.md: anchor #bad",
      "docs/x.md: npm run nothing",
      "docs/x.md: path contracts/None.sol",
      "docs/x.md: path test/none/*.ts",
    ]);
  });
});

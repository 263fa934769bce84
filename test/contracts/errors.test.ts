/**
 * Every custom error of the contracts is thrown somewhere, or named as the reason why an entry of a wave is passed over, and reached by a test of the contract that declares it: a quoted name, alone
 * or with its values, in that contract's test files, or the refusal of one of its rows in the authority matrix, which is tried caller by caller.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { AUTHORITY } from "../../scripts/dev/authority.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";

/** Where a contract's tests lie, if not in a file of its name. */
const FOLDERS: Readonly<Record<string, string>> = {
  CollaborationContract: "test/contracts/collaboration/",
  LegislativeProcedure: "test/contracts/meta/legislation/",
};

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const sources = filesIn("contracts/**/*.sol").map((path) => ({ path, text: read(path) }));
const tests = filesIn("test/contracts/**/*.test.ts").map((path) => ({ path, text: read(path) }));

const nameOf = (path: string): string => path.replace(/^.*\/(?:I(?=[A-Z]))?(\w+)\.sol$/, "$1");
const kebab = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();

/** Files that test a contract; a library's error may be reached through any contract that uses it. */
function testsOf(path: string): { path: string; text: string }[] {
  if (path.includes("/libraries/")) return tests;
  const contract = nameOf(path);
  const place = FOLDERS[contract] ?? `/${kebab(contract)}`;
  return tests.filter((test) => test.path.includes(place));
}

const isRefusal = (contract: string, error: string): boolean =>
  Object.values(AUTHORITY[contract] ?? {})
    .flat()
    .some(({ refusal, except = {} }) => refusal === error || Object.values(except).includes(error));

const errors = sources.flatMap(({ path, text }) => [...text.matchAll(/^\s*error (\w+)\(/gm)].map(([, name = ""]) => ({ path, name })));

describe("custom errors", () => {
  it("are read from the sources", () => {
    expect(errors.length).to.be.greaterThan(200);
  });

  it("are all thrown", () => {
    const all = sources.map(({ text }) => text).join("\n");
    const dead = errors.filter(({ name }) => !new RegExp(`revert (\\w+\\.)?${name}\\(|\\.${name}\\.selector`).test(all));
    expect(dead.map(({ path, name }) => `${path}: delete ${name}, nothing throws it`)).to.deep.equal([]);
  });

  it("are all reached by a test of their contract", () => {
    const unreached = errors.filter(
      ({ path, name }) => !isRefusal(nameOf(path), name) && !testsOf(path).some(({ text }) => new RegExp(`"${name}["(]`).test(text)),
    );
    expect(
      unreached.map(
        ({ path, name }) => `${path}: a test in ${FOLDERS[nameOf(path)] ?? `${kebab(nameOf(path))}*.test.ts`} must assert "${name}"`,
      ),
    ).to.deep.equal([]);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { type Attack, THREATS } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { FINDINGS } from "./findings.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const testOf = ({ theme }: Attack): string => `test/attacks/${theme}.test.ts`;
const LIST = "test/attacks/attacks.test.ts";

describe("the list of attacks", () => {
  it("is as long as it has to be, no guard through one entry counting twice", () => {
    const tries = ATTACKS.map(({ file, guard, entry }) => `${file}: ${guard}: ${entry}`);
    expect(tries.filter((one, at) => tries.indexOf(one) !== at)).to.deep.equal([]);
    expect(tries.length).to.be.at.least(60);
  });

  it("has each attack in its file once, and no file has others", () => {
    const told = ATTACKS.map((attack) => `${testOf(attack)}: ${attack.title}`);
    const tried = filesIn("test/attacks/*.test.ts")
      .filter((file) => file !== LIST)
      .flatMap((file) => [...read(file).matchAll(/\bit\("([^"]+)"/g)].map(([, title]) => `${file}: ${title}`));
    expect(tried.sort()).to.deep.equal(told.sort());
  });

  it("changes what the contracts say exactly once", () => {
    const lost = ATTACKS.filter(({ file, find }) => read(`contracts/${file}`).split(find).length !== 2);
    expect(lost.map(({ id }) => id)).to.deep.equal([]);
  });

  it("answers each finding of the review by attacks of the list, or by a test that exists", () => {
    const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    expect(FINDINGS.map(({ id }) => id)).to.deep.equal([...numbered("H", 6), ...numbered("M", 14), ...numbered("L", 13)]);
    const known = new Set(ATTACKS.map(({ id }) => id));
    const decisions = read("docs/decisions.md");
    for (const { id, attacks, tests = [], decisions: rules } of FINDINGS) {
      expect(attacks.length + tests.length, id).to.be.at.least(1);
      expect(
        attacks.filter((each) => !known.has(each)),
        id,
      ).to.deep.equal([]);
      for (const { file, title } of tests) expect(read(file), id).to.include(`it("${title}"`);
      for (const number of rules) expect(decisions, id).to.include(`<a id="decision-${number}"></a>`);
    }
  });

  it("answers each threat it names, and SECURITY.md says by which attacks", () => {
    const security = read("SECURITY.md");
    for (const threat of Object.keys(THREATS)) {
      const row = security.split("\n").find((line) => line.startsWith(`| ${threat} |`)) ?? "";
      const [, , , ids = ""] = row.split("|");
      const answering = ATTACKS.filter(({ threats }) => threats.some((one) => one === threat)).map(({ id }) => id);
      expect(answering, threat).not.to.deep.equal([]);
      expect(ids.trim(), threat).to.equal(answering.join(", "));
    }
  });
});

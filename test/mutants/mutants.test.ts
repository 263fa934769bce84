import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/dev/files.ts";
import { INVARIANTS, titleOf } from "../invariants/invariants.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";

const sourceOf = ({ file }: Mutant): string => readFileSync(join(root, "contracts", file), "utf8");

/** A test by its name in quotes, or one of the invariants', whose names are made. */
function isNamed({ killedBy, invariant }: Mutant): boolean {
  const path = join(root, killedBy.file);
  if (!existsSync(path)) return false;
  if (invariant !== undefined) return INVARIANTS.some((one) => titleOf(one) === killedBy.test);
  const source = readFileSync(path, "utf8");
  return ['"', "`"].some((quote) => source.includes(`${quote}${killedBy.test}${quote}`));
}

describe("mutants", () => {
  it("find their text in the contracts exactly once, and change it", () => {
    const lost = MUTANTS.filter((mutant) => sourceOf(mutant).split(mutant.find).length !== 2 || mutant.find === mutant.replace);
    expect(lost.map(({ file, find }) => `${file}: ${find}`)).to.deep.equal([]);
  });

  it("name a test that exists", () => {
    expect(MUTANTS.filter((mutant) => !isNamed(mutant)).map(({ killedBy }) => killedBy)).to.deep.equal([]);
  });

  it("are all different, and no fewer than the design wants", () => {
    expect(new Set(MUTANTS.map(({ file, find, replace }) => `${file} ${find} ${replace}`)).size).to.equal(MUTANTS.length);
    expect(MUTANTS.length).to.be.at.least(45);
  });

  it("break every invariant", () => {
    const broken = new Set(MUTANTS.map(({ invariant }) => invariant));
    expect(INVARIANTS.filter(({ number }) => !broken.has(number))).to.deep.equal([]);
  });
});

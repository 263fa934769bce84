import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { FLOORS } from "../../scripts/dev/floors.ts";
import { importRules } from "../../scripts/dev/import-rules.ts";

/** A house of files, each importing the others named; returns the rules broken, as `rule: from → to`. */
async function broken(imports: Record<string, readonly string[]>): Promise<string[]> {
  const baseDir = mkdtempSync(join(tmpdir(), "agentcity-floors-"));
  try {
    const files = new Set([...Object.keys(imports), ...Object.values(imports).flat()]);
    for (const file of files) {
      mkdirSync(join(baseDir, dirname(file)), { recursive: true });
      const up = "../".repeat(file.split("/").length - 1);
      const lines = (imports[file] ?? []).map((target, i) => `import type { x as x${i} } from "${up}${target}";`);
      writeFileSync(join(baseDir, file), [...lines, "export type x = 1;", ""].join("\n"));
    }
    const { output } = await cruise([...files], {
      ...importRules.options,
      ruleSet: { forbidden: importRules.forbidden },
      validate: true,
      baseDir,
    });
    const { summary } = output as ICruiseResult;
    return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  } finally {
    rmSync(baseDir, { recursive: true });
  }
}

describe("floors", () => {
  it("place every source folder of this repository", () => {
    const sources = filesIn(["orchestrator/**/*.ts", "deploy/**/*.ts", "services/**/*.ts", "console/**/*.ts", "scripts/**/*.ts"], root);
    const homeless = sources.filter((file) => !FLOORS.flat().some((folder) => file.startsWith(`${folder}/`)));
    expect(homeless).to.deep.equal([]);
  });

  it("allow an import from a lower floor and from the own folder", async () => {
    const found = await broken({
      "orchestrator/city/a.ts": ["orchestrator/city/b.ts", "orchestrator/execution/c.ts", "deploy/d.ts"],
      "scripts/e.ts": ["orchestrator/city/a.ts"],
    });
    expect(found).to.deep.equal([]);
  });

  it("refuse an import from a higher floor", async () => {
    const found = await broken({ "orchestrator/chain/a.ts": ["orchestrator/client/b.ts"] });
    expect(found).to.deep.equal(["floor-1-orchestrator-chain: orchestrator/chain/a.ts → orchestrator/client/b.ts"]);
  });

  it("refuse an import from another folder of the same floor: the branches do not know each other", async () => {
    const found = await broken({ "orchestrator/legislature/a.ts": ["orchestrator/execution/b.ts"] });
    expect(found).to.deep.equal(["floor-4-orchestrator-legislature: orchestrator/legislature/a.ts → orchestrator/execution/b.ts"]);
  });

  it("keep chains out of what serves as a library alone", async () => {
    const found = await broken({ "orchestrator/clearing/a.ts": ["orchestrator/chain/b.ts"] });
    expect(found).to.deep.equal(["chainless: orchestrator/clearing/a.ts → orchestrator/chain/b.ts"]);
  });

  it("refuse test code outside tests", async () => {
    const found = await broken({ "scripts/a.ts": ["test/b.ts"] });
    expect(found).to.include("no-test-code: scripts/a.ts → test/b.ts");
  });
});

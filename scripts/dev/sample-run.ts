/**
 * Runs `npm start` twice in homes of its own, once with `--cheat`, and records what the pages show of it: `bench/sample-run.json`, from
 * which `npm run docs` writes the blocks of README and docs, and `docs/run.svg`. Run it after a change of contracts, services or dependencies.
 *
 * usage: npm run docs:run
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { root } from "./files.ts";
import { runPicture } from "./run-picture.ts";
import { SAMPLE_RUN, type SampleRun } from "./sample-pages.ts";

interface Run {
  readonly screen: readonly string[];
  readonly outcome: Outcome;
}

function run(...flags: readonly string[]): Run {
  const home = mkdtempSync(join(tmpdir(), "agentcity-sample-"));
  try {
    const screen = execFileSync(process.execPath, ["scripts/agentcity.js", "start", ...flags], {
      cwd: root,
      env: { ...process.env, AGENTCITY_HOME: home, npm_lifecycle_event: "start" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const bundle = /audit(?: --)? (0x[0-9a-fA-F]{40})/.exec(screen)?.[1]?.toLowerCase() ?? "";
    const outcome = outcomeSchema.parse(parseJson(readFileSync(join(home, "missions", bundle, "outcome.json"), "utf8")));
    return { screen: screen.trimEnd().split("\n"), outcome };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const honest = run("--explain");
const cheating = run("--cheat");
const accepted = honest.outcome.nodes.flatMap(({ executors }) => executors.filter(({ paid }) => paid !== null && paid !== "0"));
const recorded: SampleRun = {
  honest: honest.screen.filter((line) => !line.startsWith("REPORT")),
  cheating: cheating.screen.filter((line) => !line.startsWith("REPORT")),
  prices: String(accepted.reduce((sum, { price }) => sum + BigInt(price), 0n)),
  money: honest.outcome.money,
};
writeFileSync(join(root, SAMPLE_RUN), `${JSON.stringify(recorded, null, 2)}\n`);
writeFileSync(join(root, "docs/run.svg"), runPicture(honest.outcome));
console.log(`recorded in ${SAMPLE_RUN}; docs/run.svg drawn; now: npm run docs`);

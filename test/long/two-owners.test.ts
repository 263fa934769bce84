import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { cache } from "../support/cache.ts";
import { PROJECT } from "../support/cli.ts";
import { writeKeystore } from "../support/keystore.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const AGENT = secretOf("an agent of another owner");
const OWNER = secretOf("another owner");

/** A command in a process of its own, with what it says. */
function start(home: string, args: readonly string[]) {
  const child = spawn(process.execPath, [join(PROJECT, "orchestrator/cli/main.ts"), ...args], {
    cwd: PROJECT,
    env: { ...process.env, AGENTCITY_HOME: home, AGENTCITY_CACHE: cache },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  return { child, said, ended: once(child, "close") };
}

/** The first match in what a process says. */
async function heard(process: ReturnType<typeof start>, pattern: RegExp): Promise<string> {
  for (;;) {
    const [, found] = pattern.exec(process.said.stderr) ?? [];
    if (found !== undefined) return found;
    await Promise.race([once(process.child.stderr, "data"), process.ended]);
    if (process.child.exitCode !== null) throw new Error(`it ended: ${process.said.stderr}`);
  }
}

describe("an agent of another owner, in another process", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const started: ChildProcess[] = [];
  let outcome: Outcome;
  let said = "";
  let home = "";

  before(async () => {
    home = join(directory(), "city");
    const { csv } = smallInputs(directory(), CALM_ROWS);
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission(csv));
    const password = join(directory(), "password");
    writeFileSync(password, "correct horse\n");
    const key = writeKeystore(join(directory(), "agent.json"), AGENT, "correct horse");
    const owner = writeKeystore(join(directory(), "owner.json"), OWNER, "correct horse");

    const city = start(home, ["mission", file, "--seed", "7", "--open", "0", "--agents", "1", "--json"]);
    started.push(city.child);
    const url = await heard(city, /join at (\S+)/);
    const sells = "fetch-and-parse,estimate-by-pert,estimate-by-triangle,estimate-by-median,aggregate";
    const keys = ["--key", key, "--principal", owner, "--password-file", password, "--sells", sells];
    const agent = start(join(directory(), "elsewhere"), ["agent", "--city", url, ...keys]);
    started.push(agent.child);
    await city.ended;
    agent.child.kill("SIGTERM");
    await agent.ended;
    said = `${city.said.stderr}\n--- agent\n${agent.said.stderr}`;
    outcome = outcomeSchema.parse(JSON.parse(city.said.stdout));
  });
  after(() => {
    for (const child of started) if (child.exitCode === null) child.kill("SIGKILL");
  });

  const won = () => outcome.nodes.flatMap(({ executors }) => executors).filter(({ agent }) => agent === privateKeyToAccount(AGENT).address);

  it("wins a slot, delivers and is paid", () => {
    expect(outcome.failure, said).to.equal(null);
    expect(won(), said).to.not.have.length(0);
    for (const slot of won()) {
      expect(slot).to.deep.include({ result: "agreed", slashed: "0" });
      expect(BigInt(slot.paid) > 0n, said).to.equal(true);
    }
  });

  it("leaves a mission whose audit passes", async () => {
    const report = await auditBundle(join(home, outcome.bundle ?? ""));
    expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(report.passed).to.equal(true);
  });
});

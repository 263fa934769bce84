import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Outcome, outcomeSchema } from "../../orchestrator/protocol/outcome.ts";
import { cache } from "../support/cache.ts";
import { PROGRAM, PROJECT } from "../support/cli.ts";
import { writeKeystore } from "../support/keystore.ts";
import { programs } from "../support/programs.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const AGENT = secretOf("an agent of another owner");
const OWNER = secretOf("another owner");

describe("an agent of another owner, in another process", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const run = programs();
  const start = (from: string, args: readonly string[]) =>
    run([join(PROJECT, PROGRAM), ...args], {
      cwd: PROJECT,
      env: { ...process.env, AGENTCITY_HOME: from, AGENTCITY_CACHE: cache },
    });
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
    const url = await city.heard(/join at (\S+)/);
    const sells = "fetch-and-parse,estimate-by-pert,estimate-by-triangle,estimate-by-median,aggregate";
    const keys = ["--key", key, "--principal", owner, "--password-file", password, "--sells", sells];
    const agent = start(join(directory(), "elsewhere"), ["agent", "--city", url, ...keys]);
    await city.ended;
    agent.child.kill("SIGTERM");
    await agent.ended;
    said = `${city.stderr}\n--- agent\n${agent.stderr}`;
    outcome = outcomeSchema.parse(JSON.parse(city.stdout));
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

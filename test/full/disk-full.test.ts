import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { foundHome, openHome } from "../support/city-home.ts";
import { type CliRun, outcomeIn, runCli } from "../support/cli.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What is left when the mission begins: enough to begin, not to end. */
const LEFT = 600 * 1024;

/** A city on a disk of its own, a small tmpfs, that is really full: writes fail with ENOSPC. Needs root; skipped, aloud, without. */
describe("fault: the disk is full (ENOSPC)", function () {
  this.timeout(400_000);
  // Before the directory itself goes.
  after(() => {
    if (isMounted) execFileSync("umount", [disk()]);
  });
  const directory = suiteDirectory();
  const disk = () => join(directory(), "disk");
  const filler = () => join(disk(), "filler");
  let isMounted = false;
  let failed: CliRun;
  let outcome: Outcome;

  before(async function () {
    mkdirSync(disk());
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=192m", "tmpfs", disk()], { stdio: "pipe" });
      isMounted = true;
    } catch {
      process.stderr.write("disk-full.test.ts: this machine lets nobody mount a tmpfs; nothing was tried\n");
      this.skip();
    }
    const home = join(disk(), "home");
    const file = join(directory(), "mission.yaml");
    writeFileSync(file, smallMission(smallInputs(directory(), CALM_ROWS).csv));
    await foundHome(home, "37");
    const { bavail, bsize } = statfsSync(disk());
    writeFileSync(filler(), new Uint8Array(bavail * bsize - LEFT));
    const args = ["mission", file, "--seed", "37", "--json"];
    failed = await runCli(args, { home, limitMs: 380_000 });
    rmSync(filler());
    outcome = outcomeIn(await runCli(args, { home, limitMs: 380_000 }));
  });

  it("stops the command, which says so", () => {
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.match(/ENOSPC|[Nn]o space left/);
  });

  it("given again with room, it goes on: completed, every unit accounted for", async () => {
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    const city = await openHome(join(disk(), "home"), "37");
    await expectPaperInvariants(city, outcome);
    await city.close();
  });
});

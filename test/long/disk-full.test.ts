import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { copyHome, foundHome, openHome } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** KiB left when the mission begins: enough to begin, not to end. Each fills the disk at another place. */
const LEFT = [600, 550, 500, 450];

/** A city on a disk of its own, a small tmpfs, that is really full: writes fail with ENOSPC. Needs root; skipped, aloud, without. */
describe("fault: the disk is full (ENOSPC)", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const founded = () => join(directory(), "founded");
  const file = () => join(directory(), "mission.yaml");
  const disk = () => join(directory(), "disk");
  const filler = () => join(disk(), "filler");
  let isMounted = false;

  before(async () => {
    mkdirSync(disk());
    writeFileSync(file(), smallMission(smallInputs(directory(), CALM_ROWS).csv));
    await foundHome(founded(), "37");
  });
  afterEach(() => {
    if (isMounted) execFileSync("umount", [disk()]);
    isMounted = false;
  });

  function mount(): boolean {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=192m", "tmpfs", disk()], { stdio: "pipe" });
    } catch {
      process.stderr.write("disk-full.test.ts: this machine lets nobody mount a tmpfs; nothing was tried\n");
      return false;
    }
    isMounted = true;
    return true;
  }

  for (const left of LEFT) {
    it(`with ${left} KiB left: the command stops and says so; given again with room it completes, every unit accounted for`, async function () {
      if (!mount()) this.skip();
      const home = copyHome(founded(), join(disk(), "home"));
      const { bavail, bsize } = statfsSync(disk());
      writeFileSync(filler(), new Uint8Array(bavail * bsize - left * 1024));
      const args = ["mission", file(), "--seed", "37", "--json"];
      const failed = await runCli(args, { home, limitMs: 380_000 });
      expect(failed.code).to.equal(1);
      expect(failed.stderr).to.match(/ENOSPC|[Nn]o space left/);

      rmSync(filler());
      const outcome = outcomeIn(await runCli(args, { home, limitMs: 380_000 }));
      expect(outcome.status).to.equal("completed");
      expect(balances(outcome.money)).to.equal(true);
      const city = await openHome(home, "37");
      await expectPaperInvariants(city, outcome);
      await city.close();
    });
  }
});

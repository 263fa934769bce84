import { join } from "node:path";
import { expect } from "chai";
import { type Held, runSession, SEED, type Way } from "../records/session-process.ts";
import { copyHome, foundHome } from "./city-home.ts";
import { suiteDirectory } from "./temporary-directory.ts";

/** Kills a session's process at each place for real, lets another one go on, and compares with a session nobody killed. */
export function describeKills(title: string, kills: readonly string[], way: Way = "straight"): void {
  describe(title, function () {
    this.timeout(600_000);
    const directory = suiteDirectory();
    const founded = () => join(directory(), "founded");
    let undisturbed: Held | undefined;

    before(async () => {
      await foundHome(founded(), SEED);
      const { held } = await runSession(copyHome(founded(), join(directory(), "undisturbed")), { way });
      undisturbed = held;
      expect(undisturbed).to.deep.include({ database: "pglite", unsettled: 0 });
      expect(undisturbed?.ballots.length).to.equal(8);
    });

    for (const [place, stopAt] of kills.entries()) {
      it(`by SIGKILL at ${stopAt.replaceAll(">", ", then ")}: no ballot lost, none doubled, no transaction sent twice`, async () => {
        const home = copyHome(founded(), join(directory(), `killed-${place}`));
        const killed = await runSession(home, { stopAt, way });
        expect(killed).to.deep.equal({ signal: "SIGKILL", stoppedAt: stopAt.split(">").at(-1), held: undefined });
        const { held, signal } = await runSession(home, { way });
        expect(signal).to.equal(null);
        expect(held).to.deep.equal(undisturbed);
      });
    }
  });
}

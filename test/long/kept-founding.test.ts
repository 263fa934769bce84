import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openCity } from "../../orchestrator/city/city.ts";
import { claimFolder } from "../../orchestrator/city/founding/city-folder.ts";
import { copyFounding, isCopying, placeOfFounding } from "../../orchestrator/city/founding/kept-founding.ts";
import { cache } from "../support/cache.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SEED = "7";

describe("city/kept-founding", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const cacheDir = () => join(directory(), "cache");
  const dir = (name: string) => join(directory(), name);
  const place = () => placeOfFounding(cacheDir(), SEED) ?? "";
  /** A city's history after it was opened and closed, and what was said. */
  const history = async (name: string) => {
    const said: string[] = [];
    const options = { dir: dir(name), cacheDir: cacheDir(), seed: SEED, millis: () => performance.now(), copyFounding: true };
    const city = await openCity({ ...options, progress: (line) => said.push(line) });
    try {
      const outbox = await city.database.query("SELECT * FROM outbox ORDER BY seq");
      return { said: said.join("\n"), history: { transcript: city.chain.transcript(), outbox, log: await city.log.head() } };
    } finally {
      await city.close();
    }
  };
  const DEPLOYED = /contracts and the mission template deployed/;
  const FOUNDED = /city founded and sealed/;

  before("a city is founded, and kept", async () => {
    mkdirSync(cacheDir());
    const clusters = existsSync(cache) ? readdirSync(cache).filter((name) => /^pglite-[^.]*\.[^.]*\.[^.]*$/.test(name)) : [];
    for (const name of clusters) cpSync(join(cache, name), join(cacheDir(), name), { recursive: true });
    const { said } = await history("first");
    expect(said).to.match(DEPLOYED).and.match(FOUNDED);
    expect(existsSync(place())).to.equal(true);
  });

  it("gives the next city the same history without deploying anything", async () => {
    const [first, second] = [await history("first"), await history("second")];
    expect(second.said).to.match(FOUNDED).and.not.match(DEPLOYED);
    expect(second.history).to.deep.equal(first.history);
    expect(readFileSync(join(dir("second"), "deployment.json"))).to.deep.equal(readFileSync(join(dir("first"), "deployment.json")));
    expect(isCopying(dir("second"))).to.equal(false);
    // Opened again it is a city like any other: each step of genesis is found, and none is said to be taken.
    const again = await history("second");
    expect(again.said)
      .to.match(/is opened/)
      .and.not.match(DEPLOYED)
      .and.not.match(FOUNDED);
    expect(again.history).to.deep.equal(first.history);
  });

  it("begins anew what a killed process had not copied to the end", async () => {
    const { history: expected } = await history("first");
    mkdirSync(dir("killed"));
    claimFolder(dir("killed"), SEED);
    await copyFounding(place(), dir("killed"));
    rmSync(join(dir("killed"), "records/data/pg_xact"), { recursive: true });
    rmSync(join(dir("killed"), "chain.ndjson"));
    const { said, history: found } = await history("killed");
    expect(said)
      .to.match(/founding a new city/)
      .and.match(FOUNDED);
    expect(found).to.deep.equal(expected);
  });

  for (const [what, damage] of [
    [
      "a block is another",
      (kept: string) => {
        const path = join(kept, "chain.ndjson");
        const lines = readFileSync(path, "utf8").split("\n");
        writeFileSync(path, lines.toSpliced(9, 1, (lines[9] ?? "").replace(/"hash":"0x../, '"hash":"0x00')).join("\n"));
      },
    ],
    ["the chain lacks its end", (kept: string) => truncateSync(join(kept, "chain.ndjson"), 400_000)],
    ["the records lack a file", (kept: string) => rmSync(join(kept, "records/data/global/pg_control"))],
    ["it is of no deployment", (kept: string) => rmSync(join(kept, "deployment.json"))],
  ] satisfies [string, (kept: string) => void][]) {
    it(`founds the city where what is kept is damaged, and does not believe it again: ${what}`, async () => {
      const { history: expected } = await history("first");
      const name = what.replaceAll(" ", "-");
      const kept = place();
      cpSync(kept, dir("whole"), { recursive: true });
      damage(kept);
      const { said, history: found } = await history(name);
      expect(said).to.match(FOUNDED);
      expect(found).to.deep.equal(expected);
      expect(isCopying(dir(name))).to.equal(false);
      rmSync(kept, { recursive: true, force: true });
      cpSync(dir("whole"), kept, { recursive: true });
      rmSync(dir("whole"), { recursive: true });
    });
  }

  it("is another for another seed", () => {
    expect(placeOfFounding(cacheDir(), "8")).not.to.equal(place());
  });
});

import { join } from "node:path";
import { expect } from "chai";
import { openCity } from "../../orchestrator/city/city.ts";
import { keepBusy } from "../../orchestrator/cli/demo.ts";
import { cache } from "../support/cache.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("a city that is kept busy for whoever looks at it", function () {
  this.timeout(600_000);
  const home = suiteDirectory();

  it("carries out one mission after another, slashes the liar, and decides where nobody comes to", async () => {
    const lines: string[] = [];
    const progress = (line: string) => void lines.push(line);
    const city = await openCity({ dir: join(home(), "embedded"), cacheDir: cache, seed: "7", progress, millis: () => 0 });
    try {
      await keepBusy(city, { home: home(), progress, most: 2, patience: 0, sleep: async () => {} });
      expect(lines.filter((line) => /^demo: .* is /.test(line))).to.deep.equal([
        "demo: csv-estimates is completed",
        "demo: incident-notes is completed",
      ]);
      expect(await city.client.agents.history("StakeSlashed")).to.have.length.greaterThan(0);
      expect(lines.some((line) => line.includes("waits for adjudicators"))).to.equal(true);
    } finally {
      await city.close();
    }
  });
});

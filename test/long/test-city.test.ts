/** A test city whose mission cannot go on: whoever waits for it learns why, at once. */
import { globSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createTestCity } from "../../orchestrator/agent/index.ts";
import { root } from "../../scripts/dev/files.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("a test city", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const before = process.env["TMPDIR"];
  after(() => {
    process.env["TMPDIR"] = before;
  });

  it("fails with the reason for which its city cannot go on with a mission", async () => {
    const folder = join(directory(), "cities");
    mkdirSync(folder);
    process.env["TMPDIR"] = folder;
    const city = await createTestCity({
      checkout: root,
      progress(line) {
        // What the city was given is lost before it is paid for.
        if (line.includes("the city accepted")) for (const items of globSync(join(folder, "*/city/**/posted/*.items.json"))) rmSync(items);
      },
    });
    try {
      const failed = await rejection(city.mission(join(root, "missions/csv-estimates.yaml")));
      expect(failed).to.include({ code: "TestCityFailed" });
      expect(failed.message).to.match(/ENOENT/);
      expect(failed.message).to.include("The city cannot go on with the mission");
    } finally {
      await city.close();
    }
  });
});

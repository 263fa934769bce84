/** A city is killed again and again while two strangers agree at its gateway: nothing is lost, and nothing is paid twice. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { z } from "zod";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { cache } from "../support/cache.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { type Program, programs } from "../support/programs.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");
const lineSchema = z.looseObject({ happened: z.string() });

describe("an agreement in a city that is killed", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const run = programs();
  let city: Program;

  /** Returns where it is served; a city that is started again is served at the same place. */
  async function serve(port: string): Promise<string> {
    city = run([PROGRAM, "city", "--embedded", "--port", port, "--open", "0", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: join(directory(), "city"), AGENTCITY_CACHE: cache },
    });
    return z.object({ url: z.url() }).parse(JSON.parse(await city.heard(/^\{.*\}$/m))).url;
  }

  it("ends as its terms say, to the unit", async () => {
    const [program = ""] = outsideFolder(
      join(directory(), "elsewhere"),
      ["partners.ts"],
      ["@modelcontextprotocol/client", "@a2a-js/sdk", "viem"],
    );
    const url = await serve("0");
    const { child } = run([program, url, "http", "disputed"], {
      ...{ cwd: join(directory(), "elsewhere"), env: { PATH: process.env["PATH"] } },
    });
    const said: string[] = [];
    let over: unknown;
    for await (const text of createInterface({ input: child.stdout })) {
      const { happened, ...facts } = lineSchema.parse(JSON.parse(text));
      said.push(happened);
      if (happened === "over") over = facts;
      else {
        // Whatever it asked next is on its way.
        city.child.kill("SIGKILL");
        await city.ended;
        expect(await serve(new URL(url).port)).to.equal(url);
      }
    }
    expect(said).to.deep.equal(["proposed", "signed", "funded", "delivered", "judged", "over"]);
    const { status, escrow, results } = agreementOutput.parse(over);
    expect([status, results.length]).to.deep.equal(["closed", 1]);
    expect(escrow?.paid).to.deep.equal({ provider: "2000000", client: "3000000" });
  });
});

/** A city is killed again and again while two strangers agree at its gateway: nothing is lost, and nothing is paid twice. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { z } from "zod";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { cache } from "../support/cache.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");
const lineSchema = z.looseObject({ happened: z.string() });

describe("an agreement in a city that is killed", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const started: ChildProcess[] = [];
  let city: ChildProcess;

  after(() => {
    for (const child of started) if (child.exitCode === null) child.kill("SIGKILL");
  });

  /** Returns where it is served; a city that is started again is served at the same place. */
  async function serve(port: string): Promise<string> {
    city = spawn(process.execPath, [PROGRAM, "city", "--embedded", "--port", port, "--open", "0", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: join(directory(), "city"), AGENTCITY_CACHE: cache },
      stdio: ["ignore", "pipe", "ignore"],
    });
    started.push(city);
    if (city.stdout === null) throw new Error("no output");
    const [line] = await once(createInterface({ input: city.stdout }), "line");
    return z.object({ url: z.url() }).parse(JSON.parse(String(line))).url;
  }

  it("ends as its terms say, to the unit", async () => {
    const [program = ""] = outsideFolder(
      join(directory(), "elsewhere"),
      ["partners.ts"],
      ["@modelcontextprotocol/client", "@a2a-js/sdk", "viem"],
    );
    const url = await serve("0");
    const child = spawn(process.execPath, [program, url, "http", "disputed"], {
      cwd: join(directory(), "elsewhere"),
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    const said: string[] = [];
    let over: unknown;
    for await (const text of createInterface({ input: child.stdout })) {
      const { happened, ...facts } = lineSchema.parse(JSON.parse(text));
      said.push(happened);
      if (happened === "over") over = facts;
      else {
        // Whatever it asked next is on its way.
        city.kill("SIGKILL");
        await once(city, "exit");
        expect(await serve(new URL(url).port)).to.equal(url);
      }
    }
    expect(said).to.deep.equal(["proposed", "signed", "funded", "delivered", "judged", "over"]);
    const { status, escrow, results } = agreementOutput.parse(over);
    expect([status, results.length]).to.deep.equal(["closed", 1]);
    expect(escrow?.paid).to.deep.equal({ provider: "2000000", client: "3000000" });
  });
});

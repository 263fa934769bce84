import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { z } from "zod";
import { cityDocumentSchema } from "../../orchestrator/gateway/commands/city.ts";
import { cache } from "../support/cache.ts";
import { foundHome } from "../support/city-home.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");

describe("agentcity city", function () {
  this.timeout(120_000);
  const home = temporaryDirectory();

  it("serves the city of a folder until it is stopped, and says where", async () => {
    await foundHome(home(), "7");
    const served = spawn(process.execPath, [PROGRAM, "city", "--port", "0", "--open", "0", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: home(), AGENTCITY_CACHE: cache },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(served, "exit");
    const [line] = await once(createInterface({ input: served.stdout }), "line");
    const { url } = z.object({ status: z.literal("serving"), url: z.url() }).parse(JSON.parse(String(line)));
    const { document } = cityDocumentSchema.parse(await (await fetch(`${url}/v1/city`)).json());
    expect(document.publicUrl).to.equal(url);
    expect(document.faces["seats"], "seats of agents elsewhere").to.be.a("string");
    const file = z.object({ apiUrl: z.url() }).parse(JSON.parse(readFileSync(join(home(), "embedded/city.json"), "utf8")));
    expect(file.apiUrl).to.equal(url);
    served.kill("SIGINT");
    expect((await ended)[0]).to.equal(130);
  });
});

// @long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { z } from "zod";
import { cityDocumentSchema } from "../../orchestrator/gateway/commands/city.ts";
import { OWN_CHAINS } from "../../orchestrator/protocol/outcome.ts";
import { cache } from "../support/cache.ts";
import { foundHome } from "../support/city-home.ts";
import { runCli } from "../support/cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");

type Document = z.output<typeof cityDocumentSchema>["document"];

describe("agentcity city", function () {
  this.timeout(120_000);
  const home = temporaryDirectory();

  /** Starts it, reads what it says of itself, and stops it with Ctrl-C. */
  async function serve(use: (document: Document, url: string) => void, options: readonly string[] = []): Promise<void> {
    const served = spawn(process.execPath, [PROGRAM, "city", ...options, "--port", "0", "--open", "0", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: home(), AGENTCITY_CACHE: cache },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(served, "exit");
    try {
      const [line] = await once(createInterface({ input: served.stdout }), "line");
      const { url } = z.object({ status: z.literal("serving"), url: z.url() }).parse(JSON.parse(String(line)));
      use(cityDocumentSchema.parse(await (await fetch(`${url}/v1/city`)).json()).document, url);
    } finally {
      served.kill("SIGINT");
    }
    expect((await ended)[0]).to.equal(130);
  }

  it("serves the city of a folder until it is stopped, and says where", async () => {
    await foundHome(home(), "7");
    await serve((document, url) => {
      expect(document).to.include({ network: OWN_CHAINS.embedded, publicUrl: url });
      expect(document.faces["seats"], "seats of agents elsewhere").to.be.a("string");
      const file = z.object({ apiUrl: z.url() }).parse(JSON.parse(readFileSync(join(home(), "embedded/city.json"), "utf8")));
      expect(file.apiUrl).to.equal(url);
    });
  });

  it("founds one on an Anvil of its own, which a folder keeps, and on the embedded chain only where that is asked for", async () => {
    expect((await runCli(["city", "--embedded", "--network", "anvil"], { home: home() })).code).to.equal(2);
    await serve(({ network }) => expect(network).to.equal(OWN_CHAINS.anvil));
    await serve(({ network }) => expect(network).to.equal(OWN_CHAINS.embedded), ["--embedded"]);
    await serve(({ network }) => expect(network).to.equal(OWN_CHAINS.anvil));
  });
});

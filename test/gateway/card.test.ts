/** The city's A2A card, checked by a program in another folder that has nothing of ours. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { canonicalizeAgentCard } from "@a2a-js/sdk";
import { expect } from "chai";
import { z } from "zod";
import { PRAMANA_EXTENSION, serviceRefOf } from "../../orchestrator/attestation/index.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { cardOf } from "../../orchestrator/gateway/a2a.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { AGREEMENTS_EXTENSION, extensionsOf } from "../../orchestrator/gateway/extensions.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { openHome } from "../support/city-home.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";

const run = promisify(execFile);
const saidSchema = z.looseObject({ tampered: z.record(z.string(), z.boolean()), params: z.array(z.record(z.string(), z.json())) });

describe("the city's A2A card", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let program = "";

  before(async () => {
    const packages = ["@a2a-js/sdk", "jose", "canonicalize", "viem"];
    [program = ""] = outsideFolder(join(directory(), "elsewhere"), ["card.ts"], packages);
    city = await openHome(join(directory(), "home"), "7");
    gateway = await serveGateway(city, serveOptions);
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  async function stranger() {
    const { stdout } = await run(process.execPath, [program, gateway.url], { cwd: join(directory(), "elsewhere") });
    return saidSchema.parse(JSON.parse(stdout));
  }

  it("is signed by a key that the operator names, and declares extensions that are spoken where asked", async () => {
    const { tampered, params, ...said } = await stranger();
    expect(said).to.deep.equal({
      happened: "card",
      ...{ isOperators: true, isVerified: true, isVerifiedByHand: true, clientSees: 1, silent: null, isSame: true },
      extensions: [PRAMANA_EXTENSION, AGREEMENTS_EXTENSION],
      echoed: [PRAMANA_EXTENSION, AGREEMENTS_EXTENSION],
      spokenIn: [AGREEMENTS_EXTENSION],
    });
    expect(Object.keys(tampered).length).to.be.at.least(6);
    expect(Object.entries(tampered).filter(([, isTaken]) => isTaken)).to.deep.equal([]);
    const own = COMMANDS.filter(({ group }) => group === "Agreements").map(({ name }) => name);
    expect(serviceRefOf({ capabilities: { extensions: [{ uri: PRAMANA_EXTENSION, params: params[0] }] } })).to.deep.include({
      source_schemes: ["urn"],
      verify_endpoint: `${gateway.url}/v1/attestation/verify`,
    });
    expect(params[1]).to.deep.include({ asa_version: "1.0.0", agreements_endpoint: `${gateway.url}/v1/agreements`, commands: own });
  });

  it("has the same key after a restart", async () => {
    const keys = async () => (await fetch(`${gateway.url}/.well-known/jwks.json`)).text();
    const before = await keys();
    await gateway.close();
    gateway = await serveGateway(city, serveOptions);
    expect(await keys()).to.equal(before);
  });

  it("holds nothing that one reader's canonical form has and another's leaves out", () => {
    const url = () => "https://city.example";
    const extensions = () => extensionsOf(COMMANDS, url(), { claimSources: ["urn", "https"], identitySchemes: ["w3c_did"] });
    const card = cardOf({ commands: COMMANDS, version: "1.2.3", url, extensions });
    const { name: _, ...rest } = z.looseObject({ name: z.string() }).parse(card);
    expect(Object.keys(rest)).to.not.include("signatures");
    expect(canonicalizeAgentCard(JSON.parse(canonicalJson(card)))).to.equal(canonicalJson(card));
  });
});

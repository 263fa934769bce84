/** The gateway's description of itself, as a validator of others reads it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { openHome } from "../support/city-home.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { outsidePackages } from "../support/outside-packages.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("the gateway's OpenAPI document", function () {
  this.timeout(300_000);
  const home = suiteDirectory();
  let city: City;
  let gateway: Gateway;

  before(async () => {
    city = await openHome(join(home(), "city"), "7");
    gateway = await serveGateway(city, serveOptions);
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("is valid OpenAPI 3.1, by a validator that has nothing of ours", async () => {
    const folder = join(home(), "elsewhere");
    const [program = ""] = outsideFolder(folder, ["description.ts"], ["@seriousme/openapi-schema-validator"], outsidePackages());
    const { stdout } = await promisify(execFile)(process.execPath, [program, gateway.url], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
    });
    expect(JSON.parse(stdout)).to.deep.equal({ version: "3.1", valid: true, errors: [] });
  });
});

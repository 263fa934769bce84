/** x402 by its own client, in a folder that has nothing of ours. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { openHome } from "../support/city-home.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { outsidePackages } from "../support/outside-packages.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PRICE = 10_000n;
const payTo = addressSchema.parse("0x00000000000000000000000000000000000a11ce");
const said = z.record(
  z.string(),
  z.object({ status: z.int(), paid: z.looseObject({ transaction: z.string() }).nullable(), answer: z.unknown() }),
);

describe("@x402/fetch", function () {
  this.timeout(300_000);
  const home = suiteDirectory();
  let city: City;
  let gateway: Gateway;

  before(async () => {
    city = await openHome(join(home(), "city"), "7");
    // Its authorisations are good from ten minutes ago by the machine's clock, for as long as the city says.
    await city.chain.clock.sleepUntil(BigInt(Math.floor(Date.now() / 1_000)));
    gateway = await serveGateway(city, { ...serveOptions, toll: { amount: PRICE, payTo } });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("pays for a command once, whoever asks again, and is asked again where it paid too little", async () => {
    const [program = ""] = outsideFolder(join(home(), "elsewhere"), ["payer.ts"], ["@x402/fetch", "@x402/evm", "viem"], outsidePackages());
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    const options = { intent: intentKey("test-mint", 1), account: memberOf(city.society, "deployer").account };
    await city.client.token.mint([address, 10n * PRICE], options);

    const { stdout } = await promisify(execFile)(process.execPath, [program, gateway.url], {
      cwd: join(home(), "elsewhere"),
      env: { PATH: process.env["PATH"], PAYER_KEY: key },
    });
    const lines = stdout.trim().split("\n");
    const heard = said.parse(
      Object.fromEntries(
        lines.map((line) => z.looseObject({ happened: z.string() }).parse(JSON.parse(line))).map((line) => [line.happened, line]),
      ),
    );
    expect(Object.entries(heard).map(([happened, { status }]) => [happened, status])).to.deep.equal([
      ["unpaid", 402],
      ["paid", 200],
      ["again", 200],
      ["too little", 402],
    ]);
    expect(heard["paid"]?.answer).to.have.nested.property("document.passes", true);
    expect(heard["again"]).to.deep.include({ paid: heard["paid"]?.paid, answer: heard["paid"]?.answer });
    expect([await city.client.token.balanceOf(payTo), await city.client.token.balanceOf(address)]).to.deep.equal([PRICE, 9n * PRICE]);
  });
});

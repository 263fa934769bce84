/** x402 by its own client, in a folder that has nothing of ours. */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { evaluateFinality } from "../../orchestrator/clearing/index.ts";
import { paymentOf, paymentRequired, receiptOf, X402, X402_RECEIPT, x402Target } from "../../orchestrator/clearing/x402.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { PAYMENT_HEADERS, Till } from "../../orchestrator/gateway/x402.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted, play } from "../../scripts/clearing/scenario.ts";
import { WEBHOOK_CAST, webhook } from "../../scripts/clearing/webhook.ts";
import { serveOptions, wall } from "../gateway/gateway-city.ts";
import { reading, x402Home } from "../gateway/homes.ts";
import { encoded } from "../gateway/payment.ts";
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
  let payers = 0;

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

  /** What a payer with so much money lived through. */
  async function payer(amount: bigint, { url = gateway.url, more = [] }: { url?: string; more?: readonly string[] } = {}) {
    const folder = join(home(), `elsewhere-${payers++}`);
    const [program = ""] = outsideFolder(folder, ["payer.ts"], ["@x402/fetch", "@x402/evm", "viem"], outsidePackages());
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    const options = { intent: intentKey("test-mint", address), account: memberOf(city.society, "deployer").account };
    await city.client.token.mint([address, amount], options);
    const { stdout } = await promisify(execFile)(process.execPath, [program, url, ...more], {
      cwd: folder,
      env: { PATH: process.env["PATH"], PAYER_KEY: key },
    });
    const lines = stdout.trim().split("\n");
    const told = lines.map((line) => z.looseObject({ happened: z.string() }).parse(JSON.parse(line)));
    return { address, heard: said.parse(Object.fromEntries(told.map((line) => [line.happened, line]))) };
  }

  it("pays what an agreement has come to, once: 85 % of it for 88.00 points", async () => {
    const deal = await x402Home(city).open();
    await deal.deliver();
    await deal.judge("evaluator");
    wall.now += 7_200_000;
    const { heard, address } = await payer(5_000_000n, {
      more: [JSON.stringify({ agreement: deal.id, ...reading(city.chain.id, Math.floor(wall.now / 1_000)) })],
    });
    expect(Object.entries(heard).map(([happened, { status }]) => [happened, status])).to.deep.equal([
      ["unpaid", 402],
      ["paid", 200],
      ["again", 200],
      ["too little", 409],
    ]);
    expect(heard["paid"]?.answer).to.include({ agreement: deal.id, amount: "4250000" });
    expect(heard["again"]?.paid).to.deep.equal(heard["paid"]?.paid);
    expect([await deal.received(), await city.client.token.balanceOf(address)]).to.deep.equal([4_250_000n, 750_000n]);
    const standing = await gateway.world.agreements?.get(deal.id);
    expect(standing?.owed).to.deep.include({ amount: 4_250_000n, paid: heard["paid"]?.paid?.transaction });
  });

  it("pays what a clearing's instruction asks, and the receipt makes that final", async () => {
    const { CityToken: asset } = city.client.addresses;
    const target = x402Target({ network: `eip155:${city.chain.id}`, asset, payTo });
    const rail = { execution_rail: { name: X402, mode: "exact" }, receipt_requirement: { type: X402_RECEIPT, target } };
    const scenario = webhook("x402-fetch", (terms) => ({ ...terms, settlement_policy: rail }));
    const played = await play(scenario);
    const { instruction } = played;
    const token = { name: await city.client.token.name(), version: "1" };
    const payment = instruction && paymentOf(instruction);
    if (instruction === undefined || payment === undefined) throw new Error("the scenario pays");
    const till = new Till(city.client, city.database);
    /** A buyer's counter: it asks as the instruction does, and hands the payment to the city's till. */
    const counter = createServer((request, response) => {
      const { "payment-signature": header } = request.headers;
      const url = `http://${request.headers.host}${request.url}`;
      const send = (status: number, headers: Record<string, string>, body: string): void => {
        response.writeHead(status, headers).end(body);
      };
      if (request.method === "GET")
        return send(200, {}, JSON.stringify({ document: { chainId: city.chain.id, addresses: city.client.addresses } }));
      const required = encoded(paymentRequired(instruction, { url, token }));
      if (typeof header !== "string") return send(402, { [PAYMENT_HEADERS.required]: required }, "{}");
      const asked = { url, description: "settlement", request: "", debt: instruction.instruction_id };
      return till
        .charge({ ...asked, price: async () => ({ amount: BigInt(payment.amount), payTo }) }, header, async () => "{}")
        .then(({ answer, receipt }) => send(200, { [PAYMENT_HEADERS.response]: receipt }, answer))
        .catch(() => send(402, { [PAYMENT_HEADERS.required]: required }, "{}"));
    });
    await new Promise<void>((resolve) => counter.listen(0, "127.0.0.1", resolve));
    const before = await city.client.token.balanceOf(payTo);
    const at = z.object({ port: z.int() }).parse(counter.address());
    const { heard } = await payer(5_000n, { url: `http://127.0.0.1:${at.port}` }).finally(() => counter.close());
    const { status, paid } = heard["paid"] ?? {};
    expect([status, (await city.client.token.balanceOf(payTo)) - before]).to.deep.equal([200, BigInt(payment.amount)]);

    const { deployment, engine, now } = scenario;
    const ledger = castOf("x402-fetch", WEBHOOK_CAST).signers["ci-runner"];
    const receipt = receiptOf(instruction, paid, { signer: ledger, issuedAt: "2026-05-28T15:00:00Z" });
    const environment = { appealsFiledAt: [], resolvedConflicts: [] };
    const final = (held: typeof receipt) =>
      granted(evaluateFinality({ ...played, instruction, receipt: held, deployment, engine, environment, now: now + 90_000n })).phi_result;
    expect([final(undefined), final(receipt)]).to.deep.equal([false, true]);
  });

  it("pays for a command once, whoever asks again, and is asked again where it paid too little", async () => {
    const before = await city.client.token.balanceOf(payTo);
    const { heard, address } = await payer(10n * PRICE);
    expect(Object.entries(heard).map(([happened, { status }]) => [happened, status])).to.deep.equal([
      ["unpaid", 402],
      ["paid", 200],
      ["again", 200],
      ["too little", 402],
    ]);
    expect(heard["paid"]?.answer).to.have.nested.property("document.passes", true);
    expect(heard["again"]).to.deep.include({ paid: heard["paid"]?.paid, answer: heard["paid"]?.answer });
    const received = (await city.client.token.balanceOf(payTo)) - before;
    expect([received, await city.client.token.balanceOf(address)]).to.deep.equal([PRICE, 9n * PRICE]);
  });
});

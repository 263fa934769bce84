/** x402: a paid command is answered once for a payment, and who gets no answer has paid nothing. */
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { parseSignature, recoverMessageAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { verificationDocument } from "../../orchestrator/gateway/commands/verifications.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { PaymentRequired, Till } from "../../orchestrator/gateway/x402.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { type Hash, hexSchema } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { reading, x402Home } from "./homes.ts";
import { decoded, encoded, paymentBy, requiredSchema, type Terms } from "./payment.ts";

const PRICE = 10_000n;
const payTo = addressSchema.parse("0x00000000000000000000000000000000000a11ce");
const price = async () => ({ amount: PRICE, payTo });
const BODY = { content: '{"title":"A study"}', format: "json", required: ["title"] };
const receiptSchema = z.object({ success: z.literal(true), transaction: z.string(), network: z.string(), payer: addressSchema });

describe("a paid command", function () {
  this.timeout(60_000);
  const home = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let payments = 0;

  before(async () => {
    city = await openHome(join(home(), "city"), "7");
    gateway = await serveGateway(city, { ...serveOptions, toll: { amount: PRICE, payTo } });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  const balanceOf = (address: `0x${string}`) => city.client.token.balanceOf(address);

  /** A key with so much play money. */
  async function payer(amount = 10n * PRICE) {
    const account = privateKeyToAccount(generatePrivateKey());
    payments += 1;
    const options = { intent: intentKey("test-mint", payments), account: memberOf(city.society, "deployer").account };
    await city.client.token.mint([account.address, amount], options);
    return account;
  }

  const ask = (body: unknown = BODY, payment?: string) =>
    fetch(`${gateway.url}/v1/verifications`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(payment === undefined ? {} : { "payment-signature": payment }) },
      body: JSON.stringify(body),
    });

  async function termsAsked(): Promise<Terms> {
    const answer = await ask();
    expect(answer.status).to.equal(402);
    return requiredSchema.parse(decoded(answer.headers.get("payment-required"))).accepts[0];
  }

  /** What a payer signs for what is asked; `more` replaces terms of the transfer, after which it is signed. */
  async function signed(
    by: Awaited<ReturnType<typeof payer>>,
    more: { readonly value?: bigint; readonly nonce?: Hash; readonly validAfter?: bigint } = {},
  ) {
    const accepted = await termsAsked();
    return paymentBy(by, accepted, { now: city.chain.clock.now(), nonce: sha256(`${payments} ${by.address}`), ...more });
  }

  async function refused(body: unknown, payment?: string): Promise<string> {
    const answer = await ask(body, payment);
    expect(answer.status).to.equal(402);
    return requiredSchema.parse(decoded(answer.headers.get("payment-required"))).error;
  }

  it("says what it costs, whom it pays, and for what", async () => {
    const accepted = await termsAsked();
    expect(accepted).to.deep.include({ amount: "10000", payTo, asset: city.client.addresses.CityToken });
    expect(await refused(BODY, "nonsense")).to.contain("version 2");
  });

  it("is answered once for a payment, however often it is asked, and by how many at once", async () => {
    const by = await payer();
    const { header } = await signed(by);
    const before = await balanceOf(payTo);
    const answers = await Promise.all([1, 2, 3].map(() => ask(BODY, header)));
    const again = await ask(BODY, header);
    const texts = await Promise.all([...answers, again].map((answer) => answer.text()));
    expect(new Set(texts).size).to.equal(1);
    const { document, key, signature } = z
      .object({ document: verificationDocument, key: addressSchema, signature: hexSchema })
      .parse(JSON.parse(texts[0] ?? ""));
    expect(document).to.deep.include({ passes: true, problems: [], deliverable: sha256(BODY.content) });
    expect(await recoverMessageAddress({ message: canonicalJson(document), signature })).to.equal(key);
    const receipts = [...answers, again].map((answer) => receiptSchema.parse(decoded(answer.headers.get("payment-response"))));
    expect(new Set(receipts.map(({ transaction }) => transaction)).size).to.equal(1);
    expect(receipts[0]?.payer).to.equal(by.address);
    expect([(await balanceOf(payTo)) - before, await balanceOf(by.address)]).to.deep.equal([PRICE, 9n * PRICE]);
    expect(await refused({ ...BODY, content: "{}" }, header)).to.contain("something else");
  });

  it("takes no other amount, payee, time, signature or nonce, and nothing from who has nothing", async () => {
    const by = await payer();
    const before = await balanceOf(payTo);
    const now = city.chain.clock.now();
    expect(await refused(BODY, (await signed(by, { value: PRICE - 1n })).header)).to.contain(`${PRICE} is asked`);
    expect(await refused(BODY, (await signed(by, { validAfter: now + 50n })).header)).to.contain("not good yet");
    const { header, signature, message } = await signed(by);
    const payment = z
      .looseObject({ accepted: z.looseObject({}), payload: z.looseObject({ authorization: z.looseObject({}) }) })
      .parse(decoded(header));
    const elsewhere = { ...payment, payload: { ...payment.payload, authorization: { ...payment.payload.authorization, to: by.address } } };
    expect(await refused(BODY, encoded(elsewhere))).to.contain("somebody else");
    const others = await signed(await payer());
    const forged = { ...payment, payload: { ...payment.payload, signature: others.signature } };
    expect(await refused(BODY, encoded(forged))).to.contain("not its payer's");
    const cheap = { ...payment, accepted: { ...payment.accepted, amount: "1" } };
    expect(await refused(BODY, encoded(cheap))).to.contain("amount");
    expect(await refused(BODY, (await signed(await payer(1n))).header)).to.contain("does not have");

    // Signed for this price, and cancelled before it comes.
    const cancelled = await by.signTypedData({
      domain: { name: await city.client.token.name(), version: "1", chainId: 31337, verifyingContract: city.client.addresses.CityToken },
      types: {
        CancelAuthorization: [
          { name: "authorizer", type: "address" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "CancelAuthorization",
      message: { authorizer: by.address, nonce: message.nonce },
    });
    const { r, s, yParity } = parseSignature(cancelled);
    await city.client.token.cancelAuthorization([by.address, message.nonce, 27 + yParity, r, s], { intent: intentKey("test-cancel", 1) });
    expect(await refused(BODY, header)).to.contain("used or cancelled");
    expect(signature).to.be.a("string");
    expect(await balanceOf(payTo)).to.equal(before);
  });

  it("is sent on for a provider within what the city spends on strangers, and is owed until then", async () => {
    const deal = await x402Home(city).open({ isImmediate: true });
    await deal.deliver();
    await deal.judge("evaluator");
    const { agreements, relays } = gateway.world;
    const { owed } = (await agreements?.get(deal.id)) ?? {};
    const now = Math.floor(wall.now / 1_000);
    await city.database.query("INSERT INTO relayed (act, subject, at, gas) VALUES (0, $1, $2, $3)", [
      `principal ${owed?.payTo}`,
      now,
      String(relays.most / 40n),
    ]);
    const body = JSON.stringify({ agreement: deal.id, ...reading(city.chain.id, now) });
    const pay = (header = "") =>
      fetch(`${gateway.url}/v1/agreement-payments`, {
        ...{ method: "POST", body },
        headers: { "content-type": "application/json", ...(header === "" ? {} : { "payment-signature": header }) },
      });
    const { accepts } = requiredSchema.parse(decoded((await pay()).headers.get("payment-required")));
    const by = await payer(5_000_000n);
    const { header } = await paymentBy(by, accepts[0], { now: city.chain.clock.now(), nonce: sha256(`owed ${by.address}`) });
    expect(await (await pay(header)).text()).to.contain("RelayQuota");
    expect(await deal.received()).to.equal(0n);
    await city.database.query("DELETE FROM relayed");
    expect((await pay(header)).status).to.equal(200);
    expect(await deal.received()).to.equal(4_250_000n);
  });

  it("is paid for an agreement as it was read, once under a key, whoever asks again", async () => {
    const deal = await x402Home(city).open({ isImmediate: true });
    await deal.deliver();
    const proof = reading(city.chain.id, Math.floor(wall.now / 1_000));
    const body = { agreement: deal.id, ...proof };
    const query = new URLSearchParams(Object.fromEntries(Object.entries(proof).map(([name, value]) => [name, String(value)])));
    const tagNow = async () => (await fetch(`${gateway.url}/v1/agreements/${deal.id}?${query}`)).headers.get("etag") ?? "";
    const pay = async (headers: Record<string, string>, asked: object = body) => {
      const sent = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(asked) };
      const answer = await fetch(`${gateway.url}/v1/agreement-payments`, sent);
      const [receipt, terms] = ["payment-response", "payment-required"].map((name) => answer.headers.get(name));
      return { status: answer.status, text: await answer.text(), receipt, terms };
    };
    const early = await tagNow();
    await deal.judge("evaluator");
    const late = await tagNow();
    expect(late)
      .to.match(/^"[\w-]{43}"$/)
      .and.not.equal(early);

    const key = { "idempotency-key": "this-debt" };
    const { status, terms } = await pay({ ...key, "if-match": late });
    expect(status, "a price uses no key up").to.equal(402);
    const { accepts } = requiredSchema.parse(decoded(terms ?? null));
    const by = await payer(5_000_000n);
    const { header } = await paymentBy(by, accepts[0], { now: city.chain.clock.now(), nonce: sha256(`keyed ${by.address}`) });
    const payment = { "payment-signature": header };
    for (const condition of [{ "if-match": early }, { "if-match": `W/${late}` }, { "if-none-match": late }]) {
      expect((await pay(condition)).status, JSON.stringify(condition)).to.equal(412);
      expect((await pay({ ...payment, ...key, ...condition })).status, "no payment is taken").to.equal(412);
    }
    expect([await deal.received(), await balanceOf(by.address)]).to.deep.equal([0n, 5_000_000n]);

    const paid = await Promise.all([1, 2, 3].map(() => pay({ ...payment, ...key, "if-match": late })));
    expect(paid.map((each) => each.status)).to.deep.equal([200, 200, 200]);
    expect(new Set(paid.map(({ text, receipt }) => `${text} ${receipt}`)).size).to.equal(1);
    expect(await tagNow(), "it is paid by now").to.not.equal(late);
    // Whoever lost the answer asks the same again, and is not told that the agreement has changed, or that nothing is owed.
    expect(await pay({ ...payment, ...key, "if-match": late })).to.deep.equal(paid[0]);
    const other = await pay(key, { ...body, agreement: sha256("another") });
    expect([other.status, other.text.includes("KeyReused")]).to.deep.equal([422, true]);
    expect((await pay({ "idempotency-key": "another-key" })).text).to.include("NothingOwed");
    expect(await deal.received()).to.equal(4_250_000n);
    expect(await balanceOf(by.address)).to.equal(750_000n);
  });

  it("is paid over MCP too, in the place that x402 has for it", async () => {
    const client = new Client({ name: "payer", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", gateway.url)));
    const use = (payment?: unknown) =>
      client.callTool({
        ...{ name: "verify_deliverable", arguments: BODY },
        ...(payment === undefined ? {} : { _meta: { "x402/payment": payment } }),
      });
    const unpaid = await use();
    expect(unpaid.isError).to.equal(true);
    const { accepts } = requiredSchema.parse(unpaid.structuredContent);
    expect(unpaid.content).to.deep.equal([{ type: "text", text: canonicalJson(unpaid.structuredContent) }]);
    const by = await payer();
    const nonce = sha256(`over mcp ${by.address}`);
    const payment = decoded((await paymentBy(by, accepts[0], { now: city.chain.clock.now(), nonce })).header);
    const [first, again] = [await use(payment), await use(payment)];
    const receipts = [first, again].map(({ _meta }) => receiptSchema.parse(_meta?.["x402/payment-response"]).transaction);
    expect(new Set(receipts).size, "charged once").to.equal(1);
    expect(again.structuredContent).to.deep.equal(first.structuredContent);
    expect(first.structuredContent).to.have.nested.property("document.passes", true);
    expect(await balanceOf(by.address)).to.equal(9n * PRICE);
    expect((await use("nonsense")).isError).to.equal(true);
    await client.close();
  });

  it("costs nothing where it is not answered", async () => {
    const by = await payer();
    const { header } = await signed(by);
    const answer = await ask({ ...BODY, format: "poem" }, header);
    expect(answer.status).to.equal(400);
    expect(await balanceOf(by.address)).to.equal(10n * PRICE);
    const tool = await fetch(`${gateway.url}/a2a`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "SendMessage",
        params: { message: { messageId: "1", role: "ROLE_USER", parts: [{ data: { command: "verify_deliverable", fields: BODY } }] } },
      }),
    });
    expect(await tool.text()).to.contain("PaidOverHttp");
  });

  it("is paid all the same where somebody else hands the payment in first", async () => {
    const by = await payer();
    const { header, message, signature } = await signed(by);
    const till = new Till(city.client, city.database);
    const asked = { url: "http://127.0.0.1/", description: "", request: "the same", price };
    const early = async () => {
      const { r, s, yParity } = parseSignature(signature);
      const { from, to, value, validAfter, validBefore, nonce } = message;
      const args = [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s] as const;
      await city.client.token.transferWithAuthorization(args, { intent: intentKey("somebody", nonce) });
      return "answered";
    };
    const { answer, receipt } = await till.charge(asked, header, early);
    expect(answer).to.equal("answered");
    const [used] = await city.client.token.history("AuthorizationUsed", { authorizer: by.address, nonce: message.nonce });
    expect(receiptSchema.parse(decoded(receipt)).transaction).to.equal(used?.transactionHash);
    expect(await balanceOf(by.address)).to.equal(9n * PRICE);
  });

  it("is not paid, and not answered again, where the payer spent its money meanwhile", async () => {
    const by = await payer(PRICE);
    const { header } = await signed(by);
    const till = new Till(city.client, city.database);
    const other = await signed(by, { nonce: sha256("another payment of the same money") });
    const spend = async () => {
      expect((await ask(BODY, other.header)).status).to.equal(200);
      return "answered";
    };
    const asked = { url: "http://127.0.0.1/", description: "", request: "twice", price };
    expect(await rejection(till.charge(asked, header, spend))).to.be.instanceOf(PaymentRequired);
    expect(await city.database.query("SELECT nonce FROM gateway_payments WHERE settled IS NULL")).to.deep.equal([]);
  });

  it("is settled later where the process ends between answer and payment, once", async () => {
    const by = await payer();
    const { header } = await signed(by);
    const { token } = city.client;
    const ended = () => Promise.reject(new Error("the power went"));
    const cut = { ...city.client, token: { ...token, transferWithAuthorization: ended } };
    const asked = { url: "http://127.0.0.1/", description: "", request: "cut", price };
    expect((await rejection(new Till(cut, city.database).charge(asked, header, async () => "answered"))).message).to.equal(
      "the power went",
    );
    expect(await balanceOf(by.address)).to.equal(10n * PRICE);

    const next = new Till(city.client, city.database);
    const told: string[] = [];
    await next.reconcile((line) => told.push(line));
    expect(told).to.deep.equal([]);
    expect(await balanceOf(by.address)).to.equal(9n * PRICE);
    const again = await next.charge(asked, header, () => Promise.reject(new Error("made twice")));
    expect(again.answer).to.equal("answered");
    expect(await balanceOf(by.address)).to.equal(9n * PRICE);
  });
});

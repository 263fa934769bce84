/** Breakers of agreements at a served gateway: what adjudicators sign, what parties run into, and the way out that stays. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encodeDeployData } from "viem";
import { z } from "zod";
import { parseArtifact } from "../../deploy/artifacts.ts";
import type { AgreementLife, BreakerOutcome } from "../../orchestrator/agreements/index.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { signSessionMessage } from "../../orchestrator/client/sign/session-message.ts";
import { AgreementDesk } from "../../orchestrator/gateway/agreement-desk.ts";
import { type AgreementStop, AgreementStops } from "../../orchestrator/gateway/agreement-stops.ts";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { accept, cancel, challenge, deliver, proposing, result, SIGNED, START, sign } from "../agreements/acts.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";
import { escrowHome } from "./homes.ts";

const breakersSchema = z.looseObject({
  breakers: z.array(z.looseObject({ breaker: z.string(), open: z.int(), until: z.int().nullable() })),
});
/** 88.00 points, which pay 85 %. */
const GOOD = { accuracy: 88, completeness: 82, relevance: 91, sources: 5, writing: 82 };
const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const walletArtifact = parseArtifact(
  readFileSync(join(import.meta.dirname, "../../artifacts/test/contracts/harness/OwnedWallet.sol/OwnedWallet.json"), "utf8"),
);

describe("breakers of agreements at the gateway", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let now = START;

  const open = () => serveGateway(city, { ...serveOptions, millis: () => now * 1_000 });
  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    gateway = await open();
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  async function call(path: string, body?: object) {
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    const answer = await fetch(gateway.url + path, body === undefined ? {} : { ...json, body: canonicalJson({ ...body }) });
    return { status: answer.status, body: z.json().parse(await answer.json()) };
  }
  const codeOf = ({ body }: { readonly body: unknown }) => errorSchema.safeParse(body).data?.error.code ?? "taken";
  const keyOf = (name: string) => memberOf(city.society, name === "deployer" ? "deployer" : "adjudicator", name).account;

  async function signedStop(by: string, seconds: number, change: Partial<AgreementStop> = {}, as = by) {
    const query = `adjudicator=${keyOf(by).address}&seconds=${seconds}`;
    const { body } = await call(`/v1/agreement-stop-drafts?${query}`);
    const { message } = z
      .object({ message: z.object({ stops: z.boolean(), until: z.int(), nonce: z.int(), deadline: z.int() }) })
      .parse(body);
    const stop = { adjudicator: keyOf(by).address, ...message, ...change };
    return { ...stop, signature: await signSessionMessage(city.client, keyOf(as), "AgreementStop", stop) };
  }
  const stopWith = async (stop: object) => codeOf(await call("/v1/agreement-stops", stop));
  const fieldsOf = (act: object) => {
    const { act: _, ...fields } = z.looseObject({ act: z.string() }).parse(act);
    return fields;
  };
  const propose = (name: string) => call("/v1/agreements", fieldsOf(proposing(name)));
  const openAtHealth = async () => breakersSchema.parse((await call("/health")).body).breakers.map(({ breaker }) => breaker);

  it("begin nothing while an adjudicator's stop holds, let everything that began end, and begin again by another's word", async () => {
    const desk = gateway.world.agreements;
    if (desk === undefined) throw new Error("no agreements");
    let begun = await desk.propose(proposing("begun"));
    for (const step of SIGNED) begun = await desk.take(begun.id, step(begun.life));
    let accepted = await desk.propose(proposing("accepted"));
    accepted = await desk.take(accepted.id, accept(accepted.life, "provider"));
    let ended = await desk.propose(proposing("cancelled"));
    for (const step of SIGNED) ended = await desk.take(ended.id, step(ended.life));

    const stop = await signedStop("adjudicator-1", 86_400);
    expect(await stopWith({ ...stop, until: stop.until + 1 }), "changed after it was signed").to.equal("BadSignature");
    expect(await stopWith(await signedStop("adjudicator-1", 60, {}, "adjudicator-2")), "another's key").to.equal("BadSignature");
    expect(await stopWith(await signedStop("deployer", 60)), "no seat").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-1", 60, { nonce: 1 })), "out of turn").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-1", 60, { deadline: now - 1 })), "stale").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-1", 60, { until: now + 8 * 86_400 })), "longer than a week").to.equal(
      "StopRefused",
    );
    expect(await stopWith(await signedStop("adjudicator-1", 0)), "nothing is stopped").to.equal("StopRefused");
    expect(await stopWith(stop)).to.equal("taken");
    expect(await stopWith(stop), "replayed").to.equal("StopRefused");
    await gateway.sync();
    expect(await openAtHealth()).to.deep.equal(["stop"]);

    const late = await propose("while-stopped");
    expect([late.status, codeOf(late)]).to.deep.equal([503, "BreakerOpen"]);
    const signature = await call("/v1/agreement-signatures", { agreement: accepted.id, ...fieldsOf(sign(accepted.life, "client")) });
    expect(codeOf(signature)).to.equal("BreakerOpen");
    const exits = [
      ["/v1/agreement-deliveries", deliver],
      ["/v1/agreement-results", (life: AgreementLife) => result(life, "evaluator")],
      ["/v1/agreement-challenges", (life: AgreementLife) => challenge(life, "client")],
    ] as const;
    for (const [path, act] of exits) {
      const { life } = await desk.get(begun.id);
      expect(codeOf(await call(path, { agreement: begun.id, ...fieldsOf(act(life)) })), path).to.equal("taken");
    }
    const cancelled = await call("/v1/agreement-cancellations", { agreement: ended.id, ...fieldsOf(cancel(ended.life)) });
    expect(agreementOutput.parse(cancelled.body).status).to.equal("closed");

    // It holds through a restart: it is what the city's records say.
    await gateway.close();
    gateway = await open();
    expect(codeOf(await propose("after-a-restart"))).to.equal("BreakerOpen");
    expect(await stopWith(await signedStop("adjudicator-2", 0))).to.equal("taken");
    await gateway.sync();
    expect(await openAtHealth()).to.deep.equal([]);
    expect(codeOf(await propose("begun-again"))).to.equal("taken");
    expect(await stopWith(await signedStop("adjudicator-1", 60)), "the same one, once more").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-2", 60)), "another").to.equal("taken");
    now += 60;
    expect(codeOf(await propose("by-the-clock"))).to.equal("taken");
  });

  it("are stopped by an adjudicator that is a contract, as its owner signs (ERC-1271), and by no other contract", async () => {
    const { client, database } = city;
    const owner = keyOf("adjudicator-3");
    const data = encodeDeployData({ ...walletArtifact, args: [owner.address] });
    const { contractAddress } = await city.sender.send({ intent: intentKey("test-wallet"), data, account: keyOf("deployer") });
    const wallet = addressSchema.parse(contractAddress);
    const roster = { ...client.roster, isActive: async (who: Address) => who === wallet || client.roster.isActive(who) };
    const stops = new AgreementStops({ sql: database, client: { chain: client.chain, addresses: client.addresses, roster } });
    const later = now + 30 * 86_400;
    const { message } = await stops.draft(wallet, 60, later);
    const signed = await signSessionMessage(client, owner, "AgreementStop", message);
    const refusalOf = async (stop: AgreementStop, signature: Hex, of = stops) =>
      of.take(stop, signature, later).then(
        () => "taken",
        ({ name }: Error) => name,
      );
    expect(await refusalOf(message, await signSessionMessage(client, keyOf("adjudicator-4"), "AgreementStop", message))).to.equal(
      "BadSignature",
    );
    expect(await refusalOf({ ...message, until: message.until + 1 }, signed), "another message").to.equal("BadSignature");
    expect(await refusalOf(message, "0x00"), "no signature").to.equal("BadSignature");
    const unseated = new AgreementStops({ sql: database, client });
    expect(await refusalOf(message, signed, unseated), "a wallet without a seat").to.equal("StopRefused");
    expect(await refusalOf(message, signed)).to.equal("taken");
    // Of another form than an account's signature: the gateway leaves that to the contract.
    const long: `0x${string}` = `0x${"ab".repeat(400)}`;
    expect(await stopWith({ ...(await signedStop("adjudicator-5", 60)), signature: long })).to.equal("BadSignature");
  });

  it("keep an evaluator that lets its time run out from those who waited, and let them off by the clock", async () => {
    const desk = gateway.world.agreements;
    if (desk === undefined) throw new Error("no agreements");
    const unheard = async (name: string) => {
      let { id, life } = await desk.propose(proposing(name, now + 864_000));
      for (const step of [...SIGNED, deliver]) ({ life } = await desk.take(id, step(life)));
      return id;
    };
    for (const name of ["silent-1", "silent-2", "silent-3"]) await unheard(name);
    now += 601;
    expect(codeOf(await call("/v1/agreements", fieldsOf(proposing("a-fourth", now + 864_000))))).to.equal("BreakerOpen");
    await gateway.sync();
    expect(await openAtHealth()).to.deep.equal(["silence"]);
    // A desk that has just begun reads the same out of what is kept.
    const { chain, client, database } = city;
    const anew = new AgreementDesk({
      sql: database,
      chain,
      token: client.addresses.CityToken,
      escrow: undefined,
      millis: () => now * 1_000,
    });
    expect(await rejection(anew.propose(proposing("elsewhere", now + 864_000)))).to.include({ code: "BreakerOpen" });
    now += 86_400;
    expect(codeOf(await call("/v1/agreements", fieldsOf(proposing("a-day-later", now + 864_000))))).to.equal("taken");
  });

  it("put no money into an escrow while stopped or while payments are lost, and let go of all that lies there", async () => {
    const escrow = city.client.addresses.AgreementEscrow;
    let stops: readonly BreakerOutcome[] = [];
    let lost = 0;
    const home = escrowHome(city, escrow, { stops: async () => stops, unknown: async () => lost });
    const [paid, late] = [await home.open(), await home.open()];
    await paid.begin();
    lost = 3;
    expect(await rejection(late.begin())).to.include({ code: "BreakerOpen" });
    lost = 0;
    stops = [{ what: "stopped", at: START - 1, by: "0xa", until: START + 60 }];
    expect(await rejection(late.begin())).to.include({ code: "BreakerOpen" });
    await paid.deliver();
    await paid.judge("evaluator", GOOD);
    await paid.challenge();
    await paid.silence();
    await paid.collect();
    expect(await paid.received()).to.equal(4_250_000n);
    stops = [];

    // What was signed before the stop is not sent on either.
    let asked = 0;
    const stopped = { what: "stopped" as const, at: START - 1, by: "0xa", until: START + 60 };
    const meanwhile = escrowHome(city, escrow, { stops: async () => (hasSigned && ++asked > 1 ? [stopped] : []) });
    let hasSigned = false;
    const deal = await meanwhile.open();
    hasSigned = true;
    expect(await rejection(deal.cutAndResume())).to.include({ code: "BreakerOpen" });
    expect(await deal.spent()).to.equal(0n);
  });

  it("count proposals of an hour, of the client alone", async () => {
    const desk = gateway.world.agreements;
    if (desk === undefined) throw new Error("no agreements");
    now += 864_000;
    const { life } = await desk.propose(proposing("rate", now + 864_000));
    const { scheme, value } = life.agreement.parties.client.identity;
    await city.database.query(
      `INSERT INTO gateway_agreements (id, acts, opened, client, over_by) SELECT '0x' || lpad(to_hex(number), 64, '0'), 1, $1::bigint, $2, $1::bigint
       FROM generate_series(1, 255) AS number`,
      [now, `${scheme}:${value}`],
    );
    expect(await rejection(desk.propose(proposing("too-many", now + 864_000)))).to.include({ code: "BreakerOpen" });
    expect(breakersSchema.parse((await call("/v1/agreement-breakers")).body).breakers).to.have.nested.property("[0].breaker", "rate");
    now += 3_600;
    expect((await desk.propose(proposing("an-hour-later", now + 864_000))).status).to.equal("proposed");
  });
});

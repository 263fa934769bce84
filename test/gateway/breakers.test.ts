/** Breakers of agreements at a served gateway: what adjudicators sign, what parties run into, and the way out that stays. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encodeDeployData } from "viem";
import { z } from "zod";
import { parseArtifact } from "../../deploy/artifacts.ts";
import type { AgreementLife, BreakerOutcome } from "../../orchestrator/agreements/index.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { signSessionMessage } from "../../orchestrator/client/sign/session-message.ts";
import { type AgreementStop, AgreementStops } from "../../orchestrator/gateway/agreements/stops.ts";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import { accept, cancel, challenge, deliver, proposing, result, SIGNED, START, sign } from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity, fieldsOf } from "./agreement-city.ts";
import { escrowHome } from "./homes.ts";

const breakersSchema = z.looseObject({
  breakers: z.array(z.looseObject({ breaker: z.string(), open: z.int(), until: z.int().nullable() })),
});
/** 88.00 points, which pay 85 %. */
const GOOD = { accuracy: 88, completeness: 82, relevance: 91, sources: 5, writing: 82 };

const walletArtifact = parseArtifact(
  readFileSync(join(import.meta.dirname, "../../artifacts/test/contracts/harness/OwnedWallet.sol/OwnedWallet.json"), "utf8"),
);

describe("breakers of agreements at the gateway", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  before(() => home.serve());
  const call: AgreementCity["call"] = (path, asked) => home.call(path, asked);
  /** What becomes of it: `taken`, or why not. */
  const sent = async (path: string, body: object) => (await call(path, { body })).code;
  const keyOf = (name: string) => memberOf(home.city.society, name === "deployer" ? "deployer" : "adjudicator", name).account;

  async function signedStop(by: string, seconds: number, change: Partial<AgreementStop> = {}, as = by) {
    const query = `adjudicator=${keyOf(by).address}&seconds=${seconds}`;
    const { body } = await call(`/v1/agreement-stop-drafts?${query}`);
    const { message } = z
      .object({ message: z.object({ stops: z.boolean(), until: z.int(), nonce: z.int(), deadline: z.int() }) })
      .parse(body);
    const stop = { adjudicator: keyOf(by).address, ...message, ...change };
    return { ...stop, signature: await signSessionMessage(home.city.client, keyOf(as), "AgreementStop", stop) };
  }
  const stopWith = (stop: object) => sent("/v1/agreement-stops", stop);
  const propose = (name: string) => call("/v1/agreements", { body: fieldsOf(proposing(name)) });
  const openAtHealth = async () => breakersSchema.parse((await call("/health")).body).breakers.map(({ breaker }) => breaker);

  it("begin nothing while an adjudicator's stop holds, let everything that began end, and begin again by another's word", async () => {
    const desk = home.served;
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
    expect(await stopWith(await signedStop("adjudicator-1", 60, { deadline: home.now - 1 })), "stale").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-1", 60, { until: home.now + 8 * 86_400 })), "longer than a week").to.equal(
      "StopRefused",
    );
    expect(await stopWith(await signedStop("adjudicator-1", 0)), "nothing is stopped").to.equal("StopRefused");
    expect(await stopWith(stop)).to.equal("taken");
    expect(await stopWith(stop), "replayed").to.equal("StopRefused");
    await home.gateway.sync();
    expect(await openAtHealth()).to.deep.equal(["stop"]);

    const late = await propose("while-stopped");
    expect([late.status, late.code]).to.deep.equal([503, "BreakerOpen"]);
    const signature = await sent("/v1/agreement-signatures", { agreement: accepted.id, ...fieldsOf(sign(accepted.life, "client")) });
    expect(signature).to.equal("BreakerOpen");
    const exits = [
      ["/v1/agreement-deliveries", deliver],
      ["/v1/agreement-results", (life: AgreementLife) => result(life, "evaluator")],
      ["/v1/agreement-challenges", (life: AgreementLife) => challenge(life, "client")],
    ] as const;
    for (const [path, act] of exits) {
      const { life } = await desk.get(begun.id);
      expect(await sent(path, { agreement: begun.id, ...fieldsOf(act(life)) }), path).to.equal("taken");
    }
    const cancelled = await call("/v1/agreement-cancellations", { body: { agreement: ended.id, ...fieldsOf(cancel(ended.life)) } });
    expect(agreementOutput.parse(cancelled.body).status).to.equal("closed");

    // It holds through a restart: it is what the city's records say.
    await home.serve();
    expect((await propose("after-a-restart")).code).to.equal("BreakerOpen");
    expect(await stopWith(await signedStop("adjudicator-2", 0))).to.equal("taken");
    await home.gateway.sync();
    expect(await openAtHealth()).to.deep.equal([]);
    expect((await propose("begun-again")).code).to.equal("taken");
    expect(await stopWith(await signedStop("adjudicator-1", 60)), "the same one, once more").to.equal("StopRefused");
    expect(await stopWith(await signedStop("adjudicator-2", 60)), "another").to.equal("taken");
    home.now += 60;
    expect((await propose("by-the-clock")).code).to.equal("taken");
  });

  it("are stopped by an adjudicator that is a contract, as its owner signs (ERC-1271), and by no other contract", async () => {
    const { client, database } = home.city;
    const owner = keyOf("adjudicator-3");
    const data = encodeDeployData({ ...walletArtifact, args: [owner.address] });
    const { contractAddress } = await home.city.sender.send({ intent: intentKey("test-wallet"), data, account: keyOf("deployer") });
    const wallet = addressSchema.parse(contractAddress);
    const roster = { ...client.roster, isActive: async (who: Address) => who === wallet || client.roster.isActive(who) };
    const stops = new AgreementStops({ sql: database, client: { chain: client.chain, addresses: client.addresses, roster } });
    const later = home.now + 30 * 86_400;
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
    const desk = home.served;
    const unheard = async (name: string) => {
      let { id, life } = await desk.propose(proposing(name, home.now + 864_000));
      for (const step of [...SIGNED, deliver]) ({ life } = await desk.take(id, step(life)));
      return id;
    };
    for (const name of ["silent-1", "silent-2", "silent-3"]) await unheard(name);
    home.now += 601;
    expect(await sent("/v1/agreements", fieldsOf(proposing("a-fourth", home.now + 864_000)))).to.equal("BreakerOpen");
    await home.gateway.sync();
    expect(await openAtHealth()).to.deep.equal(["silence"]);
    // A desk that has just begun reads the same out of what is kept.
    const anew = home.desk({ limits: undefined });
    expect(await rejection(anew.propose(proposing("elsewhere", home.now + 864_000)))).to.include({ code: "BreakerOpen" });
    home.now += 86_400;
    expect(await sent("/v1/agreements", fieldsOf(proposing("a-day-later", home.now + 864_000)))).to.equal("taken");
  });

  it("put no money into an escrow while stopped or while payments are lost, and let go of all that lies there", async () => {
    const escrow = home.city.client.addresses.AgreementEscrow;
    let stops: readonly BreakerOutcome[] = [];
    let lost = 0;
    const lying = escrowHome(home.city, escrow, { stops: async () => stops, unknown: async () => lost });
    const [paid, late] = [await lying.open(), await lying.open()];
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
    const meanwhile = escrowHome(home.city, escrow, { stops: async () => (hasSigned && ++asked > 1 ? [stopped] : []) });
    let hasSigned = false;
    const deal = await meanwhile.open();
    hasSigned = true;
    expect(await rejection(deal.cutAndResume())).to.include({ code: "BreakerOpen" });
    expect(await deal.spent()).to.equal(0n);
  });

  it("count proposals of an hour, of the client alone", async () => {
    const desk = home.served;
    home.now += 864_000;
    const { life } = await desk.propose(proposing("rate", home.now + 864_000));
    const { scheme, value } = life.agreement.parties.client.identity;
    await home.city.database.query(
      `INSERT INTO gateway_agreements (id, acts, opened, client, over_by) SELECT '0x' || lpad(to_hex(number), 64, '0'), 1, $1::bigint, $2, $1::bigint
       FROM generate_series(1, 255) AS number`,
      [home.now, `${scheme}:${value}`],
    );
    expect(await rejection(desk.propose(proposing("too-many", home.now + 864_000)))).to.include({ code: "BreakerOpen" });
    expect(breakersSchema.parse((await call("/v1/agreement-breakers")).body).breakers).to.have.nested.property("[0].breaker", "rate");
    home.now += 3_600;
    expect((await desk.propose(proposing("an-hour-later", home.now + 864_000))).status).to.equal("proposed");
  });
});

/** Tests of evaluators: who is tested, by what, what silence counts for, and what it leads to. */
import { expect } from "chai";
import { z } from "zod";
import {
  type AgreementLife,
  agreementHash,
  canaryTask,
  draftResult,
  type Measured,
  messageBytes,
  resultHash,
} from "../../orchestrator/agreements/index.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import { Canaries } from "../../orchestrator/gateway/canaries.ts";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { type Hash, hashSchema } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { deliver, identityOf, people, proposing, result, SIGNED } from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";

const SEMANTIC = { strategy: "immediate", depth: "semantic", challenge_window_seconds: 7_200, evaluator_timeout_seconds: 600 } as const;
const verification = { ...SEMANTIC, canary_tasks: { enabled: true } };
const healthSchema = z.looseObject({
  breakers: z.array(z.looseObject({ breaker: z.string() })),
  canaries: z.object({ asked: z.int(), passed: z.int(), failed: z.int() }),
});

/** The percentage of lines that are right: what an evaluator who looks finds. */
function accuracyOf(uri: string): number {
  const lines = Buffer.from(uri.split(",")[1] ?? "", "base64")
    .toString()
    .trim()
    .split("\n");
  const right = lines.filter((line) => {
    const [, first, second, product] = /^(\d+) \* (\d+) = (\d+)$/.exec(line) ?? [];
    return Number(first) * Number(second) === Number(product);
  });
  return (100 * right.length) / lines.length;
}
function judgement(life: AgreementLife, measured: Measured) {
  const deliverableHash = life.delivery?.deliverable_hash;
  if (deliverableHash === undefined) throw new Error("nothing was delivered");
  const at = { verification_id: "v", timestamp: "2027-01-15T08:00:00Z", deliverableHash, identity: identityOf(people.evaluator) };
  const body = draftResult(life.agreement, at, { measured, evidence: { accuracy: "counted" }, problems: [], confidence: 1, cost: 0 });
  const signature = people.evaluator.sign(messageBytes("result", resultHash(body)));
  return { act: "result" as const, result: { ...JSON.parse(canonicalJson(body)), signature } };
}

describe("canaries of evaluators", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  let names = 0;
  beforeEach(async () => {
    for (const table of ["gateway_canaries", "gateway_judges", "gateway_acts", "gateway_agreement_parties", "gateway_agreements"])
      await home.city.database.query(`DELETE FROM ${table}`);
  });

  /** A desk whose evaluator is tested after each of its results. */
  function tested(rate = 1) {
    const canaries: Canaries = new Canaries({
      ...{ sql: home.city.database, secret: new Uint8Array(32).fill(7), millis: () => home.now * 1_000, rate: () => rate },
      desk: () => desk,
    });
    const desk: AgreementDesk = home.desk({
      canaries: () => canaries.outcomes(),
      judged: (standing, evaluator) => canaries.judged(standing, evaluator),
    });
    return { desk, canaries };
  }
  /** An agreement of strangers, judged by the evaluator. */
  async function judged(desk: AgreementDesk, more: Parameters<typeof proposing>[2] = { verification }): Promise<Standing> {
    names += 1;
    let standing = await desk.propose(proposing(`judged-${names}`, home.now + 864_000, more));
    for (const step of [...SIGNED, deliver, (life: AgreementLife) => result(life, "evaluator")])
      standing = await desk.take(standing.id, step(standing.life));
    return standing;
  }
  const askedOf = async (): Promise<readonly Hash[]> =>
    (await home.city.database.query("SELECT id FROM gateway_canaries WHERE ended IS NULL")).map(({ id }) => hashSchema.parse(id));
  async function only(desk: AgreementDesk): Promise<Standing> {
    const [id] = await askedOf();
    if (id === undefined) throw new Error("nobody is tested");
    return desk.get(id);
  }
  const uriOf = ({ life }: Standing) => life.delivery?.uri ?? "";

  it("are work whose score can be counted, from worthless to perfect", () => {
    const tasks = Array.from({ length: 60 }, (_, number) => canaryTask(sha256(`task ${number}`)));
    for (const { content, known } of tasks) expect(accuracyOf(`,${Buffer.from(content).toString("base64")}`)).to.equal(known);
    expect([...new Set(tasks.map(({ known }) => known))].sort((one, other) => one - other)).to.deep.equal([0, 25, 50, 75, 100]);
    for (const always of [0, 25, 50, 75, 100])
      expect(tasks.filter(({ known }) => Math.abs(known - always) <= 10).length, "who always says the same").to.be.lessThan(30);
  });

  it("reach an evaluator over HTTP as agreements do, and /health tells how they end", async () => {
    const gateway = await home.serve();
    const get = async (path: string) => z.looseObject({}).parse((await home.call(path)).body);
    const post = async (path: string, body: object) => z.looseObject({}).parse((await home.call(path, { body })).body);
    const health = async () => {
      await home.gateway.sync();
      return healthSchema.parse(await get("/health"));
    };
    const { agreements: desk, canaries } = gateway.world;
    if (desk === undefined || canaries === undefined) throw new Error("no agreements");
    for (let count = 0; (await health()).canaries.asked === 0; count += 1) {
      expect(count, "one in five").to.be.lessThan(60);
      await judged(desk);
      await canaries.step();
    }
    const did = identityOf(people.evaluator).value;
    const read = z
      .object({ text: z.string(), statement: z.object({ expires: z.int() }) })
      .parse(await post("/v1/agreement-drafts", { draft: { act: "read", reader: did } }));
    const proof = `reader=${did}&expires=${read.statement.expires}&signature=${people.evaluator.sign(new TextEncoder().encode(read.text))}`;
    const { items } = z.object({ items: z.array(z.string()) }).parse(await get(`/v1/agreements?${proof}&limit=200`));
    const waiting = [];
    for (const id of items) {
      const standing = agreementOutput.parse(await get(`/v1/agreements/${id}?${proof}`));
      if (standing.status === "delivered") waiting.push(standing);
    }
    expect(waiting.map(({ agreement }) => agreement)).to.deep.equal(await askedOf());
    const [{ agreement = "", deliveryUri = null } = {}] = waiting;
    const { life } = await desk.get(hashSchema.parse(agreement));
    const said = await post("/v1/agreement-results", {
      agreement,
      result: judgement(life, { accuracy: accuracyOf(deliveryUri ?? "") }).result,
    });
    expect(said["status"]).to.equal("closed");
    await canaries.step();
    expect((await health()).canaries).to.deep.equal({ asked: 0, passed: 1, failed: 0 });
    const calibration = await get(`/v1/evaluator-calibrations/${encodeURIComponent(did)}`);
    expect(calibration).to.deep.equal({ items: 1, passed: 1, bias: 0, deviation: 0, weight: 103 });
    await home.serve();
    expect((await health()).canaries, "through a restart").to.deep.equal({ asked: 0, passed: 1, failed: 0 });
  });

  it("keep an evaluator that does not look from new agreements, and from those alone that name it", async () => {
    const { desk, canaries } = tested();
    for (let count = 0; count < 16; count += 1) {
      await judged(desk);
      await canaries.step();
      const test = await only(desk);
      await desk.take(test.id, judgement(test.life, { accuracy: 100 }));
      await canaries.step();
      if ((await desk.breakers()).some(({ breaker }) => breaker === "canaries")) break;
    }
    const { passed, failed } = await canaries.count();
    expect(passed + failed).to.be.within(10, 16);
    expect(failed).to.be.greaterThan(passed);
    const { items, bias, weight, ...far } = await canaries.calibrationOf(identityOf(people.evaluator));
    expect([items, far.passed, weight], "its word weighs no more than anybody's").to.deep.equal([passed + failed, passed, 100]);
    expect(bias, "generous").to.equal(far.deviation).and.to.be.greaterThan(20);
    expect(await rejection(judged(desk))).to.include({ code: "BreakerOpen" });
    home.now += 31 * 86_400;
    await canaries.step();
    expect((await judged(desk)).status, "a month later").to.equal("closed");
  });

  it("let one go on that looks", async () => {
    const { desk, canaries } = tested();
    for (let count = 0; count < 12; count += 1) {
      await judged(desk);
      await canaries.step();
      const test = await only(desk);
      await desk.take(test.id, judgement(test.life, { accuracy: accuracyOf(uriOf(test)) }));
      await canaries.step();
    }
    expect(await canaries.count()).to.deep.equal({ asked: 0, passed: 12, failed: 0 });
    // 12 exact answers and 8 assumed half right: W = 16/20.
    const exact = { items: 12, passed: 12, bias: 0, deviation: 0, weight: 119 };
    expect(await canaries.calibrationOf(identityOf(people.evaluator))).to.deep.equal(exact);
    expect(await canaries.calibrationOf(identityOf(people.client)), "never tested").to.deep.include({ items: 0, weight: 100 });
    expect((await judged(desk)).status).to.equal("closed");
  });

  it("count silence against those alone who have answered one before", async () => {
    const { desk, canaries } = tested();
    const silence = async () => {
      await judged(desk);
      await canaries.step();
      expect((await askedOf()).length).to.equal(1);
      home.now += 3_601;
      await canaries.step();
    };
    await silence();
    expect(await canaries.count(), "it may never have heard").to.deep.equal({ asked: 0, passed: 0, failed: 0 });
    await judged(desk);
    await canaries.step();
    const test = await only(desk);
    await desk.take(test.id, judgement(test.life, { accuracy: accuracyOf(uriOf(test)) }));
    await canaries.step();
    await silence();
    expect(await canaries.count()).to.deep.equal({ asked: 0, passed: 1, failed: 1 });
    const known = await canaries.calibrationOf(identityOf(people.evaluator));
    expect(known, "silence is no distance, and no pass").to.deep.include({ items: 2, passed: 1, deviation: 0 });
  });

  it("are asked of nobody whose agreements do not say so, and one at a time", async () => {
    const { desk, canaries } = tested();
    await judged(desk, {});
    await judged(desk, { verification: { ...SEMANTIC, canary_tasks: { enabled: false } } });
    await canaries.step();
    expect(await askedOf()).to.deep.equal([]);
    for (let count = 0; count < 3; count += 1) await judged(desk);
    await canaries.step();
    await canaries.step();
    expect(await askedOf()).to.have.length(1);
    const test = await only(desk);
    const people_ = [test.life.agreement.parties.client.identity.value, test.life.agreement.parties.provider.identity.value];
    await desk.take(test.id, judgement(test.life, { accuracy: accuracyOf(uriOf(test)) }));
    await canaries.step();
    await judged(desk);
    await canaries.step();
    const next = await only(desk);
    expect(people_, "strangers each time").to.not.include(next.life.agreement.parties.client.identity.value);
    expect(agreementHash(next.life.agreement)).to.not.equal(agreementHash(test.life.agreement));
  });

  it("wait while an adjudicator has agreements stopped, and are made again where a process ended meanwhile", async () => {
    const { desk, canaries } = tested();
    await judged(desk);
    const until = home.now + 60;
    const stopped: Canaries = new Canaries({
      ...{ sql: home.city.database, secret: new Uint8Array(32).fill(7), millis: () => home.now * 1_000 },
      desk: () => home.desk({ stops: async () => [{ what: "stopped", at: home.now - 1, by: "0xa", until }] }),
    });
    await stopped.step();
    expect(await askedOf()).to.deep.equal([]);
    await canaries.step();
    const [half] = await askedOf();
    await home.city.database.query("DELETE FROM gateway_acts WHERE id = $1 AND place >= 2", [half]);
    await home.city.database.query("UPDATE gateway_agreements SET acts = 2 WHERE id = $1", [half]);
    await home.city.database.query("UPDATE gateway_judges SET is_due = true");
    home.now += 1;
    const anew = tested();
    await anew.canaries.step();
    const [whole] = await askedOf();
    expect(whole).to.not.equal(half);
    expect((await only(anew.desk)).status).to.equal("delivered");
  });
});

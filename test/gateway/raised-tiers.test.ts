/** Boundaries of payment that rise with a provider's history: who states it falsely, withholds it, or raises them without any. */
import { expect } from "chai";
import {
  type Agreement,
  agreementHash,
  DEFAULT_TIERS,
  draftMessage,
  keyOfDid,
  lifeOf,
  messageBytes,
  messageHash,
  type RaisedRelease,
  raisedRelease,
} from "../../orchestrator/agreements/index.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import { accept, deliver, identityOf, people, proposing, result, SIGNED, START, sign } from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";

/** Measurements of this composite, points; five sources are worth fifteen of a hundred. */
const worth = (points: number) => {
  const each = (points - 15) / 0.85;
  return { accuracy: each, completeness: each, relevance: each, sources: 5, writing: each };
};
const WALLET = `0x${"5a".repeat(20)}`;
const UNTIL = START + 40 * 86_400;

describe("tiers raised by a provider's history", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  let desk: AgreementDesk;
  let count = 0;
  before(() => {
    desk = home.desk();
  });
  const named = (name: string) => {
    count += 1;
    return `${name}-${count}`;
  };

  /** An agreement without money that ended with this measurement. */
  async function judged(points: number, visibility?: "public"): Promise<void> {
    const verification = { strategy: "immediate", depth: "semantic" } as const;
    const terms = visibility === undefined ? { verification } : { verification, visibility };
    let at = await desk.propose(proposing(named("judged"), UNTIL, terms));
    for (const step of [...SIGNED, deliver]) at = await desk.take(at.id, step(at.life));
    await desk.take(at.id, result(at.life, "evaluator", worth(points)));
    home.now += 1;
  }
  const releasing = (graduated_release: NonNullable<Agreement["escrow"]>["payment"]["graduated_release"]) =>
    proposing(named("paid"), UNTIL, {
      escrow: {
        enabled: true,
        binding: { ...desk.afterwards, wallets: { provider: WALLET } },
        payment: { amount: "5.00", currency: "USDC", graduated_release },
      },
    });
  const offered = (release: RaisedRelease): Promise<Standing> => desk.propose(releasing({ ...release }));
  const refused = (release: RaisedRelease) => rejection(offered(release)).then(({ name }) => name);
  const record = async () => {
    const provider = identityOf(people.provider);
    return (await desk.outcomes(provider, false)).scores;
  };

  it("are written by what the city's record says, and by nothing else", async () => {
    for (const points of [95, 76, 76, 76]) await judged(points, "public");
    const few = await record();
    expect(few.length).to.equal(4);
    expect(raisedRelease(DEFAULT_TIERS, few).tiers, "too few to say anything").to.deep.equal(DEFAULT_TIERS);
    for (let more = 0; more < 8; more += 1) await judged(76, "public");
    const scores = await record();
    expect(scores.length, "the last ten").to.equal(10);
    const raised = raisedRelease(DEFAULT_TIERS, scores);
    expect(raised.tiers[1]).to.deep.include({ composite_score_gte: 78 });
    expect((await offered(raised)).status).to.equal("proposed");
    await home.serve();
    const { body } = await home.call(`/v1/agreement-records/${identityOf(people.provider).value}`);
    expect(body, "what a client asks for").to.deep.include({ count: 12, priceRisk: 14, release: JSON.parse(JSON.stringify(raised)) });

    const invented = raisedRelease(
      DEFAULT_TIERS,
      Array.from({ length: 10 }, () => 9_100),
    );
    expect(invented.tiers[0]).to.deep.include({ composite_score_gte: 93 });
    expect(await refused(invented), "a client that invents a history").to.equal("OtherHistory");
    expect(await refused(raisedRelease(DEFAULT_TIERS, [])), "a history withheld").to.equal("OtherHistory");
    expect(await refused(raisedRelease(DEFAULT_TIERS, scores.slice(1))), "one of it withheld").to.equal("OtherHistory");
    expect(await refused({ ...raised, tiers: [...DEFAULT_TIERS] }), "tiers that do not follow").to.equal("NotHonoured");
    expect(await refused({ ...raised, tiers: invented.tiers }), "tiers of another history").to.equal("NotHonoured");
  });

  it("are computed again as the first party signs: what was judged since the offer counts", async () => {
    const raised = raisedRelease(DEFAULT_TIERS, await record());
    const [early, late] = [await offered(raised), await offered(raised)];
    for (const { id, life } of [early, late]) await desk.take(id, accept(life, "provider"));
    await judged(99, "public");
    const { life } = await desk.get(early.id);
    // Another history, by which the tiers are the same.
    await desk.take(early.id, sign(life, "client"));
    for (let more = 0; more < 5; more += 1) await judged(99, "public");
    const behind = rejection(desk.take(late.id, sign((await desk.get(late.id)).life, "client")));
    expect((await behind).name).to.equal("OtherHistory");
    // What one party has signed is fixed.
    const begun = await desk.take(early.id, sign((await desk.get(early.id)).life, "provider"));
    expect(begun.status).to.equal("active");
    for (let more = 0; more < 10; more += 1) await judged(76, "public");
  });

  it("cannot be countered away, as other tiers can", async () => {
    const { id, life } = await offered(raisedRelease(DEFAULT_TIERS, await record()));
    const changes = { "/escrow/payment/graduated_release/tiers/1/composite_score_gte": 75 };
    const message = draftMessage(life.negotiation, {
      ...{ by: "provider", action: "counter", rationale_code: "risk", changes, timestamp: "2027-01-15T08:00:00Z" },
    });
    const signature = people.provider.sign(messageBytes("message", messageHash(message)));
    const act = { act: "negotiate", message: { ...JSON.parse(JSON.stringify(message)), signature } } as const;
    expect((await rejection(desk.take(id, act))).name).to.equal("NotHonoured");
  });

  it("without a history are flagged to both, since nobody can tell why", async () => {
    const { tiers } = raisedRelease(
      DEFAULT_TIERS,
      Array.from({ length: 10 }, () => 9_100),
    );
    const { life } = await desk.propose(releasing({ enabled: true, tiers }));
    expect(life.negotiation.flags).to.include("tiers_above_default");
    const { life: plain } = await desk.propose(releasing({ enabled: true, tiers: [...DEFAULT_TIERS] }));
    expect(plain.negotiation.flags).to.not.include("tiers_above_default");
    const { life: grounded } = await offered(raisedRelease(DEFAULT_TIERS, await record()));
    expect(grounded.negotiation.flags).to.not.include("tiers_above_default");
  });

  it("count no private agreement: who has it all private is unknown, whatever the scores", async () => {
    const before = await record();
    await judged(99);
    expect(await record()).to.deep.equal(before);
  });

  it("are recomputed by whoever replays the acts, without this city", async () => {
    const raised = raisedRelease(
      DEFAULT_TIERS,
      Array.from({ length: 10 }, () => 7_600),
    );
    const good = releasing({ ...raised });
    expect(agreementHash(lifeOf([{ act: good, at: START }], { keyOf: keyOfDid }).agreement)).to.match(/^0x/);
    const false_ = releasing({ ...raised, tiers: [...DEFAULT_TIERS] });
    expect(() => lifeOf([{ act: false_, at: START }], { keyOf: keyOfDid })).to.throw("dynamic");
  });
});

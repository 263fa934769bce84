/** Several evaluators of one delivery: what stands of them, and what one of them, late, silent or bought, makes of it. */
import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  commitmentOf,
  judgedIn,
  keyOfDid,
  lifeAt,
  lifeOf,
  type Measured,
  obligationOf,
  openLife,
  outcomesOf,
  owedIn,
  take,
} from "../../orchestrator/agreements/index.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { thrown } from "../support/rejection.ts";
import {
  accept,
  cancel,
  challenge,
  deliver,
  identityOf,
  opening,
  people,
  proposing,
  result,
  SIGNED,
  START,
  sign,
  signerNamed,
} from "./acts.ts";
import { refusalOf } from "./refusals.ts";

const panel = Array.from({ length: 5 }, (_, place) => signerNamed(`evaluator ${place} of several`));
const GOOD: Measured = { accuracy: 95, completeness: 95, relevance: 95, sources: 5, writing: 95 };
const POOR: Measured = { accuracy: 78, completeness: 78, relevance: 78, sources: 5, writing: 78 };
const FAR: Measured = { accuracy: 20, completeness: 20, relevance: 20, sources: 0, writing: 20 };
const TIMEOUT = 600;
const parties = (evaluator: object) => ({
  client: { identity: identityOf(people.client) },
  provider: { identity: identityOf(people.provider) },
  evaluator: { type: "panel" as const, ...evaluator },
});
const verification = (evaluators = 3, strategy: "optimistic" | "immediate" = "optimistic") => ({
  ...({ strategy, depth: "semantic", evaluator_timeout_seconds: TIMEOUT, challenge_window_seconds: 7_200 } as const),
  consensus: { evaluators },
});
const binding = {
  ...({ type: "x402", chain: "eip155:31337", token: `0x${"22".repeat(20)}`, wallets: { provider: `0x${"11".repeat(20)}` } } as const),
};
const payment = { amount: "5.00", currency: "USDC", graduated_release: { enabled: true } };
const escrow = (action: "return_to_client" | "release_to_provider" = "return_to_client") => ({
  ...{ enabled: true, binding, payment, dead_mans_switch: { timeout_action: action } },
});
const proposed = (more: Parameters<typeof proposing>[2] = {}) =>
  proposing("several", START + 864_000, {
    ...{ verification: verification(), escrow: escrow(), parties: parties({ panel: panel.map(identityOf) }) },
    ...more,
  });
const taken = (life: AgreementLife, act: Act, now = START) => take(life, act, { keyOf: keyOfDid, now });
const refusal = (life: AgreementLife, act: Act, now = START) => refusalOf(() => taken(life, act, now));
const delivered = (act = proposed()) =>
  [...SIGNED, deliver].reduce((life, step) => taken(life, step(life)), openLife(act, { keyOf: keyOfDid, now: START }));
const by = (place: number) => panel[place] ?? people.evaluator;
/** Judged by so many of the panel, in their order. */
const judged = (measured: readonly Measured[], life = delivered(), now = START) =>
  measured.reduce((at, each, place) => taken(at, result(at, by(place), each), now), life);
const statusOf = ({ timed: { state } }: AgreementLife) => state.status;

describe("several evaluators of one delivery", () => {
  it("decide together, by the median of each thing that they measured, and no sooner", () => {
    const two = judged([GOOD, POOR]);
    expect(statusOf(two)).to.equal("delivered");
    const three = judged([GOOD, POOR, { ...GOOD, accuracy: 90 }]);
    expect(statusOf(three)).to.equal("verified");
    expect(three.verdict?.measured).to.deep.equal({ ...GOOD, accuracy: 90 });
    expect(three.verdict?.determination).to.deep.include({ result: "PASS", release_percent: 100 });
    expect(owedIn(lifeAt(three, START + 7_200))).to.deep.equal({ provider: 5_000_000n, client: 0n });
    expect(refusal(three, result(three, by(3), GOOD)), "a fourth").to.equal("IllegalTransition");
  });

  it("are no more than one where one is bought: it speaks once, moves no median alone, and ends nothing by silence", () => {
    const bought = judged([POOR, POOR, GOOD]);
    expect(bought.verdict?.measured).to.deep.equal(POOR);
    const once = judged([GOOD]);
    expect(refusal(once, result(once, by(0), GOOD)), "twice").to.equal("Replayed");
    expect(refusal(once, result(once, by(3), GOOD)), "out of turn").to.equal("WrongSender");
    // Two have judged and the third never does: the others' medians stand once its time and the backups' is over.
    const waiting = judged([POOR, POOR], delivered(proposed({ escrow: escrow("release_to_provider") })));
    expect(statusOf(lifeAt(waiting, START + 3 * TIMEOUT - 1))).to.equal("delivered");
    const concluded = lifeAt(waiting, START + 3 * TIMEOUT);
    expect(statusOf(concluded)).to.equal("verified");
    expect(owedIn(lifeAt(waiting, START + 3 * TIMEOUT + 7_200))).to.deep.equal({ provider: 4_250_000n, client: 750_000n });
    expect(refusal(concluded, challenge(concluded, "client"), START + 3 * TIMEOUT + 1), "its window").to.equal("accepted");
  });

  it("are replaced by those after them in their silence, whoever speaks meanwhile", () => {
    const one = judged([GOOD]);
    expect(refusal(one, result(one, by(3), GOOD), START + TIMEOUT - 1)).to.equal("WrongSender");
    const later = taken(one, result(one, by(1), GOOD), START + TIMEOUT - 1);
    expect(refusal(later, result(later, by(3), GOOD), START + TIMEOUT), "a word gives nobody more time").to.equal("accepted");
    expect(refusal(later, result(later, by(4), GOOD), START + TIMEOUT)).to.equal("WrongSender");
    expect(statusOf(taken(later, result(later, by(4), GOOD), START + 2 * TIMEOUT))).to.equal("verified");
  });

  it("end by the switch where most of them never speak", () => {
    const life = judged([GOOD]);
    expect(statusOf(lifeAt(life, START + 3 * TIMEOUT))).to.equal("closed");
    expect(owedIn(lifeAt(life, START + 3 * TIMEOUT))).to.deep.equal({ provider: 0n, client: 5_000_000n });
    expect(statusOf(taken(life, cancel(life)))).to.equal("closed");
  });

  it("are a dispute where they are too far apart, with a window or without one", () => {
    for (const [strategy, window] of [
      ["optimistic", 7_200],
      ["immediate", 0],
    ] as const) {
      const life = judged([GOOD, FAR, GOOD], delivered(proposed({ verification: verification(3, strategy) })));
      expect(life.verdict?.disputed).to.include("accuracy");
      expect(statusOf(lifeAt(life, START + window)), strategy).to.equal("disputed");
      expect(statusOf(lifeAt(life, START + window + 604_800))).to.equal("closed");
    }
    const near = judged([GOOD, POOR, GOOD], delivered(proposed({ verification: verification(3, "immediate") })));
    expect(statusOf(lifeAt(near, START))).to.equal("closed");
  });

  it("fail what most of them find to have not the form that was ordered", () => {
    const verdict = (flawed: number) => {
      const life = delivered();
      return [0, 1, 2].reduce((at, place) => {
        const act = result(at, by(place), GOOD, { problems: place < flawed ? ["it is no JSON"] : [] });
        return taken(at, act);
      }, life).verdict?.determination.result;
    };
    expect([verdict(0), verdict(1), verdict(2), verdict(3)]).to.deep.equal(["PASS", "PASS", "FAIL", "FAIL"]);
  });

  it("are drawn of a register that has enough of them", () => {
    const CLIENTS: Hash = `0x${"c1".repeat(32)}`;
    const record = { domains: ["research"], price: 1, available: true, evaluations: 60, canaries: 20, canaries_passed: 19, deviation: 4 };
    const drawing = (count: number) => {
      const register = panel.slice(0, count).map((each) => ({ identity: identityOf(each), ...record }));
      const selection = { mode: "random" as const, register, commitment: commitmentOf(CLIENTS) };
      return openLife(proposed({ parties: parties({ selection }) }), { keyOf: keyOfDid, now: START });
    };
    expect(refusalOf(() => drawing(2))).to.equal("NoEvaluator");
    const life = drawing(5);
    const acts = [
      (at: AgreementLife) => accept(at, "provider"),
      (at: AgreementLife) => opening(at, "provider", `0x${"d2".repeat(32)}`),
      (at: AgreementLife) => opening(at, "client", CLIENTS),
      (at: AgreementLife) => sign(at, "client"),
      (at: AgreementLife) => sign(at, "provider"),
      deliver,
    ];
    const at = acts.reduce((before, act) => taken(before, act(before)), life);
    expect(at.judges).to.have.length(5);
    const signerOf = (place: number) => panel.find((each) => identityOf(each).value === at.judges[place]?.identity.value) ?? people.client;
    expect(refusal(at, result(at, signerOf(3), GOOD))).to.equal("WrongSender");
    expect(statusOf([0, 1, 2].reduce((before, place) => taken(before, result(before, signerOf(place), GOOD)), at))).to.equal("verified");
  });

  it("weigh by the calibration that the signed register states, within its bounds", () => {
    const CLIENTS: Hash = `0x${"c1".repeat(32)}`;
    const record = { domains: ["research"], price: 1, available: true, evaluations: 60, canaries: 20, canaries_passed: 19, deviation: 4 };
    const verdictWith = (weightOf: (place: number) => number | undefined) => {
      const register = panel.map((each, place) => {
        const weight = weightOf(place);
        return { identity: identityOf(each), ...record, ...(weight === undefined ? {} : { weight }) };
      });
      const selection = { mode: "random" as const, register, commitment: commitmentOf(CLIENTS) };
      const terms = { verification: verification(2), parties: parties({ selection }) };
      const acts = [
        (at: AgreementLife) => accept(at, "provider"),
        (at: AgreementLife) => opening(at, "provider", `0x${"d2".repeat(32)}`),
        (at: AgreementLife) => opening(at, "client", CLIENTS),
        (at: AgreementLife) => sign(at, "client"),
        (at: AgreementLife) => sign(at, "provider"),
        deliver,
      ];
      const ready = acts.reduce((at, act) => taken(at, act(at)), openLife(proposed(terms), { keyOf: keyOfDid, now: START }));
      const placeOf = (judge: number) => panel.findIndex((each) => identityOf(each).value === ready.judges[judge]?.identity.value);
      // The one whom the register lists first of the two that judge finds more.
      const better = Math.min(placeOf(0), placeOf(1));
      const done = [0, 1].reduce((at, judge) => {
        const by = panel[placeOf(judge)] ?? people.client;
        return taken(at, result(at, by, placeOf(judge) === better ? GOOD : POOR));
      }, ready);
      return { accuracy: done.verdict?.measured["accuracy"], better };
    };
    expect(verdictWith(() => undefined).accuracy).to.equal(78);
    const falling = verdictWith((place) => 133 - 5 * place);
    expect(falling.accuracy, `${falling.better} is calibrated best`).to.equal(95);
    expect(thrown(() => verdictWith(() => 200))).to.include({ code: "MalformedAgreement" });
    expect(thrown(() => verdictWith(() => 1))).to.include({ code: "MalformedAgreement" });
  });

  it("count for each of them, and as one under a promise", () => {
    const life = judged([GOOD, POOR]);
    const heard = outcomesOf("it", life, {
      challenge: undefined,
      isDisputed: false,
      silentSince: START + TIMEOUT,
      judgedAt: [START, START],
    });
    expect(heard.map(({ what }) => what)).to.deep.equal(["judged", "judged", "silent", "charged", "charged"]);
    const first = proposed();
    const acts: { act: Act; at: number }[] = [{ act: first, at: START }];
    const steps = [...SIGNED, deliver, ...[GOOD, POOR, POOR].map((each, place) => (at: AgreementLife) => result(at, by(place), each))];
    for (const step of steps) acts.push({ act: step(lifeOf(acts, { keyOf: keyOfDid })), at: START });
    expect(judgedIn(acts.slice(0, -2)), "one of three").to.equal(undefined);
    expect(judgedIn(acts)?.composite).to.equal(lifeOf(acts, { keyOf: keyOfDid }).verdict?.determination.composite);
  });

  it("are as many as judge, each somebody else, and none where an escrow or an engine goes by one word", () => {
    const names = panel.map(identityOf);
    for (const more of [
      { parties: parties({ panel: names.slice(0, 2) }) },
      { parties: parties({ panel: [...names.slice(0, 2), ...names.slice(0, 1)] }) },
      { parties: parties({ panel: [...names.slice(0, 2), identityOf(people.provider)] }) },
      { parties: parties({ identity: identityOf(people.evaluator), panel: names }) },
      { parties: parties({ identity: identityOf(people.evaluator) }) },
      { verification: { strategy: "immediate" as const, depth: "semantic" as const } },
    ])
      expect(
        refusalOf(() => openLife(proposed(more), { keyOf: keyOfDid, now: START })),
        JSON.stringify(more),
      ).to.be.oneOf(["MalformedAgreement", "OneParty"]);
    const inEscrow = () =>
      openLife(proposed({ escrow: { ...escrow(), binding: { ...binding, type: "erc8183" } } }), { keyOf: keyOfDid, now: START });
    expect(refusalOf(inEscrow)).to.equal("NotInEscrow");
    expect(thrown(inEscrow).message).to.include("have the job's evaluator be a ClearingEvaluator");
    const { agreement } = delivered();
    expect(refusalOf(() => obligationOf(agreement, { floor: "ATT", boundAt: "2027-01-15T08:00:00Z" }))).to.equal("NoEvaluator");
  });
});

/** Who judges, by lot: what each party would do to choose it, and what the acts make of that. */
import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  commitmentOf,
  didOf,
  drawEvaluators,
  isOfNamed,
  judgesIn,
  keyOfDid,
  lifeAt,
  lifeOf,
  obligationOf,
  openLife,
  sameIdentity,
  take,
} from "../../orchestrator/agreements/index.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { accept, deliver, identityOf, opening, people, proposing, recordOf, result, START, sign, signerNamed } from "./acts.ts";
import { refusalOf } from "./refusals.ts";

const CLIENTS: Hash = `0x${"c1".repeat(32)}`;
const PROVIDERS: Hash = `0x${"d2".repeat(32)}`;
const evaluators = Array.from({ length: 6 }, (_, place) => signerNamed(`evaluator ${place} of a register`));
const register = evaluators.map((each) => recordOf(identityOf(each)));
const selecting = (selection: object = {}, extra: object = {}) => ({
  client: { identity: identityOf(people.client) },
  provider: { identity: identityOf(people.provider) },
  evaluator: {
    type: "agent_as_judge" as const,
    selection: { mode: "random" as const, register, commitment: commitmentOf(CLIENTS), ...selection },
    ...extra,
  },
});
const proposed = (selection: object = {}, extra: object = {}) =>
  proposing("drawn", START + 864_000, { parties: selecting(selection, extra) });
const open = (act: Act = proposed()) => openLife(act, { keyOf: keyOfDid, now: START });
const taken = (life: AgreementLife, act: Act, now = START) => take(life, act, { keyOf: keyOfDid, now });
const refusal = (life: AgreementLife, act: Act, now = START) => refusalOf(() => taken(life, act, now));
const accepted = (act?: Act) => {
  const life = open(act);
  return taken(life, accept(life, "provider"));
};
/** With both nonces open. */
const drawn = (act?: Act, nonce = PROVIDERS) => {
  const life = accepted(act);
  const half = taken(life, opening(life, "provider", nonce));
  return taken(half, opening(half, "client", CLIENTS));
};
const delivered = (life: AgreementLife) =>
  [sign(life, "client"), sign(life, "provider"), deliver(life)].reduce((at, act) => taken(at, act), life);
const signerOfJudge = ({ judges }: AgreementLife, place: number) => {
  const found = evaluators.find((each) => judges[place] !== undefined && sameIdentity(identityOf(each), judges[place].identity));
  if (found === undefined) throw new Error(`nobody was drawn in place ${place}`);
  return found;
};

describe("who judges, by lot", () => {
  it("is whom both parties' nonces and the terms draw, and nobody knows it before", () => {
    const life = drawn();
    expect(life.judges).to.have.length(3);
    const others = new Set(Array.from({ length: 40 }, (_, n) => drawn(undefined, commitmentOf(`0x${n}`)).judges[0]?.identity.value));
    expect(others.size).to.be.greaterThan(3);
    expect(accepted().judges).to.deep.equal([]);
    const half = taken(accepted(), opening(accepted(), "provider", PROVIDERS));
    expect(half.judges).to.deep.equal([]);
  });

  it("is known to whoever has the acts", () => {
    const first = proposed();
    const life = open(first);
    const acts: Act[] = [
      first,
      accept(life, "provider"),
      opening(accepted(), "provider", PROVIDERS),
      opening(accepted(), "client", CLIENTS),
    ];
    const replayed = lifeOf(
      acts.map((act) => ({ act, at: START })),
      { keyOf: keyOfDid },
    );
    expect(replayed.judges).to.deep.equal(drawn().judges);
    expect(judgesIn(acts)).to.deep.equal(drawn().judges);
    expect(judgesIn(acts.slice(0, 3))).to.deep.equal([]);
    const at = delivered(drawn());
    expect(isOfNamed(acts, result(at, signerOfJudge(at, 0)), keyOfDid)).to.equal(true);
    const missed = evaluators.find((each) => !drawn().judges.some(({ identity }) => sameIdentity(identity, identityOf(each))));
    if (missed === undefined) throw new Error("everybody was drawn");
    expect(isOfNamed(acts, result(at, missed), keyOfDid), "in the register, and not drawn").to.equal(false);
  });

  it("refuses an evaluation of anybody else, and takes a backup's once the clock comes to it", () => {
    const life = delivered(drawn());
    const missed = evaluators.filter((each) => !life.judges.some(({ identity }) => sameIdentity(identity, identityOf(each))));
    for (const each of [...missed, people.evaluator, people.client, people.provider])
      for (const late of [0, 601, 1_201]) expect(refusal(life, result(life, each), START + late)).to.equal("WrongSender");
    expect(refusal(life, result(life, signerOfJudge(life, 0)))).to.equal("accepted");
    for (const [place, seconds] of [
      [1, 600],
      [2, 1_200],
    ] as const) {
      const act = result(life, signerOfJudge(life, place));
      expect(refusal(life, act, START + seconds - 1)).to.equal("WrongSender");
      expect(refusal(life, act, START + seconds)).to.equal("accepted");
    }
  });

  it("is chosen by neither party", () => {
    const life = accepted();
    const half = taken(life, opening(life, "provider", PROVIDERS));
    // A client that knows the provider's nonce has none to choose but its own; a provider that waits for the client's waits for ever.
    expect(refusal(half, opening(half, "client", PROVIDERS))).to.equal("WrongSeed");
    expect(refusal(life, opening(life, "client", CLIENTS))).to.equal("IllegalTransition");
    expect(refusal(half, opening(half, "provider", CLIENTS)), "twice").to.equal("Frozen");
    expect(refusal(life, opening(life, "provider", PROVIDERS, "client")), "for the other").to.equal("BadSignature");
    const early = open();
    expect(refusal(early, opening(early, "provider", PROVIDERS)), "while terms can change").to.equal("IllegalTransition");
    const all = drawn();
    expect(refusal(all, opening(all, "client", CLIENTS)), "again").to.equal("Frozen");
  });

  it("is settled before anybody signs; whoever opens nothing has no agreement", () => {
    for (const by of ["client", "provider"] as const) expect(refusal(accepted(), sign(accepted(), by))).to.equal("IllegalTransition");
    const half = taken(accepted(), opening(accepted(), "provider", PROVIDERS));
    expect(refusal(half, sign(half, "provider"))).to.equal("IllegalTransition");
    expect(lifeAt(half, START + 3_600).timed.state.status).to.equal("expired");
    expect(refusal(drawn(), sign(drawn(), "client"))).to.equal("accepted");
  });

  it("is nobody of a party's, nobody unqualified, nobody too dear, and nobody who judged too often in a row", () => {
    const parties = selecting().provider;
    const unfit = [{ evaluations: 49 }, { available: false }, { domains: ["code"] }, { canaries_passed: 17 }, { deviation: 11 }];
    for (const extra of unfit) {
      const none = proposed({ register: [recordOf(identityOf(people.evaluator), extra)] });
      expect(
        refusalOf(() => open(none)),
        JSON.stringify(extra),
      ).to.equal("NoEvaluator");
    }
    expect(refusalOf(() => open(proposed({ register: [recordOf(parties.identity)] })))).to.equal("NoEvaluator");
    const [only] = register;
    if (only === undefined) throw new Error("no register");
    const five = Array.from({ length: 5 }, () => only.identity);
    expect(refusalOf(() => open(proposed({ register: [only], before: five })))).to.equal("NoEvaluator");
    expect(refusalOf(() => open(proposed({ register: [only], before: five.slice(1) })))).to.equal("accepted");
    const verification = { strategy: "immediate", depth: "semantic", cost_cap: 0.5 } as const;
    const dear = proposing("dear", START + 864_000, { parties: selecting(), verification });
    expect(refusalOf(() => open(dear))).to.equal("NoEvaluator");
  });

  it("is the most canaries for the money where the terms say marketplace", () => {
    const cheap = recordOf(identityOf(people.evaluator), { price: 0.1 });
    const life = drawn(proposed({ mode: "marketplace", register: [...register, cheap] }));
    expect(life.judges[0]?.identity.value).to.equal(didOf(people.evaluator.publicKey));
  });

  it("is no register with a name beside it, without a commitment, or with somebody twice", () => {
    const wrong: readonly (readonly [object, object])[] = [
      [{}, { identity: identityOf(people.evaluator) }],
      [{}, { backup: identityOf(people.backup) }],
      [{ commitment: undefined }, {}],
      [{}, { panel: [identityOf(people.evaluator), identityOf(people.backup)] }],
      [{ register: [...register, ...register.slice(0, 1)] }, {}],
    ];
    for (const [selection, extra] of wrong) {
      const act = refusalOf(() => open(proposed(selection, extra)));
      expect(act, JSON.stringify(extra)).to.equal("MalformedAgreement");
    }
  });

  it("is whom an engine of clearing asks for a verdict, and nobody before the lot", () => {
    const escrow = { enabled: true, binding: { type: "manual" }, payment: { amount: "5.00", currency: "USDC" } } as const;
    const life = drawn(proposing("cleared", START + 864_000, { parties: selecting(), escrow }));
    const binding = { floor: "ATT", boundAt: "2027-01-15T08:00:00Z" };
    const first = life.judges[0]?.identity;
    const { verifier_policy } = obligationOf(life.agreement, { ...binding, nonces: life.nonces });
    expect(verifier_policy.verifiers).to.deep.equal([`${first?.scheme}:${first?.value}`]);
    expect(refusalOf(() => obligationOf(life.agreement, binding))).to.equal("NoEvaluator");
  });

  it("is drawn from no register where the terms name it", () => {
    const named = proposing();
    const life = open(named);
    const at = taken(life, accept(life, "provider"));
    expect(refusal(at, opening(at, "provider", PROVIDERS))).to.equal("IllegalTransition");
    expect(drawEvaluators(register, life.agreement, { seed: CLIENTS })).to.have.length(6);
  });
});

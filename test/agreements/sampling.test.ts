/** One delivery in several is judged, by lot: what each player would do to choose it, and what the acts make of that. */
import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  commitmentOf,
  isOfNamed,
  isSampled,
  keyOfDid,
  lifeAt,
  lifeOf,
  openLife,
  overBy,
  owedIn,
  readAgreement,
  take,
} from "../../orchestrator/agreements/index.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { thrown } from "../support/rejection.ts";
import { cancel, DELIVERABLE, delivering, identityOf, people, proposing, result, SIGNED, START, sampling } from "./acts.ts";
import { refusalOf } from "./refusals.ts";

const CLIENTS: Hash = `0x${"c1".repeat(32)}`;
const REVEAL = 900;
const ONE_IN = 4;
const verification = (change: object = {}) => ({
  ...({ strategy: "immediate", depth: "semantic", evaluator_timeout_seconds: 600 } as const),
  sampling: { one_in: ONE_IN, commitment: commitmentOf(CLIENTS), reveal_seconds: REVEAL, ...change },
});
const escrow = { enabled: true, binding: { type: "manual" }, payment: { amount: "5.00", currency: "USDC" } } as const;
const proposed = (name = "sampled", more: Parameters<typeof proposing>[2] = {}) =>
  proposing(name, START + 864_000, { verification: verification(), ...more });
const taken = (life: AgreementLife, act: Act, now = START) => take(life, act, { keyOf: keyOfDid, now });
const refusal = (life: AgreementLife, act: Act, now = START) => refusalOf(() => taken(life, act, now));
const signed = (act = proposed()) => SIGNED.reduce((life, step) => taken(life, step(life)), openLife(act, { keyOf: keyOfDid, now: START }));
const nonceOf = (name: string) => sha256(`nonce ${name}`);
/** Delivered with a nonce whose lot falls so. */
function delivered(isJudged: boolean, life = signed()): AgreementLife {
  for (let number = 0; ; number += 1) {
    const provider = nonceOf(String(number));
    if (isSampled(life.agreement, { deliverable: DELIVERABLE, provider, client: CLIENTS }) === isJudged)
      return taken(life, delivering(life.agreement, { nonce: provider }));
  }
}
const statusOf = ({ timed: { state } }: AgreementLife) => [state.status, state.lot, state.division];

describe("one delivery in several, judged by lot", () => {
  it("is paid in full and unjudged where the lot spares it, and judged like any other where it does not", () => {
    const paid = () => signed(proposed("paid", { escrow }));
    const spared = taken(delivered(false, paid()), sampling(delivered(false, paid()), CLIENTS));
    expect(statusOf(spared)).to.deep.equal(["closed", "spared", "none"]);
    expect(spared.results).to.deep.equal([]);
    const before = delivered(true);
    const asked = taken(before, sampling(before, CLIENTS));
    expect(statusOf(asked)).to.deep.equal(["delivered", "judged", undefined]);
    const judged = taken(asked, result(asked, "evaluator"));
    expect(judged.timed.state.status).to.equal("verified");
    for (const one of [spared, asked]) expect(refusal(one, sampling(one, CLIENTS)), "again").to.equal("IllegalTransition");
  });

  it("owes the whole payment where the client pays afterwards", () => {
    const wallets = { provider: `0x${"11".repeat(20)}` };
    const binding = { type: "x402", chain: "eip155:31337", token: `0x${"22".repeat(20)}`, wallets } as const;
    const life = delivered(false, signed(proposed("afterwards", { escrow: { ...escrow, binding } })));
    const spared = taken(life, sampling(life, CLIENTS));
    expect(statusOf(spared)).to.deep.equal(["closed", "spared", "spared"]);
    expect(owedIn(spared)).to.deep.equal({ provider: 5_000_000n, client: 0n });
  });

  it("is no lot that the provider knows when it delivers: one in four, whatever it picks by what it knows", () => {
    const { agreement } = signed();
    // What is public before: the terms, and in them the commitment. A provider that picks what its best guess spares is judged no less often than others.
    const guess = commitmentOf(CLIENTS);
    const picked = Array.from({ length: 4_000 }, (_, number) => ({
      deliverable: sha256(`work ${number}`),
      provider: nonceOf(String(number)),
    })).filter(
      (each) => !isSampled({ ...agreement, verification: verification({ commitment: commitmentOf(guess) }) }, { ...each, client: guess }),
    );
    const judged = picked.filter((each) => isSampled(agreement, { ...each, client: CLIENTS })).length;
    expect(judged / picked.length).to.be.within(1 / ONE_IN - 0.03, 1 / ONE_IN + 0.03);
  });

  it("is not drawn before it is delivered, and what was delivered stays", () => {
    const life = signed();
    expect(refusal(life, sampling(life, CLIENTS)), "a client that would open early").to.equal("IllegalTransition");
    expect(refusal(life, delivering(life.agreement)), "without its nonce").to.equal("WrongSeed");
    const { agreement } = life;
    const one = taken(life, delivering(agreement, { nonce: nonceOf("one") }));
    for (const again of [{ nonce: nonceOf("another") }, { nonce: nonceOf("one"), deliverable: sha256("better work") }])
      expect(refusal(one, delivering(agreement, again)), "once the lot is known").to.equal("IllegalTransition");
    const open = taken(one, sampling(one, CLIENTS));
    if (open.timed.state.status === "delivered")
      expect(refusal(open, delivering(agreement, { nonce: nonceOf("another") }))).to.equal("IllegalTransition");
  });

  it("is chosen by no client: it opens the nonce that it committed to, or is silent, and then the delivery is judged", () => {
    for (const isJudged of [true, false]) {
      const life = delivered(isJudged);
      expect(refusal(life, sampling(life, nonceOf("another")))).to.equal("WrongSeed");
      expect(refusal(life, result(life, "evaluator")), "before the lot").to.equal("IllegalTransition");
      expect(refusal(life, sampling(life, CLIENTS), START + REVEAL - 1)).to.equal("accepted");
      const silent = lifeAt(life, START + REVEAL);
      expect(statusOf(silent)).to.deep.equal(["delivered", "judged", undefined]);
      expect(refusal(life, sampling(life, CLIENTS), START + REVEAL), "too late").to.equal("IllegalTransition");
      // The evaluator has its whole time from then on, and its silence ends as ever.
      expect(refusal(life, result(life, "evaluator"), START + REVEAL + 599)).to.equal("accepted");
      expect(refusal(life, result(life, "backup"), START + REVEAL + 599)).to.equal("WrongSender");
      expect(refusal(life, result(life, "backup"), START + REVEAL + 600)).to.equal("accepted");
      expect(lifeAt(life, START + REVEAL + 1_800).timed.state.status).to.equal("closed");
    }
  });

  it("is drawn by the client alone, under these terms, and both may still end it", () => {
    const life = delivered(false);
    expect(refusal(life, sampling(life, CLIENTS, "provider"))).to.equal("BadSignature");
    const other = signed(proposed("other"));
    expect(refusal(life, sampling(other, CLIENTS))).to.equal("OtherTerms");
    expect(taken(life, cancel(life)).timed.state.status).to.equal("closed");
  });

  it("comes to the same for whoever has the acts, and is known as its client's", () => {
    for (const isJudged of [true, false]) {
      const last = delivered(isJudged);
      const first = proposed();
      const acts: Act[] = [first];
      for (const step of SIGNED)
        acts.push(
          step(
            lifeOf(
              acts.map((act) => ({ act, at: START })),
              { keyOf: keyOfDid },
            ),
          ),
        );
      acts.push(delivering(last.agreement, { nonce: last.delivery?.nonce ?? CLIENTS }));
      const act = sampling(last, CLIENTS);
      expect(isOfNamed(acts, act, keyOfDid)).to.equal(true);
      expect(isOfNamed(acts, sampling(signed(proposed("other")), CLIENTS), keyOfDid)).to.equal(false);
      const all = [...acts, act].map((each) => ({ act: each, at: START }));
      expect(lifeOf(all, { keyOf: keyOfDid })).to.deep.equal(taken(last, act));
    }
  });

  it("is refused where an escrow pays by an evaluator's word, and one nonce makes no two lots", () => {
    const parties = {
      client: { identity: identityOf(people.client) },
      provider: { identity: identityOf(people.provider) },
      evaluator: {
        type: "agent_as_judge" as const,
        selection: {
          mode: "random" as const,
          commitment: commitmentOf(CLIENTS),
          register: [
            {
              ...{ identity: identityOf(people.evaluator), domains: ["research"], price: 1, available: true, evaluations: 60 },
              ...{ canaries: 20, canaries_passed: 19, deviation: 4 },
            },
          ],
        },
      },
    };
    const paidIn = { escrow: { ...escrow, binding: { type: "erc8183" as const } } };
    expect(refusalOf(() => proposed("refused", paidIn))).to.equal("NotInEscrow");
    expect(thrown(() => proposed("refused", paidIn)).message).to.include("pay afterwards (escrow binding x402)");
    expect(refusalOf(() => proposed("refused", { parties }))).to.equal("MalformedAgreement");
    for (const change of [{ one_in: 1 }, { one_in: 101 }, { commitment: "0x" }])
      expect(refusalOf(() => proposed("refused", { verification: verification(change) }))).to.equal("MalformedAgreement");
    const { sampling: _, ...each } = verification();
    const life = signed(proposed("every", { verification: each }));
    const at = taken(life, delivering(life.agreement));
    expect(at.timed.state.lot).to.equal(undefined);
    expect(refusal(at, sampling(at, CLIENTS)), "each is judged").to.equal("IllegalTransition");
    expect(overBy(readAgreement(proposed().document), START) - overBy(life.agreement, START)).to.equal(REVEAL);
  });
});

import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  AgreementRefused,
  advance,
  didOf,
  dueAt,
  keyOfDid,
  lifeAt,
  lifecycleTerms,
  lifeOf,
  openLife,
  overBy,
  readAgreement,
  runClock,
  take,
} from "../../orchestrator/agreements/index.ts";
import { accept, cancel, challenge, DELIVERABLE, deliver, identityOf, people, proposing, result, SIGNED, START, sign } from "./acts.ts";

/** A life, and each act with its second. */
function living(propose = proposing()) {
  const acts: { act: Act; at: number }[] = [{ act: propose, at: START }];
  let life = openLife(propose, { keyOf: keyOfDid, now: START });
  return {
    life: () => life,
    acts,
    do(act: (life: AgreementLife) => Act, at = START) {
      const made = act(life);
      life = take(life, made, { keyOf: keyOfDid, now: at });
      acts.push({ act: made, at });
    },
    refusal(act: (life: AgreementLife) => Act, at = START): string {
      try {
        take(life, act(life), { keyOf: keyOfDid, now: at });
        return "accepted";
      } catch (error) {
        return error instanceof AgreementRefused ? error.refusal : String(error);
      }
    },
  };
}

describe("an agreement's acts", () => {
  it("lead from a proposal to a dispute, and anybody who has them comes to the same", () => {
    const one = living();
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "evaluator"));
    expect(one.life().timed.state.status).to.equal("verified");
    one.do((life) => challenge(life, "client"));
    expect(one.life().timed.state.status).to.equal("disputed");
    expect(one.life().results[0]?.determination.composite).to.equal(8_800);
    expect(lifeOf(one.acts, { keyOf: keyOfDid })).to.deep.equal(one.life());
    expect(lifeAt(one.life(), START + 604_800).timed.state.status).to.equal("closed");
  });

  it("take no result beyond the cap, of invented deliveries before, or that leaves something unscored", () => {
    const { quality_criteria } = readAgreement(proposing().document);
    const verification = { strategy: "immediate", depth: "semantic", evaluator_timeout_seconds: 600, cost_cap: 0.01 } as const;
    const guarantee = { kind: "pass_at_k", k: 2, target: 90 } as const;
    const promised = { ...quality_criteria, guarantee_type: "probabilistic", guarantee } as const;
    const one = living(proposing("capped", START + 864_000, { verification, quality_criteria: promised }));
    for (const act of [...SIGNED, deliver]) one.do(act);
    expect(one.refusal((life) => result(life, "evaluator", undefined, { cost: 999 }))).to.equal("CostTooHigh");
    expect(one.refusal((life) => result(life, "evaluator", undefined, { history: [9_999] }))).to.equal("WrongDetermination");
    expect(one.refusal((life) => result(life, "evaluator", { accuracy: 88 }))).to.equal("WrongDetermination");
    // It may hand in a whole one still.
    one.do((life) => result(life, "evaluator", undefined, { cost: 0.01 }));
    expect(one.life().results).to.have.length(1);
  });

  it("lead an agreement that is paid by hand, and no chain does", () => {
    const escrow = { enabled: true, binding: { type: "manual" as const }, payment: { amount: "5.00", currency: "USDC" } };
    const one = living(proposing("paid-manual", START + 864_000, { escrow }));
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "evaluator"));
    expect(lifeAt(one.life(), START + 7_200).timed.state.status).to.equal("closed");
  });

  it("are refused by name: other keys, other terms, out of turn, twice", () => {
    const one = living();
    expect(one.refusal(() => proposing())).to.equal("IllegalTransition");
    expect(one.refusal((life) => accept(life, "client"))).to.equal("NotYourTurn");
    expect(one.refusal((life) => sign(life, "client"))).to.equal("IllegalTransition");
    one.do((life) => accept(life, "provider"));
    expect(one.refusal((life) => sign(life, "client", "provider"))).to.equal("BadSignature");
    expect(one.refusal((life) => cancel(life, "client"))).to.equal("BadSignature");
    expect(one.refusal(cancel)).to.equal("accepted");
    one.do((life) => sign(life, "client"));
    expect(one.refusal((life) => sign(life, "client"))).to.equal("IllegalTransition");
    expect(one.refusal(deliver)).to.equal("IllegalTransition");
    one.do((life) => sign(life, "provider"));
    expect(one.refusal((life) => result(life, "evaluator"))).to.equal("IllegalTransition");
    const elsewhere = (life: AgreementLife): Act => {
      const act = deliver(life);
      return act.act === "deliver" ? { ...act, delivery: { ...act.delivery, agreement_hash: DELIVERABLE } } : act;
    };
    expect(one.refusal(elsewhere)).to.equal("OtherTerms");
    one.do(deliver);
    expect(
      one.refusal((life) => result(life, "backup")),
      "the evaluator has time",
    ).to.equal("WrongSender");
    expect(one.refusal((life) => challenge(life, "client"))).to.equal("IllegalTransition");
    one.do((life) => result(life, "evaluator"));
    expect(one.refusal((life) => challenge({ ...life, results: [] }, "client"))).to.equal("OtherTerms");
    expect(
      one.refusal((life) => challenge(life, "client"), START + 7_201),
      "its window is over",
    ).to.equal("IllegalTransition");
  });

  it("end in a dispute by the clock where the result is below the threshold that both signed", () => {
    const { timed } = judgedUnder(90);
    expect(timed.state).to.include({ status: "verified", files: true });
    expect(lifeAt(judgedUnder(90), START + 7_200).timed).to.deep.include({ since: START + 7_200 });
    expect(lifeAt(judgedUnder(90), START + 7_200).timed.state.status).to.equal("disputed");
    expect(lifeAt(judgedUnder(90), START + 7_200 + 604_800).timed.state.status).to.equal("closed");
    // At the threshold, 88 points, and where nothing is said of it.
    for (const threshold of [88, undefined]) expect(lifeAt(judgedUnder(threshold), START + 7_200).timed.state.status).to.equal("closed");
  });

  function judgedUnder(threshold: number | undefined): AgreementLife {
    const dispute = { protocol: "none", auto_file_on: "verification_failure_below_threshold", threshold };
    const one = living(proposing("filed", START + 864_000, threshold === undefined ? {} : { dispute }));
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "evaluator"));
    return one.life();
  }

  it("are over by the second that their terms allow at most", () => {
    const one = living();
    for (const act of SIGNED) one.do(act);
    const { agreement } = one.life();
    const last = overBy(agreement, START);
    // Everything happens, each at its latest: delivered at the switch's end, judged by the last backup, disputed, never ruled.
    const late = { ...one.life().timed, since: START };
    const events = ["deliver", "timeout", "timeout", "result", "challenge"] as const;
    let timed = late;
    for (const name of events) {
      const at = dueAt(agreement, timed) ?? 0;
      timed = { state: advance(timed.state, { name }, lifecycleTerms(agreement)), since: at };
    }
    expect(dueAt(agreement, timed)).to.equal(last);
    expect(runClock(agreement, timed, last).state.status).to.equal("closed");
  });

  it("hold the money for a silent evaluator and its backups as long as the dead-man's switch says, at most", () => {
    const held = (seconds: number) => ({
      ...{ enabled: true, binding: { type: "manual" as const }, payment: { amount: "5.00", currency: "USDC" } },
      dead_mans_switch: { evaluator_timeout_seconds: seconds, timeout_action: "split_50_50" as const },
    });
    // Each of three evaluators has 600 seconds of their own: the switch ends it before the last one has had them, or never does.
    for (const [seconds, over] of [
      [1_000, 1_000],
      [300, 300],
      [3_600, 1_800],
    ] as const) {
      const one = living(proposing(`held-${seconds}`, START + 864_000, { escrow: held(seconds) }));
      for (const act of [...SIGNED, deliver]) one.do(act);
      expect(lifeAt(one.life(), START + over - 1).timed.state.status, `${seconds}`).to.equal("delivered");
      const { timed, agreement } = lifeAt(one.life(), START + over);
      expect(timed, `${seconds}`).to.deep.include({ since: START + over });
      expect(timed.state.status).to.equal("closed");
      expect(overBy(agreement, START), "what both could know at signing").to.equal(START + 86_400 + over + 7_200 + 604_800);
    }
  });

  it("take no consent to end an escrow where there is none", () => {
    const one = living();
    for (const act of SIGNED) one.do(act);
    const consent = (): Act => ({ act: "consent", by: "client", share: 0, deadline: START + 60, escrow_signature: "0x00" });
    expect(one.refusal(consent)).to.equal("IllegalTransition");
  });

  it("have a backup judge once the evaluator's time is over", () => {
    const one = living();
    for (const act of [...SIGNED, deliver]) one.do(act);
    one.do((life) => result(life, "backup"), START + 601);
    expect(one.life().timed.state).to.include({ status: "verified", backups: 1 });
  });
});

describe("identities that are keys", () => {
  it("are read as published ones are", () => {
    // W3C did:key, test vectors of Ed25519 and secp256k1.
    const ed25519 = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
    const secp256k1 = "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme";
    for (const value of [ed25519, secp256k1]) {
      const key = keyOfDid({ scheme: "w3c_did", value });
      expect(key === undefined ? undefined : didOf(key)).to.equal(value);
    }
    expect(keyOfDid({ scheme: "w3c_did", value: ed25519 })).to.deep.equal({
      algorithm: "ed25519",
      key: "0x3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
    });
  });

  it("have no key where they are none, or are spelled in another way", () => {
    for (const value of ["did:web:example.com", "did:key:z", "did:key:z6Mk", `did:key:z${"1".repeat(40)}`, "did:key:zO0Il"])
      expect(keyOfDid({ scheme: "w3c_did", value }), value).to.equal(undefined);
    expect(keyOfDid({ scheme: "uri", value: identityOf(people.client).value })).to.equal(undefined);
  });
});

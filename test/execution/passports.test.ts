/** What final clearings make of passports: who dissents, who declares another basis than its work comes to, and what that weighs. */
import { expect } from "chai";
import { historyRisk } from "../../orchestrator/clearing/exposure.ts";
import type { Judgement } from "../../orchestrator/clearing/judgement.ts";
import { newPassport, type Passport } from "../../orchestrator/clearing/passport.ts";
import {
  bytesUnder,
  type ClearingDocument,
  cityDeployment,
  engineOf,
  makeClearingRecord,
  sealerOf,
  standingsSaid,
  TRUSTED,
} from "../../orchestrator/execution/clearing-record.ts";
import type { NodeTerms } from "../../orchestrator/execution/obligation.ts";
import {
  type FinalClearing,
  indexAfter,
  indexDigest,
  nextWeight,
  type PassportIndex,
  passportAmong,
  passportsAfter,
} from "../../orchestrator/execution/passports.ts";
import { deltasAfter, evaluationOf, instructionOf, overrideOf } from "../../orchestrator/execution/settlement-record.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";
import { evidenceKinds } from "../../orchestrator/protocol/evidence.ts";

const account = (name: string) => addressSchema.parse(sha256(name).slice(0, 42));
const keyOf = (id: string) => signerOf("secp256k1", Buffer.from(sha256(id).slice(2), "hex"));
const AT = "2026-01-01T00:00:00Z";
const NOW = BigInt(Date.parse(AT) / 1000);
const EXECUTOR = account("executor");
const OUTPUT = sha256("output");
const JUDGES = ["honest", "other", "odd"].map(account);
const PASSED: Judgement = { question: "PERFORMANCE", result: "PASS", confidence: 10_000, score: 10_000, basis: 1n, agreeing: 1 };

/** One executor's work, which its issuer ran again, what the third of the panel says of it, and the share that an upheld appeal leaves. */
async function clearing(name: string, odd: Partial<Judgement> = {}, ruled?: number): Promise<FinalClearing> {
  const terms: NodeTerms = {
    obligation: sha256(name),
    requestor: account("sponsor"),
    executors: [{ slot: 0, agent: EXECUTOR, price: 100n }],
    mission: account("mission"),
    attempt: 0,
    law: {
      ...{ label: "read", task: "read", shard: null, tier: 1, redundancy: 1, threshold: 1, agree: null },
      ...{ floor: "ATT", questions: ["PERFORMANCE"], panelSize: 3, timeout: 60 },
      ...{ after: [], admits: [], capabilities: [], predicate: 0 },
    },
    predicates: [],
    minConfidence: 5000,
    stake: 500n,
    rates: { protocolFeeRate: 200, insuranceReserveRate: 100 },
    appealWindow: 60,
    mandate: {},
    boundAt: NOW - 3600n,
  };
  const claim = {
    ...({ claim_type: "inference", claim_id: name, claim: "this follows", attester_id: EXECUTOR, attested_at: AT } as const),
    ...{ premises: ["a"], conclusion: "b", inference_method: "re-execution/v1" },
  };
  const outcome = {
    ...({ status: "unverifiable", method: "inference/source-unavailable", evidence: {}, verifier_id: "issuer", verified_at: AT } as const),
    ...{ source_digest: null, artifact_signature: null },
  };
  const item = {
    ...({ slot: 0, index: 0, kind: evidenceKinds.REEXECUTION, payload: OUTPUT, issuer: account("issuer"), class: "ATT" } as const),
    signature: "0x" as const,
  };
  const handed = [
    { slot: 0, agent: EXECUTOR, items: [item], claimed: { claim, outcome, found: OUTPUT, key: keyOf("issuer").publicKey, trail: [] } },
  ];
  const panel = JUDGES.map((verifier) => ({ verifier, weight: 100 }));
  const judgementsOf = (verifier: string) => [verifier === JUDGES[2] ? { ...PASSED, ...odd } : PASSED];
  const runner = account("runner");
  const handOf = (id: string) => {
    const key = keyOf(id);
    return { seal: async (document: ClearingDocument) => ({ publicKey: key.publicKey, signature: key.sign(bytesUnder(document, id)) }) };
  };
  const engine = sealerOf(engineOf(runner), keyOf(runner));
  const record = await makeClearingRecord({ terms, panel, handed, judgementsOf }, { of: handOf, engine }, NOW);
  const world = cityDeployment(record.keys, standingsSaid(record, engine.id), TRUSTED);
  const attempt = { obligation: record.obligation, record, world, engine };
  const multipliers = { [EXECUTOR]: 10_000 };
  const instruction = instructionOf(attempt, { earlier: [], multipliers });
  if (instruction === undefined) throw new Error("nothing was decided");
  const environment = { appealsFiledAt: [], resolvedConflicts: [] };
  if (ruled === undefined) {
    const evaluation = evaluationOf(attempt, { instructions: [instruction] }, environment, NOW + 3600n);
    const works = [{ slot: 0, outputHash: OUTPUT, handed: OUTPUT, output: {} }];
    const judged = { record, world, works, terms: undefined };
    return { evaluation, deltas: deltasAfter(attempt, instruction, []), world, judged };
  }
  const override = overrideOf(attempt, {
    ...{ act: "RESOLVE_APPEAL", acted_by: [account("adjudicator")], justification: sha256("read it"), receipt: "0xact" },
    ruling: { score: ruled, payees: [EXECUTOR], basis: [] },
    ...{ decision: record.decision.clearing_decision_hash, at: NOW + 60n, appealsUntil: NOW + 60n },
  });
  const second = instructionOf(attempt, { override, earlier: [instruction], multipliers });
  if (second === undefined) throw new Error("nothing was ruled");
  const evaluation = evaluationOf(attempt, { override, instructions: [instruction, second] }, environment, NOW + 3600n);
  return { evaluation, deltas: deltasAfter(attempt, second, [override]), world, judged: undefined };
}

/** Clearings one after the other, each taking up the passports of those before. */
function folded(clearings: readonly FinalClearing[]) {
  const known: Passport[] = [];
  let index: PassportIndex = {};
  for (const one of clearings) {
    const next = passportsAfter(index, [one], (subject, digest) => passportAmong(known, subject, digest));
    index = indexAfter(next);
    known.push(...next.changed.map(({ after }) => after));
  }
  return { index, of: (subject: string) => passportAmong(known, subject, index[subject]) };
}

const many = (count: number, odd?: Partial<Judgement>) =>
  Promise.all(Array.from({ length: count }, (_, place) => clearing(`${place}`, odd)));

describe("passports after final clearings", () => {
  it("count who judged as was decided, and what the executor cleared, each decision once", async () => {
    const clearings = await many(4);
    const { of } = folded(clearings);
    expect(of(JUDGES[0] ?? "").record).to.deep.include({ agreed: 4, disagreed: 0, mismatches: 0 });
    expect(of(EXECUTOR).fields).to.deep.equal({ cleared_obligations: 4 });
    const twice = folded([...clearings, ...clearings]);
    expect(twice.of(EXECUTOR).fields).to.deep.equal({ cleared_obligations: 4 });
  });

  it("count an appeal upheld against the executor once, compare no verdict with it, and one in its favour as cleared", async () => {
    const lost = await clearing("lost", {}, 0.5);
    const { of } = folded([lost, await clearing("cleared"), lost]);
    expect(of(EXECUTOR).fields).to.deep.equal({ cleared_obligations: 1, upheld_disputes: 1 });
    expect(of(JUDGES[0] ?? "").record).to.deep.include({ agreed: 1, disagreed: 0 });
    const won = folded([await clearing("won", { score: 5_000 }, 1)]);
    expect(won.of(EXECUTOR).fields).to.deep.equal({ cleared_obligations: 1 });
    expect([of(EXECUTOR), won.of(EXECUTOR)].map(historyRisk)).to.deep.equal([0.5, 1 / 3]);
  });

  it("are the same, mission by mission or all at once", async () => {
    const clearings = await many(5, { result: "FAIL", score: 0, agreeing: 0 });
    const atOnce = passportsAfter({}, clearings, (subject) => newPassport(subject));
    expect(indexDigest(indexAfter(atOnce))).to.equal(indexDigest(folded(clearings).index));
  });

  it("flag who dissents too often, and its weight falls to what a newcomer has", async () => {
    const { of } = folded(await many(8, { result: "FAIL", score: 0, agreeing: 0 }));
    const [honest, odd] = [of(JUDGES[0] ?? ""), of(JUDGES[2] ?? "")];
    expect([honest.flagged, odd.flagged]).to.deep.equal([false, true]);
    expect(odd.record).to.deep.include({ agreed: 0, disagreed: 8 });
    expect([nextWeight(100, honest), nextWeight(100, odd), nextWeight(120, odd), nextWeight(101, odd)]).to.deep.equal([
      103,
      undefined,
      117,
      100,
    ]);
  });

  it("find who declares another basis than its work comes to, where it is drawn", async () => {
    const clearings = await many(30, { basis: 0n });
    const { verdicts } = passportsAfter({}, clearings, (subject) => newPassport(subject));
    const audits = verdicts.filter(({ matches }) => matches !== undefined);
    expect(audits.length).to.be.within(5, 40);
    for (const { seat, matches } of audits) expect(matches, seat).to.equal(seat.startsWith(JUDGES[2] ?? "") === false);
    expect(audits.some(({ matches }) => matches === false)).to.equal(true);
  });

  it("move no weight that is outside of what passports move, and none beyond", () => {
    const good = { ...newPassport("a"), record: { agreed: 1000, disagreed: 0, audits: 0, mismatches: 0 } };
    expect([nextWeight(500, good), nextWeight(131, good), nextWeight(132, good)]).to.deep.equal([undefined, 132, undefined]);
    expect(nextWeight(100, newPassport("a"))).to.equal(undefined);
  });

  it("raise whoever was seated with less, once it was right more often than wrong", () => {
    const good = { ...newPassport("a"), record: { agreed: 1000, disagreed: 0, audits: 0, mismatches: 0 } };
    const bad = { ...newPassport("a"), record: { agreed: 0, disagreed: 1000, audits: 0, mismatches: 0 } };
    expect([nextWeight(25, newPassport("a")), nextWeight(25, bad), nextWeight(25, good), nextWeight(99, good)]).to.deep.equal([
      undefined,
      undefined,
      28,
      102,
    ]);
  });

  it("are not made up where they are missing", () => {
    expect(() => passportAmong([], "a", sha256("gone"))).to.throw(RangeError, "no passport of a");
  });
});

/** Execution that is paused for its margin: what stands still meanwhile, what is at stake afterwards, and what nobody gets out of it. */
import { expect } from "chai";
import {
  type BoundObligation,
  bindObligation,
  clear,
  DEFAULT_EXPOSURE,
  type DocketRecord,
  deployment,
  emitted,
  evaluateFinality,
  hashOf,
  ingest,
  itemHash,
  marginRecordSchema,
  type ObligationTerms,
  openDocket,
  pauseRecordSchema,
  recordBinding,
  recordExit,
  recordMargin,
  recordPause,
  sealEnvelope,
  settle,
  signObligation,
  signOutput,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("margins", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  lab: { principal: "ci-house", issues: ["ATT"] },
  v1: { principal: "mesh-1", role: "constraint" },
  v2: { principal: "mesh-2", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
});
const PANEL = ["v1", "v2"] as const;
/** The same city before and after a policy changed: the risen band demands a third of the fee. */
const cityAt = (exposure: number) =>
  deployment(registry, {
    exposure: { of: () => exposure, config: DEFAULT_EXPOSURE },
    posted: (_, { receipt }) => receipt === "escrow",
  });
const [calm, risen, higher] = [cityAt(0.1), cityAt(0.3), cityAt(0.6)];
const BEGINS = 1_800_000_000n;
const HOUR = 3_600n;
const ENDS = BEGINS + 2n * HOUR;
const TERMS: ObligationTerms = {
  ...{ obligation_id: hashOf({ deal: "margins" }), parties: { requestor: "buyer", provider: "agent" }, task: {}, scope: {} },
  ...{ prohibitions: [], required_actions: [], acceptance_criteria: [], admissibility_floors: { fee_release: "ATT" } },
  verifier_policy: { verifiers: PANEL, count: 2, questions: ["performance"] },
  economic_terms: { fee: 900, collateral: 50, currency: "USD" },
  deadlines: { execution_window_hours: 2, appeal_window_hours: 24 },
  bound_at: "2027-01-15T08:00:00Z",
};
const boundTo = (change: Partial<ObligationTerms> = {}): BoundObligation =>
  granted(bindObligation(signObligation({ ...TERMS, ...change }, { requestor: signers.buyer, provider: signers.agent }), calm));
const obligation = boundTo();
const hash = obligation.obligation_hash;
const engine = signers.engine;

const refusals = (checked: Checked<unknown>) => (checked.ok ? [] : checked.refusals.map(({ guard }) => guard));
const pause = (docket = openDocket(), now = BEGINS + HOUR, city = risen) =>
  recordPause({ obligation, deployment: city, engine, docket, now });
const post = (docket: ReturnType<typeof openDocket>, amount = 301, receipt = "escrow", now = BEGINS + 5n * HOUR) =>
  recordMargin({ obligation, deployment: risen, engine, docket, now, posting: { amount, receipt } });
const expire = (docket: ReturnType<typeof openDocket>, now: bigint) =>
  recordExit({ obligation, cause: { exit: "EXPIRED" }, deployment: risen, engine, docket, now });

const item = emitted(
  hash,
  { id: "log", type: "log", content: {} },
  { signer: signers.lab, class: "ATT", issuedAt: "2027-01-15T08:30:00Z" },
);
const handedIn = (submitted_at: string, docket?: ReturnType<typeof openDocket>) =>
  ingest(sealEnvelope(signers.agent, { obligation_hash: hash, submitted_at, items: [item] }), obligation, risen, docket);

/** What the panel makes of an envelope from before the pause. */
function cleared(verdict: "PASS" | "FAIL") {
  const envelope = granted(handedIn("2027-01-15T09:00:00Z"));
  const outputs = PANEL.map((verifier) =>
    signOutput(signers[verifier], {
      ...{ role: "constraint", obligation_hash: hash, envelope_id: envelope.envelope.envelope_id, verdict, confidence: 1 },
      ...{ answers: [{ question: "performance" }], class_of_basis: "ATT", basis: [itemHash(item)] },
    }),
  );
  return clear({ obligation, envelope, outputs, deployment: risen, engine, now: BEGINS + 6n * HOUR });
}

describe("a pause for margin", () => {
  it("returns execution to pre-clearance, and nothing is settled until the recomputed margin is posted", () => {
    const store = new Map<Hash, readonly DocketRecord[]>();
    const docket = openDocket(store);
    granted(recordBinding({ obligation, deployment: calm, engine, docket, now: BEGINS }));
    const paused = granted(pause(docket));
    expect(paused).to.include({ band: "MODERATE", margin: 301 });
    expect(pauseRecordSchema.parse(JSON.parse(JSON.stringify(paused)))).to.deep.equal(paused);
    expect(docket.entry(hash)?.state.stage).to.equal("PRE_CLEARANCE");
    expect(refusals(settle(cleared("PASS"), engine, docket))).to.deep.equal(["MARGIN_OWED"]);
    const margin = granted(post(docket));
    expect(marginRecordSchema.parse(JSON.parse(JSON.stringify(margin)))).to.deep.equal(margin);
    expect(docket.entry(hash)?.state.stage).to.equal("EXECUTION");

    const found = cleared("PASS");
    const instruction = granted(settle(found, engine, docket));
    if (instruction === undefined) throw new Error("it settles");
    expect(instruction.collateral_action).to.deep.include({ amount: 301, on_final: { type: "return", amount: 301 } });
    const final = { obligation, decision: found.decision, instruction, docket, deployment: risen, engine, now: BEGINS + 30n * HOUR };
    const environment = { appealsFiledAt: [], resolvedConflicts: [] };
    expect(granted(evaluateFinality({ ...final, environment })).phi_result, "the trace from before the pause is valid").to.equal(true);
    expect(store.get(hash)?.map(({ kind }) => kind)).to.deep.equal(["binding", "pause", "margin", "instruction"]);
    expect(openDocket(new Map([[hash, JSON.parse(JSON.stringify(store.get(hash)))]])).problem(obligation, risen)).to.equal(undefined);
  });

  it("puts at stake what was posted: a failure costs it, and so does not performing", () => {
    const failed = openDocket();
    granted(pause(failed));
    granted(post(failed, 400));
    expect(granted(settle(cleared("FAIL"), engine, failed))?.collateral_action)
      .to.have.property("on_final")
      .that.deep.equals({
        ...{ type: "slash", amount: 400, return_amount: 0 },
      });
    const absent = openDocket();
    granted(pause(absent));
    granted(post(absent));
    expect(granted(expire(absent, ENDS + 4n * HOUR + 1n))).to.deep.include({
      collateral_action: { type: "slash", amount: 301, return_amount: 0 },
      passport_delta: { "agent.failed_obligations": 1 },
    });
  });

  it("stops the clock of the execution window", () => {
    const docket = openDocket();
    granted(pause(docket));
    granted(post(docket));
    // Two hours, and the four that it was paused: until 14:00.
    expect(handedIn("2027-01-15T14:00:00Z", docket).ok).to.equal(true);
    for (const late of [
      handedIn("2027-01-15T14:00:01Z", docket),
      handedIn("2027-01-15T10:00:01Z"),
      handedIn("2027-01-15T10:00:01Z", openDocket()),
    ])
      expect(refusals(late)).to.deep.equal(["SUBMITTED_TOO_LATE"]);
    expect(refusals(expire(docket, ENDS + 4n * HOUR))).to.deep.equal(["EXIT_NOT_DUE"]);
  });

  it("makes nobody post more than was agreed: what is not posted expires at nobody's fault, and whole", () => {
    const docket = openDocket();
    granted(pause(docket));
    expect(refusals(expire(docket, ENDS))).to.deep.equal(["EXIT_NOT_DUE"]);
    expect(granted(expire(docket, ENDS + 1n))).to.deep.include({
      collateral_action: { type: "return", amount: 50 },
      passport_delta: { "agent.released_obligations": 1 },
    });
    expect(refusals(post(docket)), "afterwards").to.deep.equal(["MARGIN_NOT_DUE"]);
  });

  it("is due only while it is executed, for an exposure that demands more than is at stake", () => {
    const settled = openDocket();
    granted(settle(cleared("PASS"), engine, settled));
    const paused = openDocket();
    granted(pause(paused));
    const clocked = boundTo({ deadlines: { ...TERMS.deadlines, execution_begins: "the award" } });
    for (const refused of [
      pause(openDocket(), BEGINS + HOUR, calm),
      pause(openDocket(), BEGINS + HOUR, deployment(registry)),
      pause(openDocket(), BEGINS - 1n),
      pause(openDocket(), ENDS + 1n),
      pause(settled),
      pause(paused),
      recordPause({ obligation: clocked, deployment: risen, engine, docket: openDocket(), now: BEGINS + HOUR }),
    ])
      expect(refusals(refused)).to.deep.equal(["MARGIN_NOT_DUE"]);
    expect(() => recordPause({ obligation, deployment: risen, engine: signers.v1, docket: openDocket(), now: BEGINS }))
      .to.throw()
      .with.property("code", "NotTheEngine");
    // What was posted is what counts the next time.
    granted(post(paused, 400));
    expect(refusals(pause(paused, BEGINS + 5n * HOUR))).to.deep.equal(["MARGIN_NOT_DUE"]);
    expect(granted(pause(paused, BEGINS + 5n * HOUR, higher)).margin).to.equal(540);
  });

  it("is ended by its own margin alone, as the rail holds it", () => {
    const store = new Map<Hash, readonly DocketRecord[]>();
    const docket = openDocket(store);
    expect(refusals(post(docket)), "nothing is paused").to.deep.equal(["MARGIN_NOT_DUE"]);
    const paused = granted(pause(docket));
    for (const refused of [post(docket, 300), post(docket, 301, "a promise"), post(docket, 301, "escrow", BEGINS)])
      expect(refusals(refused)).to.deep.equal(["MARGIN_NOT_DUE"]);
    const margin = granted(post(docket));
    // Stores that tell it otherwise.
    const told = (...records: DocketRecord[]) => openDocket(new Map([[hash, records]])).problem(obligation, risen);
    const [first, last] = [{ kind: "pause", record: paused } as const, { kind: "margin", record: margin } as const];
    for (const records of [[last], [last, first], [first, first], [first, { ...last, record: { ...margin, amount: 300 } }]])
      expect(told(...records)).to.equal("its records do not follow from each other");
    expect(told({ ...first, record: { ...paused, margin: 51 } })).to.equal("the pause is not what an engine signed");
    expect(told(first, { ...last, record: { ...margin, amount: 9_000 } })).to.equal("the margin is not what an engine signed");
  });
});

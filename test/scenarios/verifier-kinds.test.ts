// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import { openContext } from "../../orchestrator/city/audit/context.ts";
import { findingsAgain, workIn } from "../../orchestrator/city/audit/findings.ts";
import { Inspection } from "../../orchestrator/city/audit/inspection.ts";
import { finalClearings } from "../../orchestrator/city/audit/passports.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { KindNotOffered } from "../../orchestrator/city/missions/offered-kinds.ts";
import { timeOf } from "../../orchestrator/clearing/fields.ts";
import { saidDigest, saidSchema } from "../../orchestrator/clearing/findings.ts";
import { JUDGE_RULES } from "../../orchestrator/clearing/mesh.ts";
import { type ObligationTerms, obligationSchema, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { type ClearingRecord, clearingRecordSchema } from "../../orchestrator/execution/clearing-record.ts";
import { signedItemSchema } from "../../orchestrator/execution/evidence.ts";
import { differencesIn } from "../../orchestrator/execution/passports.ts";
import { overrideSchema } from "../../orchestrator/execution/settlement-record.ts";
import { isIssued } from "../../orchestrator/execution/vouched.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { parseContentId } from "../../orchestrator/primitives/hash.ts";
import { type ContentId, hashSchema } from "../../orchestrator/primitives/hex.ts";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { MANIFEST } from "../../orchestrator/records/bundle-manifest.ts";
import { forge, logOf, rewriteRecord, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { type Asked, lenient, modelServer } from "../support/model-server.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, judgedByKinds, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const RUBRIC = "Names every work package with an estimate.";
/** Of the city's own verifiers, seat by seat. */
const MODELS = ["openai:judge-1", "openai:judge-2"];
/** Of a hundred, how well the model finds the report to meet its rubric. */
const SCORE = 88;

/** Every file of a bundle, its manifest among them. */
function onDisk(directory: string): Map<string, Uint8Array> {
  return new Map([...openBundle(directory).files, [MANIFEST, readFileSync(join(directory, MANIFEST))]]);
}

function parseEntry(content: string | null | undefined): ContentId | undefined {
  return content == null ? undefined : parseContentId(content);
}

/** A law that asks for every kind of verifier: panels judge by each, a human signs, the documents say who found what, and all is paid by it. */
describe("scenario: a mission judged by every kind of verifier", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const server = modelServer();
  let city: City;
  let outcome: Outcome;
  /** Whatever models were asked in the mission. */
  const asked: Asked[] = [];
  const text = () => {
    const csv = smallInputs(directory(), CALM_ROWS).csv;
    return smallMission(csv, { risk: "MEDIUM", budget: "600.00", deadline: "2d", tasks: judgedByKinds(RUBRIC) });
  };
  const files = () => new Map<string, Uint8Array | string>(openBundle(outcome.bundle ?? "").files);
  const blocksOf = (kind: string) =>
    logOf(files()).flatMap((entry) =>
      entry.kind === kind && entry.content !== null ? [{ ...entry, block: parseJson(textOf(files(), `blocks/${entry.content}`)) }] : [],
    );
  const clearings = () => blocksOf("execution.clearing").map(({ block }) => clearingRecordSchema.parse(block));
  const clearingOf = (label: string): ClearingRecord => clearings().find(({ obligation }) => obligation.task["node"] === label)!;

  before(async () => {
    const home = join(directory(), "home");
    const environment = { AGENTCITY_JUDGE: MODELS.join(", "), OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url };
    city = await openHome(home, "23", { environment });
    const answer = lenient(SCORE);
    server.answer = (question) => {
      asked.push(question);
      return answer(question);
    };
    outcome = await carryOutIn(city, text(), { id: "kinds", home });
  });
  after(() => city?.close());

  it("is completed, every node at its first attempt", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
    expect(balances(outcome.money)).to.equal(true);
    expect(readFileSync(outcome.report, "utf8")).to.include("also checked by verifiers of kind constraint, receipt, semantic, human");
    expect(outcome.slashed).to.equal("0");
  });

  it("binds executors at the award, to what the law allows, asks and keeps", async () => {
    const mission = city.client.mission(addressSchema.parse(outcome.mission));
    const bound = await mission.history("ExecutorBound");
    const started = await mission.history("Committed");
    const obligations = blocksOf("execution.obligation").map(({ block }) => obligationSchema.parse(block));
    const of = (label: string) => obligations.find(({ task }) => task["node"] === label)!;
    for (const [node, { label }] of outcome.nodes.entries()) {
      const obligation = of(label);
      const award = bound.filter(({ args }) => args.node === node).at(-1)?.blockNumber ?? 0n;
      const { timestamp } = await city.chain.publicClient.getBlock({ blockNumber: award });
      expect(obligation.bound_at, label).to.equal(timeOf(timestamp));
      const first = started.find(({ args }) => args.node === node)?.blockNumber ?? 0n;
      expect(first > award, `${label} is bound before it works`).to.equal(true);
      expect(obligation.prohibitions).to.deep.equal(["to hand in output of code that the law does not admit"]);
      expect(obligation.required_actions).to.have.length(2);
      expect(obligation.finality_policy).to.deep.equal({ confidence_threshold: 0 });
      expect(obligation.settlement_policy?.on_failure).to.equal("refund");
      expect(obligation.economic_terms.collateral).to.be.greaterThan(0);
    }
    expect(of("read-1").evidence_requirements).to.deep.equal([{ type: "re-execution", class: "ATT" }]);
    expect(of("estimate-1").evidence_requirements?.map(({ type }) => type)).to.deep.equal(["receipt"]);
    expect(of("report").scope["after"], "one shard of estimates a row").to.deep.equal([3, 4, 5]);
  });

  it("is found out where an obligation says another moment, another scope or no prohibition", async () => {
    const lies: readonly Partial<ObligationTerms>[] = [{ bound_at: timeOf(0) }, { scope: {} }, { prohibitions: [] }];
    for (const [place, lie] of lies.entries()) {
      const change = (record: Record<string, unknown>) => {
        const { obligation_hash: _, signatures: __, ...terms } = obligationSchema.parse(record);
        return signObligation({ ...terms, ...lie }, {});
      };
      const forged = forge(outcome.bundle ?? "", join(directory(), `bound-${place}`), (all) =>
        rewriteRecord(all, "execution.obligation", change),
      );
      const found = await rejection(auditBundle(forged));
      if (!(found instanceof AuditFailed)) throw found;
      const subjects = found.report.checks.flatMap(({ findings }) => findings.map(({ subject }) => subject));
      expect(subjects, Object.keys(lie).join()).to.include("settlement of read-1: the obligation against law and awards");
    }
  });

  it("has a finding by each kind of every member of each panel, from what it looked at itself", () => {
    for (const { obligation, outputs, decision, weights } of clearings()) {
      const asked = obligation.verifier_policy.kinds ?? [];
      const judged = outputs.filter(({ answers }) => answers.some(({ question }) => question === "performance"));
      const label = String(obligation.task["node"]);
      expect(judged.length, label).to.be.at.least(3);
      for (const { findings } of judged)
        expect(
          findings?.map(({ kind, verdict }) => [kind, verdict]),
          label,
        ).to.deep.equal(asked.filter((kind) => kind !== "human").map((kind) => [kind, "PASS"]));
      const grounds = judged.flatMap(({ findings }) => (findings ?? []).map(({ from }) => from));
      expect(new Set(grounds).size, "nobody's judgement is another's").to.equal(grounds.length);
      const passed = { passed: judged.length, failed: 0, silent: 0 };
      expect(decision.kinds, label).to.deep.equal(
        asked.map((kind) => ({ kind, ...(kind === "human" ? { passed: 0, failed: 0, silent: 0 } : passed) })),
      );
      expect(Object.keys(weights).length).to.be.at.least(judged.length);
    }
    expect(clearingOf("report").obligation.verifier_policy.kinds).to.deep.equal(["replay", "constraint", "receipt", "semantic", "human"]);
  });

  it("asks each verifier's model in its own name, and signs the digest of what it said", () => {
    const { outputs } = clearingOf("report");
    const said = blocksOf("execution.semantic");
    const semantic = outputs.flatMap(({ verifier, findings = [] }) =>
      findings.flatMap((finding) => (finding.said === undefined ? [] : [{ verifier: verifier.split("/")[0], finding }])),
    );
    expect(said).to.have.length(semantic.length);
    for (const { verifier, finding } of semantic) {
      const own = saidSchema.parse(said.find(({ subjects }) => subjects.at(-1) === verifier)?.block);
      const seat = membersOf(city.society, "verifier").findIndex(({ account }) => account.address === verifier);
      const model = MODELS[seat % MODELS.length];
      expect(finding.said).to.deep.equal({ model, prompt: JUDGE_RULES, answers: saidDigest(own) });
      const named = asked.filter(({ prompt }) => prompt.includes(`for ${verifier}`)).map((each) => `openai:${each.model}`);
      expect([...new Set(named)], "each asks its own model").to.deep.equal([model]);
      expect(finding.score).to.equal(SCORE / 100);
    }
  });

  it("pays what the least of the kinds finds, once a human has signed", async () => {
    const mission = addressSchema.parse(outcome.mission);
    const node = outcome.nodes.findIndex(({ label }) => label === "report");
    expect(clearingOf("report").decision.score).to.equal(SCORE / 100);
    const overrides = blocksOf("execution.override").filter(({ subjects }) => subjects[1] === String(node));
    expect(overrides.map(({ block }) => overrideSchema.parse(block).override.act)).to.deep.equal(["APPROVE_POP"]);
    const settled = blocksOf("execution.settlement").filter(({ subjects }) => subjects[1] === String(node));
    expect(settled).to.have.length(1);
    expect(settled[0]?.block).to.have.nested.property("instruction.override_id");
    expect((await city.client.mission(mission).nodeOf(node)).share).to.equal(SCORE * 100);
  });

  it("leaves a bundle that an auditor accepts, with and without a chain", async () => {
    const { checks, passed } = await auditBundle(outcome.bundle ?? "");
    expect(checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(passed).to.equal(true);
    const documents = await auditDocuments(onDisk(outcome.bundle ?? ""));
    expect(documents.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
  });

  it("has every finding that needs no model made again, and names the kind in which a verifier lies", async () => {
    const context = await openContext(openBundle(outcome.bundle ?? ""));
    try {
      const clearings = await finalClearings(context);
      const panels = clearings.flatMap((one) => ("judged" in one ? (one.judged ?? []) : []));
      expect(panels.length).to.be.greaterThan(3);
      for (const judged of panels) {
        for (const output of judged.record.outputs) {
          expect(differencesIn(output, judged), output.verifier).to.deep.equal([]);
          for (const kind of ["constraint", "receipt", "replay"] as const) {
            const [honest] = (output.findings ?? []).filter((finding) => finding.kind === kind);
            if (honest === undefined) continue;
            const others = (output.findings ?? []).filter((finding) => finding !== honest);
            const failing: typeof honest = { ...honest, verdict: "FAIL", score: 0, agreeing: [] };
            expect(differencesIn({ ...output, verdict: "FAIL", findings: [...others, failing] }, judged)).to.deep.equal([kind]);
            const ungrounded = { ...honest, basis: [] };
            expect(differencesIn({ ...output, findings: [...others, ungrounded] }, judged)).to.deep.equal([kind]);
          }
        }
      }
      const kinds = panels.flatMap(({ record: { outputs } }) => outputs.flatMap(({ findings = [] }) => findings.map(({ kind }) => kind)));
      expect([...new Set(kinds)].sort()).to.include.members(["constraint", "receipt", "replay"]);
    } finally {
      await context.chain.close();
    }
  });

  it("is found out where a model's answer is another than the one that was signed", async () => {
    const change = (record: Record<string, unknown>) => {
      const said = saidSchema.parse(record);
      return { ...said, answers: said.answers.map((each) => ({ ...each, answer: each.answer.replace("PASS", "FAIL") })) };
    };
    const forged = forge(outcome.bundle ?? "", join(directory(), "other-answer"), (all) =>
      rewriteRecord(all, "execution.semantic", change),
    );
    const { checks } = await auditDocuments(onDisk(forged));
    const problems = checks.flatMap(({ name, findings }) => findings.map(({ subject }) => `${name}: ${subject}`));
    expect(problems.filter((each) => /semantic finding of .*, what its model said/.test(each))).to.have.length(1);
    expect(problems.filter((each) => /semantic finding of .*, read again/.test(each))).to.have.length(1);
  });

  it("is found out where a verifier's findings are another's, or those of another kind", () => {
    const record = clearingOf("report");
    const law = { verifiers: ["constraint", "receipt", "semantic", "human"] as const, rubric: RUBRIC };
    const of = (kind: string, place: readonly string[]) =>
      parseEntry(logOf(files()).findLast((entry) => entry.kind === kind && entry.subjects.join("/") === place.join("/"))?.content);
    const block = (id: ContentId) => parseJson(textOf(files(), `blocks/${id}`));
    const place = blocksOf("execution.semantic")[0]?.subjects.slice(0, 3) ?? [];
    const problems = (outputs: ClearingRecord["outputs"]) => {
      const seen = new Inspection({ name: "DECISIONS", file: "log.ndjson" });
      findingsAgain(seen, {
        ...{ subject: "clearing", file: "log.ndjson", record: { ...record, outputs }, law: { ...law, verifiers: [...law.verifiers] } },
        workOf: (slot) => workIn({ of, block, hasBlock: () => true }, place, slot),
        saidOf: (verifier) => saidSchema.parse(blocksOf("execution.semantic").find(({ subjects }) => subjects.at(-1) === verifier)?.block),
      });
      const subjects = seen.result().findings.map(({ subject }) => subject.replace(/0x\w+/, "somebody"));
      // Two seats may have the same model or not: which are drawn is not the test's to say.
      return subjects.filter((subject) => !subject.endsWith("what its model said"));
    };
    const [first, second, ...others] = record.outputs;
    if (first === undefined || second === undefined) throw new RangeError("a panel of one");
    expect(problems(record.outputs)).to.deep.equal([]);
    const kinds = ["replay", "constraint", "receipt"];
    expect(problems([first, { ...second, findings: first.findings }, ...others])).to.deep.equal([
      ...kinds.map((kind) => `clearing: ${kind} finding of somebody, what it looked at`),
      // Both models said the same; that they were asked the same is what cannot be.
      "clearing: semantic finding of somebody, what it asked",
    ]);
    const replay = first.findings?.find(({ kind }) => kind === "replay");
    const handedOn = first.findings?.map((finding) =>
      replay !== undefined && finding.kind === "receipt" ? { ...replay, kind: finding.kind } : finding,
    );
    expect(problems([{ ...first, findings: handedOn }, second, ...others])).to.deep.equal([
      "clearing: receipt finding of somebody, what it looked at",
    ]);
  });

  it("takes no receipt that its issuer did not sign, or not for this work", async () => {
    const [found] = blocksOf("execution.evidence");
    const [item] = signedItemSchema.array().parse(found?.block);
    const mission = addressSchema.parse(outcome.mission);
    const place = z.tuple([z.string(), z.coerce.number(), z.coerce.number(), z.string()]).parse(found?.subjects);
    const [{ obligation_id: other }, own] = [clearingOf("report").obligation, await city.client.mission(mission).obligationOf(place[1])];
    if (item === undefined) throw new RangeError("no evidence");
    expect(await isIssued(city.client, mission, own, item)).to.equal(true);
    const forgeries = [
      isIssued(city.client, mission, own, { ...item, payload: hashSchema.parse(`0x${"1".repeat(64)}`) }),
      isIssued(city.client, mission, hashSchema.parse(other), item),
      isIssued(city.client, mission, own, { ...item, issuer: memberOf(city.society, "producer").account.address }),
      isIssued(city.client, mission, own, { ...item, signature: `0x${"00".repeat(65)}` }),
    ];
    expect(await Promise.all(forgeries)).to.deep.equal([false, false, false, false]);
  });

  it("is refused by name, before anything is paid, where nobody has a model", async () => {
    const home = join(directory(), "without");
    const poor = await openHome(home, "23");
    try {
      const refused = await rejection(carryOutIn(poor, text(), { id: "nobody", home }));
      expect(refused).to.be.instanceOf(KindNotOffered);
      expect(refused).to.have.property("message").that.includes("The task report is to be judged by a semantic verifier");
    } finally {
      await poor.close();
    }
  });
});

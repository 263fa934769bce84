import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import { branches } from "../../orchestrator/city/audit/branches.ts";
import { type AuditContext, openContext, treeOf } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { lieAbout } from "../../orchestrator/city/world.ts";
import { type Obligation, obligationSchema, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf, signHash, without } from "../../orchestrator/clearing/seal.ts";
import { sealerOf } from "../../orchestrator/execution/clearing-record.ts";
import { BRANCH_RULE, branchSchema } from "../../orchestrator/execution/delegation.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import type { ContentId } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonValue, parseJson } from "../../orchestrator/primitives/json.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { type Files, forge, logOf, relink, textOf } from "../city/audit/forgery.ts";
import { alterations } from "../support/alterations.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const COUNT = { service: "count", over: "input", tier: 1 };
const LOTS = { goal: "Count a lot.", over: "input", tasks: { count: COUNT }, output: "count" };

/** Every file of a bundle, its manifest among them. */
const wholeOf = (dir: string): ReadonlyMap<string, Uint8Array> =>
  new Map([["manifest.json", new Uint8Array(readFileSync(join(dir, "manifest.json")))], ...openBundle(dir).files]);

/** A record of the bundle, found by its kind and the numbers after its mission. */
interface Kept {
  readonly at: number;
  readonly subjects: readonly string[];
  readonly content: string;
  readonly value: JsonValue;
}

describe("scenario: a mission below fails by its executors, and its node is given to another one", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let opened = 0;
  /** Replayed once; each lie is told to it. */
  let context: AuditContext;
  let files: Files;

  before(async () => {
    const home = join(directory(), "home");
    const progress = (line: string) => {
      if (line.includes("opened for a mission of its own")) opened += 1;
    };
    city = await openHome(home, "5", { progress });
    const tasks = { lots: LOTS, report: { service: "aggregate", after: ["lots"], tier: 1 } };
    const text = smallMission(smallInputs(directory()).csv, { tasks, deadline: "2d" });
    outcome = await carryOutIn(city, text, {
      ...{ id: "delegated", home },
      tamper: ({ label }, output) => (opened === 1 && label.startsWith("count") ? lieAbout(output) : output),
    });
    files = new Map(openBundle(outcome.bundle ?? "").files);
    context = await openContext(openBundle(outcome.bundle ?? ""));
  });
  after(async () => {
    await context?.chain.close();
    await city?.close();
  });

  const keptOf = (kind: string, mission: string | null): readonly Kept[] =>
    logOf(files).flatMap(({ kind: own, subjects, content }, at) =>
      own === kind && subjects[0] === mission && content !== null
        ? [{ at, subjects, content, value: parseJson(textOf(files, `blocks/${content}`)) }]
        : [],
    );
  const obligationsOf = (mission: string | null): readonly Obligation[] =>
    keptOf("execution.obligation", mission).map(({ value }) => obligationSchema.parse(value));
  const branchesOf = () => obligationsOf(outcome.mission).filter(({ verifier_policy }) => verifier_policy.drawn_by === BRANCH_RULE);
  const endsOf = () => keptOf("execution.branch", outcome.mission).map(({ value }) => branchSchema.parse(value).delegation);

  it("ends well: the first child failed, the second did the work", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.children.map(({ path, attempt, status }) => [path, attempt, status])).to.deep.equal([
      ["lots", 1, "failed"],
      ["lots", 2, "completed"],
    ]);
  });

  it("binds a branch when its session is opened, to what the law above gives it", async () => {
    const loans = await city.client.mission(addressSchema.parse(outcome.mission)).history("ChildOpened");
    const sponsor = memberOf(city.society, "sponsor").account.address;
    const houses = loans.map(({ args }) => `${args.legislature}/${args.session}`);
    expect(branchesOf().map(({ parties }) => parties)).to.deep.equal(houses.map((provider) => ({ requestor: sponsor, provider })));
    expect(branchesOf().map(({ economic_terms }) => BigInt(economic_terms.fee))).to.deep.equal(loans.map(({ args }) => args.amount));
    for (const { parent_obligation_hash } of branchesOf()) expect(parent_obligation_hash).to.equal(undefined);
  });

  it("has everybody below work for the mission that it is, under the hash of what that undertook", () => {
    for (const [place, { mission }] of outcome.children.entries()) {
      const above = branchesOf()[place];
      const below = obligationsOf(mission);
      expect(below).to.have.length.greaterThan(0);
      for (const { parent_obligation_hash, parties } of below)
        expect([parent_obligation_hash, parties.requestor]).to.deep.equal([above?.obligation_hash, above?.parties.provider]);
    }
  });

  it("names the executor who failed below, and says of the mission only that it relied on it", () => {
    const [first, second] = endsOf();
    const [failed, done] = outcome.children;
    const last = obligationsOf(failed?.mission ?? null).at(-1);
    expect(first).to.include({ ended: failed?.mission, performance: "failed" });
    expect(first?.chains).to.deep.equal([
      [
        {
          ...{ agents: [branchesOf()[0]?.parties.provider], obligation_hash: branchesOf()[0]?.obligation_hash },
          ...{ fault: "delegation", fields: { failed_delegations: 1 } },
        },
        {
          ...{ agents: [last?.parties.provider], obligation_hash: last?.obligation_hash },
          ...{ fault: "own", fields: { failed_obligations: 1 } },
        },
      ],
    ]);
    expect(second).to.deep.include({ ended: done?.mission, performance: "cleared", chains: [] });
  });

  it("is accepted by an auditor, with and without the chain", async () => {
    const report = await auditBundle(outcome.bundle ?? "");
    expect(report.checks.find(({ name }) => name === "BRANCHES")?.verified).to.be.at.least(30);
    const alone = await auditDocuments(wholeOf(outcome.bundle ?? ""));
    expect(alone.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(alone.checks.find(({ name }) => name === "BRANCHES")?.verified).to.be.at.least(10);
  });

  /** What the check of branches finds when another record stands in the place of one, everything else as it is. */
  async function told({ content }: Kept, lie: JsonValue): Promise<readonly string[]> {
    const block = (id: ContentId) => (id === content ? lie : context.block(id));
    const { findings } = await inspect(branches, await treeOf({ ...context, block }));
    return findings.map(({ subject, problem }) => `${subject} ${problem}`);
  }

  /** The bundle with another record in the place of one, hashed and linked as a careful forger would. */
  function forged(lies: readonly (readonly [Kept, JsonValue])[]): Files {
    const changed: Files = new Map(files);
    let entries = logOf(files);
    for (const [{ at, content }, lie] of lies) {
      const bytes = canonicalBytes(lie);
      const id = contentIdOf(bytes);
      changed.delete(`blocks/${content}`);
      changed.set(`blocks/${id}`, bytes);
      entries = entries.map((entry, place) => (place === at ? { ...entry, content: id } : entry));
    }
    relink(changed, entries);
    return changed;
  }

  it("is found out by an auditor in whatever field a branch's obligation or end says something else", async () => {
    const hash = branchesOf()[0]?.obligation_hash;
    const [obligation] = keptOf("execution.obligation", outcome.mission).filter(
      ({ value }) => obligationSchema.parse(value).obligation_hash === hash,
    );
    const [end] = keptOf("execution.branch", outcome.mission);
    for (const kept of [obligation, end]) {
      if (kept === undefined) throw new Error("a record is not in the log");
      const lies = alterations(kept.value).filter(({ value }) => canonicalJson(value) !== canonicalJson(kept.value));
      expect(lies.length).to.be.at.least(15);
      for (const { path, value } of lies)
        expect(await told(kept, value), `${kept.subjects.join("/")}: ${path}`).to.have.length.greaterThan(0);
    }
  });

  it("is found out where those below are said to serve somebody else, by the documents alone and by the replay", async () => {
    const [child] = outcome.children;
    const [kept] = keptOf("execution.obligation", child?.mission ?? null);
    if (kept === undefined) throw new Error("nothing was undertaken below");
    const { obligation_hash: _, signatures: __, ...terms } = obligationSchema.parse(kept.value);
    const [, other] = branchesOf();
    const lies = [
      signObligation({ ...terms, parent_obligation_hash: other?.obligation_hash }, {}),
      signObligation(without(terms, "parent_obligation_hash"), {}),
      signObligation({ ...terms, parties: { ...terms.parties, requestor: memberOf(city.society, "sponsor").account.address } }, {}),
    ];
    for (const [place, lie] of lies.entries()) {
      const value: JsonValue = parseJson(canonicalJson(lie));
      const finds = await told(kept, value);
      expect(finds.join("\n"), `lie ${place}`).to.include("the obligation of node 0 below, attempt 1 NOT_A_CHILD");
      const dir = forge(outcome.bundle ?? "", join(directory(), `parent-${place}`), (all) => {
        for (const [name, content] of forged([[kept, value]])) all.set(name, content);
        all.delete(`blocks/${kept.content}`);
      });
      const alone = await auditDocuments(wholeOf(dir));
      const found = alone.checks.flatMap(({ findings }) => findings.map(({ check, subject }) => `${check} ${subject}`));
      expect(found.some((each) => each.startsWith("BRANCHES") && each.includes("the obligation of node 0 below"))).to.equal(true);
      if (place > 0) continue;
      const error = await rejection(auditBundle(dir));
      if (!(error instanceof AuditFailed)) throw error;
      const all = error.report.checks.flatMap(({ findings }) => findings.map(({ check, subject }) => `${check} ${subject}`));
      expect(all.filter((each) => /^(ROOTS|SETTLEMENTS lots: .*against law and awards|BRANCHES)/.test(each))).to.have.length.at.least(3);
    }
  });

  it("is found out where its own engine signs that another one is at fault", async () => {
    const [kept] = keptOf("execution.branch", outcome.mission);
    if (kept === undefined) throw new Error("no branch ended");
    const { engine, delegation } = branchSchema.parse(kept.value);
    const runner = memberOf(city.society, "runner");
    const signer = sealerOf(delegation.clearing_engine, runner.seal());
    const resigned = (change: Partial<typeof delegation>): JsonValue => {
      const body = { ...without(delegation, "delegation_id", "clearing_engine_signature"), ...change };
      const id = hashOf(body);
      const record = { ...body, delegation_id: id, clearing_engine_signature: signHash(signer, "delegation", id) };
      return parseJson(canonicalJson({ engine, delegation: record }));
    };
    expect(await told(kept, resigned({})), "what it says is what it signs").to.deep.equal([]);
    const [[branch, leaf] = []] = delegation.chains;
    if (branch === undefined || leaf === undefined) throw new Error("nobody is at fault");
    const own = { ...branch, fault: "own" as const, fields: { failed_obligations: 1 } };
    const lies = [
      { chains: [[own]] },
      { chains: [[branch, { ...leaf, agents: ["0x00000000000000000000000000000000000000aa"] }]] },
      { chains: [], performance: "cleared" as const },
      { chains: [], performance: "unverifiable" as const },
    ];
    for (const lie of lies) {
      expect(await told(kept, resigned(lie)), canonicalJson(lie)).to.have.length.greaterThan(0);
    }
  });
});

/** A mission below fails by its executors' work, an appeal frees them, and nobody below is at fault any more. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { zeroHash } from "viem";
import type { Judge } from "../../orchestrator/adjudication/case.ts";
import type { AppealJudge } from "../../orchestrator/adjudication/rule-on-appeal.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { answerKey, lieAbout } from "../../orchestrator/city/world.ts";
import { obligationSchema } from "../../orchestrator/clearing/obligation.ts";
import { without } from "../../orchestrator/clearing/seal.ts";
import { BRANCH_RULE, branchSchema } from "../../orchestrator/execution/delegation.ts";
import { passportsSchema } from "../../orchestrator/execution/passports.ts";
import { overrideSchema } from "../../orchestrator/execution/settlement-record.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, digestOf } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes, parseJson } from "../../orchestrator/primitives/json.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { forge, logOf, relink, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const LOTS = { goal: "Count a lot.", over: "input", tasks: { count: { service: "count", over: "input", tier: 1 } }, output: "count" };
/** More than any bond here. */
const PURSE = 1_000_000_000n;

describe("scenario: who failed below is freed of it on appeal", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let opened = 0;
  const appealed = new Set<string>();

  /** Who appeals makes no difference to whom the ruling frees: here the sponsor, who has gas. */
  async function appealFaults(): Promise<void> {
    const [, mission] = await missionsOf(city);
    if (mission === undefined || opened !== 1) return;
    const contract = city.client.mission(mission);
    for (const { args } of await contract.history("SlashPending")) {
      const place = `${args.node}/${args.attempt}`;
      if (appealed.has(place)) continue;
      appealed.add(place);
      const { account } = memberOf(city.society, "sponsor");
      await city.client.token.approve([mission, PURSE], { intent: intentKey("test", "bond", place), account });
      const evidence = digestOf(city.blocks.put(new TextEncoder().encode("The issuer ran other code.")));
      const auth = { agent: account.address, deadline: 2 ** 40 - 1, signature: "0x" } as const;
      await contract.appeal([args.node, args.attempt, evidence, auth], { intent: intentKey("test", "appeal", place), account });
    }
  }

  const judge: Judge & AppealJudge = {
    ...simulatedJudge(DEVNET_CHAIN_ID),
    decideAppeal: async ({ appeals }) => ({
      ...{ upheld: appeals.map((_, place) => place), share: 0, slash: 0n, culprits: [] },
      justification: "The issuer was wrong.",
    }),
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "5", {
      progress: (line) => {
        if (line.includes("opened for a mission of its own")) opened += 1;
      },
      boundary: async (name) => (name === "execution:cleared" ? appealFaults() : undefined),
    });
    const tasks = { lots: LOTS, report: { service: "aggregate", after: ["lots"], tier: 1 } };
    const text = smallMission(smallInputs(directory()).csv, { tasks, deadline: "2d", risk: "MEDIUM" });
    outcome = await carryOutIn(city, text, {
      ...{ id: "freed", home, judge },
      tamper: ({ label }, output) => (opened === 1 && label.startsWith("count") ? lieAbout(output) : output),
    });
  });
  after(() => city?.close());

  const filesOf = () => new Map(openBundle(outcome.bundle ?? "").files);
  const keptOf = (kind: string, mission: string | null | undefined) =>
    logOf(filesOf()).flatMap(({ kind: own, subjects, content }) =>
      own === kind && subjects[0] === mission && content !== null ? [parseJson(textOf(filesOf(), `blocks/${content}`))] : [],
    );
  const failed = () => outcome.children[0]?.mission;

  it("writes down whom each ruling frees, and moves no money by it", () => {
    const freed = keptOf("execution.override", failed()).map((value) => overrideSchema.parse(value).override);
    expect(freed).to.have.length(appealed.size);
    expect(appealed.size).to.be.at.least(1);
    const executors = keptOf("execution.obligation", failed()).map((value) => obligationSchema.parse(value).parties.provider);
    expect(freed.map(({ exonerated }) => exonerated)).to.have.deep.members(executors.map((executor) => [executor]));
    for (const { act, ruling } of freed) expect([act, ruling]).to.deep.equal(["RESOLVE_APPEAL", undefined]);
  });

  it("leaves the fault with the mission above them, which failed all the same", () => {
    expect(outcome.children.map(({ status }) => status)).to.deep.equal(["failed", "completed"]);
    const [first] = keptOf("execution.branch", outcome.mission).map((value) => branchSchema.parse(value).delegation);
    expect(first?.performance).to.equal("failed");
    expect(first?.chains.map((chain) => chain.map(({ agents, fault }) => ({ agents, fault })))).to.deep.equal([
      [{ agents: [houseOf(outcome)], fault: "own" }],
    ]);
  });

  const houseOf = ({ mission }: Outcome) => {
    const bound = keptOf("execution.obligation", mission).map((value) => obligationSchema.parse(value));
    return bound.find(({ verifier_policy }) => verifier_policy.drawn_by === BRANCH_RULE)?.parties.provider;
  };

  it("writes no failure into anybody's passport, and compares no verdict with it", async () => {
    const posted = await city.answers.recall(answerKey(["passports", failed() ?? "", zeroHash]), passportsSchema);
    for (const { after } of posted?.changed ?? []) expect(after.fields).to.not.have.property("failed_obligations");
    expect(posted?.verdicts ?? []).to.deep.equal([]);
    expect((await city.client.mission(addressSchema.parse(failed())).history("AppealResolved")).length).to.equal(appealed.size);
  });

  it("is accepted by an auditor with and without the chain, and found out where it frees nobody", async () => {
    const whole = (dir: string) =>
      new Map([["manifest.json", new Uint8Array(readFileSync(join(dir, "manifest.json")))], ...openBundle(dir).files]);
    const { checks } = await auditBundle(outcome.bundle ?? "");
    expect(checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    const alone = await auditDocuments(whole(outcome.bundle ?? ""));
    expect(alone.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);

    const forged = forge(outcome.bundle ?? "", join(directory(), "nobody-freed"), (all) => {
      const entries = logOf(all).map((entry) => {
        if (entry.kind !== "execution.override" || entry.content === null) return entry;
        const { engine, override } = overrideSchema.parse(parseJson(textOf(all, `blocks/${entry.content}`)));
        const bytes = canonicalBytes({ engine, override: without(override, "exonerated") });
        const content = contentIdOf(bytes);
        all.set(`blocks/${content}`, bytes);
        return { ...entry, content };
      });
      relink(all, entries);
    });
    const documents = await auditDocuments(whole(forged));
    const told = documents.checks.flatMap(({ findings }) => findings.map(({ check, subject }) => `${check} ${subject}`));
    expect(told.some((line) => line.startsWith("BRANCHES") && line.includes("whose fault it is"))).to.equal(true);
    const error = await rejection(auditBundle(forged));
    if (!(error instanceof AuditFailed)) throw error;
    const found = error.report.checks.flatMap(({ findings }) => findings.map(({ check, subject }) => `${check} ${subject}`));
    expect(found.some((line) => line.startsWith("SETTLEMENTS") && line.includes("whom it frees of the failure"))).to.equal(true);
  });
});

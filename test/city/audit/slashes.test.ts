// @long
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../../orchestrator/city/audit/audit-bundle.ts";
import { checks } from "../../../orchestrator/city/audit/checks.ts";
import { type AuditContext, openContext } from "../../../orchestrator/city/audit/context.ts";
import { inspect } from "../../../orchestrator/city/audit/inspection.ts";
import { overrideSchema, settlementSchema } from "../../../orchestrator/execution/settlement-record.ts";
import { isObject, parseJson } from "../../../orchestrator/primitives/json.ts";
import { openBundle } from "../../../orchestrator/records/bundle.ts";
import { reasonCode } from "../../../orchestrator/rules/reasons.ts";
import { type FinishedMission, runSmallMission } from "../../support/mission-bundle.ts";
import { suiteDirectory } from "../../support/temporary-directory.ts";
import { type Lie, lying, more, replaced } from "./lies.ts";

describe("audit of what a failure costs", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let mission: FinishedMission;
  let context: AuditContext;

  before(async () => {
    mission = await runSmallMission(join(directory(), "city"), { seed: "9", cheat: true });
    context = await openContext(openBundle(mission.bundle));
  });
  after(() => context?.chain.close());

  async function found(name: string, seen: AuditContext): Promise<string> {
    const check = checks.find((each) => each.name === name);
    if (check === undefined) throw new Error(`no check ${name}`);
    const { findings } = await inspect(check, [seen]);
    return findings.map(({ subject, problem }) => `${subject} ${problem}`).join("\n");
  }

  it("accepts that the cheat, alone, lost its whole stake", async () => {
    expect(mission.outcome.slashed).to.equal("150000000");
    expect((await auditBundle(mission.bundle)).passed).to.equal(true);
  });

  const member = (name: string, by: (value: unknown) => unknown) => (args: unknown) => replaced(args, name, by);
  const DOCUMENTS = /what was slashed, against documents and law/;
  const LIES: readonly Lie[] = [
    { check: "SETTLEMENTS", about: "CollaborationContract.ExecutorFaulted", change: member("slashed", more), finds: DOCUMENTS },
    { check: "SETTLEMENTS", about: "CollaborationContract.ExecutorFaulted", change: member("slashed", () => 0n), finds: DOCUMENTS },
    {
      check: "SETTLEMENTS",
      about: "CollaborationContract.ExecutorFaulted",
      change: (args) =>
        replaced(
          replaced(args, "reason", () => reasonCode("TIMEOUT")),
          "slashed",
          () => 50_000_000n,
        ),
      finds: DOCUMENTS,
    },
    { check: "SETTLEMENTS", about: "CollaborationContract.ExecutorFaulted", change: member("node", more), finds: DOCUMENTS },
    { check: "PAYOUTS", about: "CollaborationContract.ExecutorFaulted", change: member("slashed", more), finds: /^slash of/m },
    {
      check: "PAYOUTS",
      about: "CollaborationContract.ExecutorFaulted",
      change: member("reason", () => reasonCode("TIMEOUT")),
      finds: /^slash of/m,
    },
    { check: "PAYOUTS", about: "ExecutionProcedure.BidPlaced", change: member("locked", more), finds: /^slash of/m },
    {
      check: "PAYOUTS",
      about: "ProducerContract.StakeSlashed",
      change: member("amount", () => 1n),
      finds: /more than left the stakes in that transaction/,
    },
  ];
  for (const [place, lie] of LIES.entries())
    it(`${lie.check} finds ${lie.about} changed (${place}): ${lie.finds.source}`, async () => {
      expect(await found(lie.check, lying(context, lie))).to.match(lie.finds);
    });

  it("SETTLEMENTS finds an instruction that gives the cheat's stake back, whoever signed it", async () => {
    const block: AuditContext["block"] = (id) => {
      const value = context.block(id);
      if (!isObject(value) || !("instruction" in value) || !JSON.stringify(value).includes('"slash"')) return value;
      return parseJson(JSON.stringify(replaced(value, "on_final", () => ({ type: "return", amount: 150_000_000 }))));
    };
    expect(await found("SETTLEMENTS", { ...context, block })).to.match(DOCUMENTS);
  });

  it("has what a human's approval leaves of the stake in the documents, and SETTLEMENTS finds a ruling that says otherwise", async () => {
    const rulings = context.log.flatMap(({ kind, content }) => {
      if (kind !== "execution.settlement" || content === null) return [];
      const { instruction } = settlementSchema.parse(context.block(content));
      return instruction.override_id === undefined ? [] : [instruction.collateral_action];
    });
    expect(rulings).to.deep.equal([{ type: "return", amount: 150_000_000 }]);
    const block: AuditContext["block"] = (id) => {
      const value = context.block(id);
      if (!isObject(value) || !("override" in value)) return value;
      const acted = overrideSchema.parse(value).override.acted_by[0] ?? "";
      return parseJson(JSON.stringify(replaced(value, "slashed", () => ({ [acted]: 1 }))));
    };
    expect(await found("SETTLEMENTS", { ...context, block })).to.match(/what the chain had taken of whom/);
  });

  it("SETTLEMENTS finds a stake taken before it was final", async () => {
    const block: AuditContext["block"] = (id) => {
      const value = context.block(id);
      if (!isObject(value) || !("evaluation" in value)) return value;
      return parseJson(JSON.stringify(replaced(value, "phi_result", () => false)));
    };
    expect(await found("SETTLEMENTS", { ...context, block })).to.match(DOCUMENTS);
  });
});

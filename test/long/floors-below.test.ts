/** A node's floor holds in the mission that the node is, though that one's budget alone would allow weaker evidence. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { obligationSchema, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { keepsParentFloor, limitsOf, parentFloorOf } from "../../orchestrator/client/law-limits.ts";
import { BRANCH_RULE } from "../../orchestrator/execution/delegation.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes, parseJson } from "../../orchestrator/primitives/json.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { decodeLaw, Risk } from "../../orchestrator/rules/law-codec.ts";
import { forge, logOf, relink, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("scenario: a mission of medium risk, and a smaller one below it", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "5");
    const halves = { goal: "Estimate half of it.", over: "input", parts: 2, tasks: readAndEstimate(0.5), output: "estimate" };
    const tasks = { halves, report: { service: "aggregate", after: ["halves"], tier: 1 } };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { tasks, budget: "1200.00", deadline: "2d" });
    outcome = await carryOutIn(city, text, { id: "halves", home });
  });
  after(() => city?.close());

  const lawOf = async (mission: string | null) => decodeLaw(await city.client.mission(addressSchema.parse(mission)).law());

  it("has a law of lower risk below, with the floor of the law above", async () => {
    expect(outcome.status).to.equal("completed");
    const above = await lawOf(outcome.mission);
    expect(above.header.risk).to.equal(Risk.MEDIUM);
    for (const { mission } of outcome.children) {
      const { session } = await city.client.mission(addressSchema.parse(mission)).context();
      const limits = await limitsOf(city.client, session);
      expect(limits).to.include({ parentFloor: "REC" });
      expect(limits.minFloor[0]).to.equal("SIGN");
      const { header, nodes } = await lawOf(mission);
      expect(header.risk).to.equal(Risk.LOW);
      expect(nodes.every(({ floor }) => keepsParentFloor(floor, limits))).to.equal(true);
    }
    const { session } = await city.client.mission(addressSchema.parse(outcome.mission)).context();
    expect(await parentFloorOf(city.client, session)).to.equal(undefined);
  });

  const whole = (dir: string) =>
    new Map([["manifest.json", new Uint8Array(readFileSync(join(dir, "manifest.json")))], ...openBundle(dir).files]);

  it("is accepted by an auditor with and without the chain, and found out where an obligation below asks for less", async () => {
    const { checks } = await auditBundle(outcome.bundle ?? "");
    expect(checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    const alone = await auditDocuments(whole(outcome.bundle ?? ""));
    expect(alone.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);

    const [child] = outcome.children;
    let forged = 0;
    const dir = forge(outcome.bundle ?? "", join(directory(), "weaker"), (all) => {
      const entries = logOf(all).map((entry) => {
        if (entry.kind !== "execution.obligation" || entry.subjects[0] !== child?.mission || entry.content === null) return entry;
        const { obligation_hash: _, signatures: __, ...terms } = obligationSchema.parse(parseJson(textOf(all, `blocks/${entry.content}`)));
        if (terms.verifier_policy.drawn_by === BRANCH_RULE) return entry;
        const floors = { fee_release: "SIGN", collateral_hold: "SIGN", final_settlement: "SIGN" };
        const bytes = canonicalBytes(signObligation({ ...terms, admissibility_floors: floors }, {}));
        const content = contentIdOf(bytes);
        all.set(`blocks/${content}`, bytes);
        forged += 1;
        return { ...entry, content };
      });
      relink(all, entries);
    });
    const told = (await auditDocuments(whole(dir))).checks.flatMap(({ findings }) =>
      findings.map(({ check, problem }) => `${check} ${problem}`),
    );
    expect(
      told.filter((line) => line.startsWith("BRANCHES FLOOR_BELOW_PARENT: fee_release (performance): SIGN, at least REC")),
    ).to.have.length(forged);
    expect(forged).to.be.greaterThan(1);
  });
});

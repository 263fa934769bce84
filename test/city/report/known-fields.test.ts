import { expect } from "chai";
import { requireKnownFields } from "../../../orchestrator/city/report/known-fields.ts";
import { parseMissionFile } from "../../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { smallMission } from "../../support/small-mission.ts";

const ROW = { id: "row-1", kind: "row", row: 1, fields: { region: "North", price: "12" }, values: { price: 12 } };

describe("the fields along a mission's tasks", () => {
  /** What is refused about these tasks over a table with a region and a price; "" for nothing. */
  function refusal(tasks: Readonly<Record<string, object>>): string {
    const output = { task: Object.keys(tasks).at(-1), format: "json" };
    const file = parseMissionFile(smallMission("table.csv", { tasks, output }), { fileName: "m", catalog: CATALOG, budgetCap: 10n ** 12n });
    try {
      requireKnownFields(file.tasks, { items: [ROW] }, CATALOG);
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  const over = { over: "input", tier: 1 };
  const behind = (task: string) => ({ after: [task], tier: 1 });

  it("let columns of the input through, by name and by path, and what a service makes of them", () => {
    expect(refusal({ rank: { service: "rank", ...over, with: { field: "values.price" } } })).to.equal("");
    expect(refusal({ group: { service: "group", ...over, with: { by: "region", sum: ["price"] } } })).to.equal("");
    const order = { service: "rank", ...over, with: { field: "price" } };
    expect(refusal({ order, top: { service: "top", ...behind("order"), with: { field: "region" } } })).to.equal("");
    expect(
      refusal({ read: { service: "fetch-and-parse", ...over }, group: { service: "group", ...behind("read"), with: { by: "x" } } }),
    ).to.equal("");
  });

  it("refuse a name that nothing makes, and say which was meant", () => {
    const typing = refusal({ group: { service: "group", ...over, with: { by: "regoin" } } });
    expect(typing).to.contain('group: `by` names the field "regoin"').and.to.contain("did you mean region?");
    const sums = refusal({ group: { service: "group", ...over, with: { by: "region", sum: ["price", "tax"] } } });
    expect(sums).to.contain('`sum` names the field "tax"');
    const lost = { totals: { service: "aggregate-table", ...over, with: { by: "region" } } };
    expect(refusal({ ...lost, order: { service: "rank", ...behind("totals"), with: { field: "price" } } })).to.contain('the field "price"');
    expect(refusal({ ...lost, order: { service: "rank", ...behind("totals"), with: { field: "value" } } })).to.equal("");
  });

  it("refuse a service whose own needs nothing meets", () => {
    const totals = { service: "aggregate-table", ...over, with: { by: "region" } };
    expect(refusal({ totals, words: { service: "keywords", ...behind("totals") } })).to.contain('keywords needs the field "text"');
  });
});

import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { results } from "../../orchestrator/city/audit/results.ts";
import type { City } from "../../orchestrator/city/city.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { isObject } from "../../orchestrator/primitives/json.ts";
import { NAMED_GATES } from "../../orchestrator/protocol/gates.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { OVERRIDE, runCli } from "../support/cli.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const GATE = "keeps-schema";
describe("scenario: outputs that must keep their schema", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let honest: Outcome;
  const text = () => {
    const { read, estimate } = readAndEstimate(0.5);
    return smallMission(smallInputs(directory(), CALM_ROWS).csv, {
      tasks: {
        read: { ...read, gate: GATE },
        estimate: { ...estimate, gate: GATE },
        report: { service: "aggregate", after: ["estimate"], tier: 1 },
      },
      output: { task: "report", format: "markdown", gate: GATE },
    });
  };
  const stated = async (outcome: Outcome) => {
    const gate = city.client.schemaGate(await city.client.execution.predicateOf(NAMED_GATES[GATE].number));
    return (await gate.history("SchemaKept", { mission: outcome.mission as Address })).map(({ args }) => args);
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "31");
    const unapproved = await rejection(carryOutIn(city, text(), { id: "early", home }));
    const [, contract = ""] = /npm run override -- predicate 2 (0x[0-9a-fA-F]{40}) --as adjudicator-1/.exec(unapproved.message) ?? [];
    const args = ["predicate", "2", contract, "--as", "adjudicator-1", "--because", "Read line by line."];
    const run = await runCli(args, { home, program: OVERRIDE });
    expect(run.code, run.stderr).to.equal(0);
    honest = await carryOutIn(city, text(), { id: "kept", home });
  });
  after(() => city?.close());

  it("pass their gate on an issuer's word, one for each node that the law gates, and the last for the mission's output", async () => {
    expect(honest).to.deep.include({ status: "completed", released: true, slashed: "0" });
    expect((await stated(honest)).map(({ node }) => node).toSorted((a, b) => a - b)).to.deep.equal(honest.nodes.map((_, node) => node));
    const issuers = new Set((await stated(honest)).map(({ issuer }) => issuer));
    for (const issuer of issuers) expect((await city.client.evidence.issuerOf(issuer))[0]).to.be.greaterThan(0);
    expect(honest.human).to.deep.equal([]);
  });

  it("are measured again by the audit, which refuses a mission whose issuer stated what is not so", async () => {
    expect((await auditBundle(honest.bundle ?? "")).passed).to.equal(true);
    const context = await openContext(openBundle(honest.bundle ?? ""));
    try {
      const block: typeof context.block = (id) => {
        const value = context.block(id);
        return isObject(value) && Array.isArray(value["items"]) && !("goal" in value) ? { ...value, items: [{ id: 7 }] } : value;
      };
      const { findings } = await inspect(results, [{ ...context, block }]);
      const about = findings.filter(({ subject }) => subject.startsWith("schema of the output"));
      expect(about.map(({ problem }) => problem.split(":")[0])).to.deep.equal(honest.nodes.map(() => "was stated to be kept, and is not"));
    } finally {
      await context.chain.close();
    }
  });
});

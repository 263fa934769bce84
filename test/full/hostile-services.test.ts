import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import type { Judge } from "../../orchestrator/adjudication/case.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { workSchema } from "../../orchestrator/execution/work.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { WillingMind } from "../support/willing-mind.ts";

/** What a service does once it has the whole table (a trial shows it less), and what its sandbox calls it. */
const HOSTILE = {
  "asks-forever": ["tools", "async (input, ctx) => { for (;;) await ctx.tool('fetch', {}).catch(() => 0); }"],
} as const;

const sourceOf = (id: string, service: string) => `
export const about = {
  id: ${JSON.stringify(id)}, title: "Does harm", description: "Asks and talks without end.", accepts: ["csv"], produces: "items", perItem: false,
  input: { type: "object" }, output: { type: "object" }, capabilities: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], deterministic: true,
};
const harm = ${service};
export default (input, ctx) => (input.items.length < 3 ? { items: [] } : harm(input, ctx));
`;

/** Lets go on what the Guardian froze: who asked and talked too much has its time, and nothing to show for it. */
const LENIENT: Judge = { simulated: true, decide: async () => ({ ruling: "approve", justification: "It may go on." }) };

/** A service that uses more than it may, a node of a mission, for as many executors as the law lets try. Other faults of a service: own-services-fail.test.ts. */
describe("faults: services that harm, inside a mission", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let purseBefore: bigint;

  before(async () => {
    const home = join(directory(), "home");
    smallInputs(directory(), CALM_ROWS);
    const services = join(directory(), "services");
    mkdirSync(services);
    for (const [id, [, service]] of Object.entries(HOSTILE)) writeFileSync(join(services, `${id}.mjs`), sourceOf(id, service));
    city = await openHome(home, "31");
    purseBefore = await purseOf(city);
    const text = stringify({
      mission: "harm",
      goal: "Do harm.",
      budget: "300.00",
      deadline: "1h",
      risk: "LOW",
      services: "services",
      input: { kind: "csv", path: "work.csv" },
      tasks: Object.fromEntries(Object.keys(HOSTILE).map((id) => [id, { service: id, over: "input", tier: 1, timeout: "3s" }])),
      output: { task: "asks-forever", format: "json" },
    });
    outcome = await carryOutIn(city, text, {
      id: "harm",
      home,
      directory: directory(),
      makeMind: (seat) => new WillingMind(seat),
      judge: LENIENT,
    });
  });
  after(() => city?.close());

  it("are stopped and named, one by one, whoever runs them", async () => {
    const entries = await city.log.read({ kind: "execution.work", subject: outcome.mission ?? "" });
    const named = new Map(outcome.nodes.map(({ label }) => [label, new Set<string>()]));
    for (const { subjects, content } of entries) {
      const work = workSchema.parse(parseJsonBytes(city.blocks.get(content!)));
      named.get(outcome.nodes[Number(subjects[1])]?.label ?? "")?.add(work.ok ? "ok" : work.fault);
    }
    for (const [label, faults] of named) expect([label, ...faults]).to.deep.equal([label, HOSTILE[label as keyof typeof HOSTILE][0]]);
  });

  it("end the mission, as soon as the first node is out of attempts", () => {
    expect(outcome.status).to.equal("failed");
    const failed = outcome.nodes.filter(({ state }) => state === "FAILED");
    expect(Math.max(...failed.map(({ attempts }) => attempts))).to.equal(4);
    expect(outcome.nodes.filter(({ state }) => state !== "FAILED" && state !== "EXECUTING")).to.deep.equal([]);
    expect(outcome.released).to.equal(false);
    expect(outcome.execution.ccr).to.deep.equal({ part: 0, whole: outcome.nodes.flatMap(({ executors }) => executors).length });
    expect(outcome.execution.aru.part).to.equal(0);
  });

  it("cost the sponsor nothing, and each executor 50 whose time was over", async () => {
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.money).to.deep.include({ deposit: "300000000", refunded: "300000000", paid: "0" });
    expect(await purseOf(city)).to.equal(purseBefore);
    expect(await city.client.token.balanceOf(outcome.mission as Address)).to.equal(0n);
    for (const { account } of membersOf(city.society, "producer"))
      expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
    for (const { state, executors } of outcome.nodes) {
      const slashes = executors.map(({ slashed }) => slashed);
      const over = state === "FAILED" ? slashes.length : slashes.length - 1;
      expect(slashes).to.deep.equal(slashes.map((_, place) => (place < over ? "50000000" : "0")));
    }
  });

  it("leave a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

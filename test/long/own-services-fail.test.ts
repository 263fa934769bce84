import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const sourceOf = (id: string, body: string) => `
export const about = {
  id: ${JSON.stringify(id)}, title: "One of the user's", description: "Does what its user wrote.", accepts: ["csv"], produces: "items", perItem: true,
  input: { type: "object" }, output: { type: "object", properties: { items: { type: "array" } }, required: ["items"] },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], deterministic: true,
};
export default ${body};
`;

/** What a user's service does wrong on anything, and what is said of it. */
const BROKEN = {
  throws: ["(input) => { throw new Error('boom at ' + input.items[0].id); }", /crash: .*boom at row-0000001/, /fix the service/],
  loops: ["() => { for (;;); }", /timeout: no outcome within 3000 ms/, /an endless loop, an expensive pattern/],
  backtracks: ["() => ({ items: [/^(a+)+$/.test('a'.repeat(60) + '!')] })", /timeout/, /an expensive pattern/],
  hoards: ["() => { const held = []; for (;;) held.push(new Array(1e6).fill(held.length)); }", /memory: more than 256 MiB/, /memory use/],
  nothing: ["() => undefined", /empty: /, /a function without `return`/],
  garbage: ["() => ({ items: [Number.NaN] })", /garbage: /, /plain JSON/],
  misfits: ["() => ({ rows: [] })", /schema: output: /, /`output` schema/],
} as const;

/** Right on all rows but one, near the end of the table: no trial sees it. */
const TRAP =
  "(input) => { for (const item of input.items) if (item.row === 23) throw new Error('row 23 is odd'); return { items: input.items }; }";

/** A user's own service has a bug: the user is told, nobody else pays, and the city goes on (review H2). */
describe("scenario: the user's own services fail", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  let city: City;
  let purse: bigint;
  const home = () => join(directory(), "home");

  const mission = (service: string, id: string, task: object = {}): Promise<Outcome> =>
    carryOutIn(
      city,
      stringify({
        mission: "own-service",
        goal: "Do what the service does.",
        budget: "300.00",
        deadline: "20m",
        risk: "LOW",
        services: "services",
        input: { kind: "csv", path: "rows.csv" },
        tasks: { go: { service, over: "input", tier: 1, ...task } },
        output: { task: "go", format: "json" },
      }),
      { id, home: home(), directory: directory() },
    );
  const reputations = async () => {
    const agents = city.society.filter(({ role }) => role === "producer").map(({ account }) => account.address);
    return Promise.all(agents.map((agent) => city.client.agents.reputationOf(agent)));
  };

  before(async () => {
    const services = join(directory(), "services");
    mkdirSync(services);
    writeFileSync(join(directory(), "rows.csv"), `name\n${Array.from({ length: 24 }, (_, row) => `row ${row + 1}\n`).join("")}`);
    for (const [id, [body]] of Object.entries(BROKEN)) writeFileSync(join(services, `${id}.mjs`), sourceOf(id, body));
    writeFileSync(join(services, "trap.mjs"), sourceOf("trap", TRAP));
    writeFileSync(join(services, "fine.mjs"), sourceOf("fine", "(input) => ({ items: input.items })"));
    city = await openHome(home(), "37", { progress: (line) => told.push(line) });
    purse = await purseOf(city);
  });
  after(() => city?.close());

  it("before anything is paid where they always fail, with the error, and what to do about it", async () => {
    const block = city.chain.head().number;
    for (const [service, [, says, advises]] of Object.entries(BROKEN)) {
      const error = await rejection(mission(service, service, service === "hoards" ? {} : { timeout: "3s" }));
      expect(error, service).to.be.instanceOf(AgentCityError).and.to.include({ code: "ServiceFails" });
      const { shortMessage, action } = error as AgentCityError;
      expect(shortMessage)
        .to.match(says)
        .and.to.match(new RegExp(`^the service ${service} fails in task go: .* \\(tried on 2 items: [^)]+\\)$`));
      expect(action).to.match(advises);
    }
    expect(await purseOf(city)).to.equal(purse);
    expect(await city.client.legislation.sessionCount()).to.equal(0n);
    expect(city.chain.head().number).to.equal(block);
  });

  describe("on one shard, of seven or more", () => {
    let outcome: Outcome;
    let before_: readonly bigint[];

    before(async () => {
      before_ = await reputations();
      outcome = await mission("trap", "trap");
    });

    it("and the mission ends at once, saying which service, where, and why", async () => {
      expect(outcome.status).to.equal("aborted");
      expect(outcome.failure?.reason).to.match(
        /^the service trap fails in task go-\d+: crash: .*row 23 is odd \(P\d and this city ran .*, \d items?: row-/,
      );
      expect(outcome.failure?.action).to.include("fix the service");
      expect(outcome.nodes.map(({ attempts }) => attempts)).to.deep.equal(outcome.nodes.map(() => 1));
      expect(told.filter((line) => line.includes("failed to run trap"))).to.have.length(1);
    });

    it("costs nobody anything: no stake, no reputation, and the deposit goes back", async () => {
      expect(outcome.slashed).to.equal("0");
      expect(await reputations()).to.deep.equal(before_);
      expect(balances(outcome.money)).to.equal(true);
      expect(outcome.money).to.deep.include({ deposit: "300000000", refunded: "300000000", paid: "0" });
      expect(await purseOf(city)).to.equal(purse);
      expect(await city.client.token.balanceOf(outcome.mission as Address)).to.equal(0n);
      for (const { account, role } of city.society)
        if (role === "producer") expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
    });

    it("leaves a bundle that an auditor accepts, and a city that carries out the next mission", async () => {
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
      expect((await mission("fine", "fine")).status).to.equal("completed");
    });
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { ORDER_BOUNDARIES } from "../../orchestrator/protocol/boundaries.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { amend, copyHome, missionsOf, openHome, purseOf } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { facts, inWords, killAndGiveAgain } from "../support/killed-missions.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SEED = "33";
const OPINIONS = { optimist: 10, realist: 20, pessimist: 40 };

/** One of three executors that differ on the last row alone: a law that compares the rows in parts fails at it, one for all rows would not. */
const opinion = (id: string, value: number): string => `
export const about = {
  id: "${id}", title: "Has an opinion", description: "Guesses.", accepts: ["csv", "items"], produces: "items", perItem: true,
  input: { type: "object" }, output: { type: "object", required: ["items"] },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 60, 0, 0], deterministic: true,
};
export default ({ items }) => ({ items: items.map(({ id, fields }) => ({ id, value: fields.known === "yes" ? 1 : ${value} })) });`;
const ROWS = ["row,known", "a,yes", "b,yes", "c,yes", "d,no"];

const [CLOSED] = ORDER_BOUNDARIES;
/**
 * While the failed mission is ended and paid out (its second clearing is the last), between its last unit and the next session's
 * first, around the deposit (its allowance is sent first), and inside the second mission: before and after its work is on chain.
 */
const KILLS: readonly string[] = [
  ...[2, 3].map((time) => `execution:cleared@2>sender:broadcast@${time}`),
  CLOSED,
  `${CLOSED}>sender:signed`,
  `${CLOSED}>sender:signed@2`,
  `${CLOSED}>sender:broadcast@2`,
  `${CLOSED}>legislature:session-opened`,
  `${CLOSED}>execution:invoked`,
  `${CLOSED}>execution:committed`,
  `${CLOSED}>execution:cleared`,
];

/** AgentCity B.11.4 under kills. One more law is tried after the first, by a constitution amended for that. */
describe("fault: the orchestrator is killed while another law replaces one at fault", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  const founded = () => join(directory(), "founded");
  let command: readonly string[];
  let undisturbed: Outcome;
  let purse: bigint;
  let spent: bigint;

  before(async () => {
    const services = join(directory(), "services");
    mkdirSync(services);
    for (const [id, value] of Object.entries(OPINIONS)) writeFileSync(join(services, `${id}.js`), opinion(id, value));
    const guess = { service: Object.keys(OPINIONS), over: "input", tier: 2, agree: { on: "value", atLeast: 0.7 } };
    const file = join(directory(), "mission.yaml");
    const tasks = { tasks: { guess }, output: { task: "guess", format: "json" } };
    writeFileSync(file, smallMission(smallInputs(directory(), ROWS).csv, { ...tasks, services }));
    command = ["mission", file, "--seed", SEED, "--json"];

    const city = await openHome(founded(), SEED);
    await amend(city, "MAX_REFINEMENT_ITERATIONS", 1n);
    purse = await purseOf(city);
    await city.close();
    const home = copyHome(founded(), join(directory(), "undisturbed"));
    undisturbed = outcomeIn(await runCli(command, { home, limitMs: 400_000 }));
    spent = purse - (await found(home)).purse;
  });

  /** What a home's city has in the end. */
  async function found(home: string) {
    const city = await openHome(home, SEED);
    const missions = await missionsOf(city);
    const sessions = await city.client.legislation.sessionCount();
    const left = await Promise.all(missions.map((mission) => city.client.token.balanceOf(mission)));
    const now = { purse: await purseOf(city), missions: missions.length, sessions, left };
    await city.close();
    return now;
  }

  it("which, undisturbed, completes under its second law and gives back what nobody earned", () => {
    expect(undisturbed.epochs.map(({ epoch, status, cause }) => [epoch, status, cause?.type])).to.deep.equal([
      [0, "failed", undefined],
      [1, "completed", "CONSENSUS_FAILED"],
    ]);
    const [first, second] = undisturbed.epochs;
    expect(second?.money.deposit).to.equal(first?.money.refunded);
    expect([first, second].map((epoch) => epoch !== undefined && balances(epoch.money))).to.deep.equal([true, true]);
    expect(new Set(undisturbed.nodes.map(({ state }) => state))).to.deep.equal(new Set(["COMPLETED"]));
    expect(spent).to.equal(BigInt(first?.money.deposit ?? 0) - BigInt(undisturbed.money.refunded));
  });

  for (const stopAt of KILLS) {
    it(`by SIGKILL at ${inWords(stopAt)}: the same two laws, no deposit twice, nothing lost`, async () => {
      const home = copyHome(founded(), join(directory(), `killed at ${stopAt.replaceAll(":", " ")}`));
      const outcome = await killAndGiveAgain(command, { home, seed: SEED, stopAt });
      expect(facts(outcome)).to.deep.equal(facts(undisturbed));
      expect(await found(home)).to.deep.equal({ purse: purse - spent, missions: 2, sessions: 2n, left: [0n, 0n] });
      for (const { mission } of outcome.epochs)
        expect((await auditBundle(join(home, "missions", mission?.toLowerCase() ?? ""))).passed).to.equal(true);
    });
  }
});

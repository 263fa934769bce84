import { join } from "node:path";
import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openHome } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { expectPaperInvariants } from "../support/paper-invariants.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** `npm start -- --cheat`: one executor leaves work out and says it did it. */
describe("scenario: a cheating executor", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let outcome: Outcome;
  let city: City;
  const failed = () =>
    outcome.nodes.flatMap((node) => node.executors.filter(({ result }) => result === "failed").map((liar) => ({ node, liar })));

  before(async () => {
    const home = join(directory(), "home");
    const run = await runCli(["start", "--cheat", "--seed", "9", "--json"], { home });
    expect(run, run.stderr).to.deep.include({ code: 0, signal: null });
    outcome = outcomeIn(run);
    city = await openHome(home, "9");
    await expectPaperInvariants(city, outcome);
  });
  after(() => city?.close());

  it("is caught, alone, and slashed", () => {
    expect(failed()).to.have.length(1);
    const [{ liar }] = failed() as [ReturnType<typeof failed>[number]];
    expect(BigInt(liar.slashed) > 0n).to.equal(true);
    expect(liar.paid).to.equal("0");
    expect(outcome.slashed).to.equal(liar.slashed);
  });

  it("loses its work to an agent of another principal, who is paid", () => {
    const [{ node, liar }] = failed() as [ReturnType<typeof failed>[number]];
    expect(node).to.deep.include({ state: "COMPLETED", attempts: 2 });
    const [redone, ...others] = node.executors.filter(({ result }) => result === "agreed");
    expect(others).to.deep.equal([]);
    const principal = (name: string) => memberOf(city.society, "producer", name).principal;
    expect(principal(redone!.agent)).to.not.equal(principal(liar.agent));
    expect(BigInt(redone!.paid) > 0n).to.equal(true);
  });

  it("does not stop the mission, nor a unit of its money", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.every(({ state }) => state === "COMPLETED")).to.equal(true);
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
  });

  it("loses reputation by the same transaction that slashes it", async () => {
    const { agents } = city.client;
    const [slash] = await agents.history("StakeSlashed");
    const changes = await agents.history("ReputationChanged");
    const [change] = changes.filter(
      ({ transactionHash, args }) => transactionHash === slash?.transactionHash && args.agent === slash.args.agent,
    );
    const [{ liar }] = failed() as [ReturnType<typeof failed>[number]];
    expect(slash?.args.agent).to.equal(memberOf(city.society, "producer", liar.agent).account.address);
    expect(change?.args.current).to.be.below(change?.args.previous ?? 0);
  });

  it("pays with its stake: a hundredth to who settled, 5 tokens at most, half of the rest to the treasury, half to insurance", async () => {
    const { agents, treasury } = city.client;
    const slashed = await agents.history("StakeSlashed");
    expect(slashed.map(({ args }) => args.amount.toString())).to.deep.equal([outcome.slashed]);
    const [{ transactionHash }] = slashed as [(typeof slashed)[number]];
    const inside = (event: { readonly transactionHash: string; readonly args: { readonly from: string; readonly amount: bigint } }) =>
      event.transactionHash === transactionHash && event.args.from.toLowerCase() === agents.address.toLowerCase();
    const fees = (await treasury.history("FeesReceived")).filter(inside);
    const insurance = (await treasury.history("InsuranceReceived")).filter(inside);
    const sum = (list: readonly { readonly args: { readonly amount: bigint } }[]) => list.reduce((all, { args }) => all + args.amount, 0n);
    const [hundredth, most] = [BigInt(outcome.slashed) / 100n, 5_000_000n];
    const total = BigInt(outcome.slashed) - (hundredth < most ? hundredth : most);
    expect([sum(fees), sum(insurance)].sort()).to.deep.equal([total / 2n, total - total / 2n].sort());
  });
});

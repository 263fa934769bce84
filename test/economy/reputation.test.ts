import { expect } from "chai";
import { shortened } from "../../orchestrator/economy/campaign.ts";
import { ECONOMY } from "../../orchestrator/economy/parameters.ts";
import { runEconomy } from "../../orchestrator/economy/run.ts";

describe("reputation in the economy", function () {
  this.timeout(120_000);

  it("is the points that the chain holds, of who never worked and of who did", async () => {
    const points: (readonly [known: number, held: number])[] = [];
    await runEconomy({
      configuration: "full",
      agents: 20,
      seed: 1,
      world: shortened(ECONOMY, 1),
      sees: async ({ client, society, agentAt, reputationOf }) => {
        for (const { account } of society) {
          const agent = agentAt(account.address);
          if (agent !== undefined) points.push([reputationOf(agent), Number(await client.agents.reputationOf(account.address))]);
        }
      },
    });
    expect(points).to.have.length.at.least(20);
    for (const [known, held] of points) expect(known).to.equal(held);
    expect(new Set(points.map(([, held]) => held)).size, "work moved some of them").to.be.above(2);
    expect(points.some(([, held]) => held === 500)).to.equal(true);
  });
});

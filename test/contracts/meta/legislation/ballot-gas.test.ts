import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { ethers, loadFixture } from "../../../support/city-fixture.ts";
import { loadLegislature } from "../../../support/legislature.ts";

const BATCH = 100;
const CANDIDATES = 8;

/** A hundred voters of ten principals before a ballot of eight entries. */
async function crowd() {
  const house = await loadLegislature();
  const voters: Wallet[] = [];
  for (let i = 0; i < BATCH; i++) {
    voters.push((await house.register(`voter ${i}`, { principal: await house.account(`crowd ${i % 10}`) })).agent);
  }
  const session = await house.steps.toProposing();
  for (let c = 1; c < CANDIDATES; c++) {
    const by = voters.slice(5 * c, 5 * c + 5);
    for (const [i, agent] of by.entries()) {
      const legislation = house.legislation.connect(agent);
      if (i === 0) await legislation.propose(session, id(`spec ${c}`), id(`cid ${c}`), house.direct(agent));
      else await legislation.sponsor(session, c, house.direct(agent));
    }
  }
  await house.legislation.connect(house.offices.SPEAKER[0] as Wallet).openVoting(session);
  return { ...house, voters, session };
}

describe("a signed ballot of eight entries", () => {
  it("costs at most 20,000 gas in a batch of a hundred", async () => {
    const { legislation, steps, voters, session } = await loadFixture(crowd);
    const random = randomStream(7, "ballots");
    const entries = Array.from({ length: CANDIDATES }, (_, entry) => entry);
    const ballots = await Promise.all(voters.map((voter) => steps.ballot(session, voter, random.shuffle(entries))));
    const sent = await legislation.castBallots(session, ballots);
    const receipt = await ethers.provider.getTransactionReceipt(sent.hash);
    expect((await legislation.sessionOf(session)).ballots).to.equal(BATCH);
    expect(Number(receipt?.gasUsed) / BATCH).to.be.at.most(20_000);
  });
});

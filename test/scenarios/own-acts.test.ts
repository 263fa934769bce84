// @long
import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { signAuth } from "../../orchestrator/client/sign/auth.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { RankRequest } from "../../orchestrator/minds/mind.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("scenario: producers that send acts of their own before the city sends what they signed", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  const acted: string[] = [];
  let city: City;
  let meddlers: readonly LocalAccount[] = [];

  const deadline = () => Number(city.chain.clock.now() + 3_600n);
  /** Sent by an account that is none of the city's relayers. */
  const own = (act: string, { address }: LocalAccount) => {
    acted.push(act);
    return { intent: intentKey("own", act, address), account: memberOf(city.society, "sponsor").account };
  };

  /** Proposes something else, and casts another straw ballot, just before it is asked to sign. */
  class Meddler extends HeuristicMind {
    override async rank(request: RankRequest): Promise<number[]> {
      const { self: agent, place, candidates } = request;
      const ranking = await super.rank(request);
      const account = meddlers.find(({ address }) => address === agent);
      if (account === undefined || place === undefined) return ranking;
      const { client } = city;
      const { session, stage, round } = place;
      if (stage === "endorse") {
        const message = { session, agent, specHash: keccak256(agent), cid: keccak256(agent), deadline: deadline() };
        const auth = await signAuth(client, account, "Propose", message);
        await client.legislation.propose([session, message.specHash, message.cid, auth], own("propose", account));
      } else if (stage === "debate" && round === 0) {
        const message = { session, agent, ranking: packRanking(candidates.map((_, entry) => entry)), deadline: deadline() };
        const signature = await signMessage(client, account, "StrawPoll", message);
        await client.legislation.strawPoll([session, [{ ...message, signature }]], own("poll", account));
      }
      return ranking;
    }
  }

  /** Votes against what it said. */
  async function vote(account: LocalAccount): Promise<void> {
    const { client } = city;
    const session = await client.legislation.sessionCount();
    const ballot = await client.legislation.ballotOf(session);
    const ranking = packRanking(ballot.map((_, entry) => ballot.length - 1 - entry));
    const message = { session, agent: account.address, ranking, deadline: deadline() };
    const signature = await signMessage(client, account, "Ballot", message);
    await client.legislation.castBallots([session, [{ ...message, signature }]], own("vote", account));
  }

  before(async () => {
    const boundary = async (name: string) => {
      if (name === "legislature:voting-opened") for (const account of meddlers.slice(1)) await vote(account);
    };
    city = await openHome(join(directory(), "home"), "19", { progress: (line) => told.push(line), boundary });
    meddlers = ["P2", "P3"].map((name) => memberOf(city.society, "producer", name).account);
  });
  after(() => city?.close());

  it("hold up neither the mission nor its audit, and are named", async () => {
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const order = {
      id: "meddled",
      home: join(directory(), "home"),
      makeMind: (seat: ConstructorParameters<typeof HeuristicMind>[0]) => new Meddler(seat),
    };
    const outcome = await carryOutIn(city, text, order);
    expect(acted.toSorted()).to.deep.equal(["poll", "poll", "propose", "propose", "vote"]);
    expect(outcome.status).to.equal("completed");
    expect(outcome.ballots).to.have.length(8);
    const named = told.filter((line) => line.startsWith("the chain refused an act of "));
    expect(named).to.include.members(["P2", "P3"].map((name) => `the chain refused an act of ${name}: strawPoll, AlreadyPolled`));
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

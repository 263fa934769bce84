// @long
import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { concatHex, encodeFunctionData, padHex, size, toHex } from "viem";
import { legislativeProcedureAbi } from "../../orchestrator/chain/abi/LegislativeProcedure.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { signAuth } from "../../orchestrator/client/sign/auth.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { RankRequest } from "../../orchestrator/minds/mind.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Deploys a contract that calls the address in its first word with the rest of what it is sent, as accounts that are contracts do. */
const forwarderCode: Hex = "0x601a80600b6000396000f3602036038060205f375f5f915f5f5f355af16018575f5ffd5b00";

/** Creates nothing: its constructor makes a call. */
function callInConstructor(to: Address, data: Hex): Hex {
  const length = toHex(size(data), { size: 2 });
  return concatHex(["0x61", length, "0x80602c5f395f5f915f5f73", to, "0x5af1602a575f5ffd5b00", data]);
}

describe("scenario: producers that send acts of their own before the city sends what they signed", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  const acted: string[] = [];
  let city: City;
  let meddlers: readonly LocalAccount[] = [];
  /** It only votes. */
  let other: LocalAccount;
  let forwarder: Address;

  const deadline = () => Number(city.chain.clock.now() + 3_600n);
  /**
   * An account that is none of the city's relayers sends it: the first meddler's acts directly, the second's through a contract, anybody
   * else's from a constructor.
   */
  async function send(act: string, agent: Address, functionName: "propose" | "strawPoll" | "castBallots", args: readonly unknown[]) {
    acted.push(act);
    const { client, society } = city;
    const { account } = memberOf(society, "sponsor");
    const to = client.legislation.address;
    const data = encodeFunctionData({ abi: legislativeProcedureAbi, functionName, args } as never);
    const ways = [{ to, data }, { to: forwarder, data: concatHex([padHex(to), data]) }, { data: callInConstructor(to, data) }];
    const call = ways.at(meddlers.findIndex(({ address }) => address === agent));
    await client.sender?.send({ intent: intentKey("own", act, agent), account, ...call });
  }

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
        await send("propose", agent, "propose", [session, message.specHash, message.cid, auth]);
      } else if (stage === "debate" && round === 0) {
        const message = { session, agent, ranking: packRanking(candidates.map((_, entry) => entry)), deadline: deadline() };
        const signature = await signMessage(client, account, "StrawPoll", message);
        await send("poll", agent, "strawPoll", [session, [{ ...message, signature }]]);
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
    await send("vote", account.address, "castBallots", [session, [{ ...message, signature }]]);
  }

  before(async () => {
    const boundary = async (name: string) => {
      if (name === "legislature:voting-opened") for (const account of [...meddlers.slice(1), other]) await vote(account);
    };
    city = await openHome(join(directory(), "home"), "19", { progress: (line) => told.push(line), boundary });
    const deployment = { intent: intentKey("forwarder"), data: forwarderCode, account: memberOf(city.society, "sponsor").account };
    forwarder = addressSchema.parse((await city.client.sender?.send(deployment))?.contractAddress);
    const [first, second, third] = ["P2", "P3", "P4"].map((name) => memberOf(city.society, "producer", name).account);
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few producers");
    meddlers = [first, second];
    other = third;
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
    expect(acted.toSorted()).to.deep.equal(["poll", "poll", "propose", "propose", "vote", "vote"]);
    expect(outcome.status).to.equal("completed");
    expect(outcome.ballots).to.have.length(8);
    const named = told.filter((line) => line.startsWith("the chain refused an act of "));
    expect(named).to.include.members(["P2", "P3"].map((name) => `the chain refused an act of ${name}: strawPoll, AlreadyPolled`));
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

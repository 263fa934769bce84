import { expect } from "chai";
import { type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { type RandomStream, randomStream } from "../../../../orchestrator/primitives/random.ts";
import { sessionTransitions } from "../../../../orchestrator/rules/transitions/session.ts";
import { networkHelpers } from "../../../support/city-fixture.ts";
import {
  APPROVAL,
  type Bill,
  billOf,
  DEPOSIT,
  GOAL,
  type Legislature,
  lawOf,
  loadLegislature,
  OPERATION,
  PROPOSAL,
  REVIEW,
  State,
} from "../../../support/legislature.ts";

const SEEDS = [1, 2, 3];
const STEPS = 400;
const BILLS: readonly Bill[] = [billOf(lawOf()), billOf(lawOf(), "another document")];

type Attempt = (session: bigint) => Promise<unknown>;

/** What somebody may try at any time, rightly or wrongly; and of that, what leads on from a state. */
function attempts(house: Legislature, random: RandomStream): { all: Attempt[]; onward: Partial<Record<number, Attempt[]>> } {
  const { legislation, steps, offices, sponsor, voters, direct, deployer, producers } = house;
  const clerk = (office: keyof typeof offices) => legislation.connect(random.pick([...offices[office], deployer]));
  const bill = () => random.pick(BILLS);
  const size = async (session: bigint) => Number((await legislation.sessionOf(session)).ballotSize);
  const open: Attempt = () =>
    legislation.connect(random.pick([sponsor, sponsor, ...voters.slice(0, 1)])).openSession(GOAL, DEPOSIT, ZeroAddress);
  const confirm: Attempt = (session) => clerk("REGISTRAR").confirmIdentities(session, ZeroHash);
  const propose: Attempt = (session) => {
    const agent = random.pick(voters);
    return legislation.connect(agent).propose(session, bill().specHash, ZeroHash, direct(agent));
  };
  const endorse: Attempt = (session) => {
    const agent = random.pick(voters);
    return legislation.connect(agent).sponsor(session, random.int(4), direct(agent));
  };
  const caucus: Attempt = async (session) => {
    const candidate = 1 + random.int(2);
    for (const agent of random.shuffle(voters).slice(0, 6))
      await quietly(legislation.connect(agent).sponsor(session, candidate, direct(agent)));
  };
  const openVoting: Attempt = (session) => clerk("SPEAKER").openVoting(session);
  const cast: Attempt = async (session) => {
    const entries = Array.from({ length: (await size(session)) || 2 }, (_, entry) => entry);
    const chosen = voters.filter(() => random.int(3) > 0);
    return legislation.castBallots(
      session,
      await Promise.all(chosen.map((voter) => steps.ballot(session, voter, random.shuffle(entries)))),
    );
  };
  const castRest: Attempt = async (session) => {
    const m = (await size(session)) || 2;
    const silent: Wallet[] = [];
    for (const voter of voters) if ((await legislation.rankingOf(session, voter.address)) === 0n) silent.push(voter);
    const order = Array.from({ length: m }, (_, entry) => m - 1 - entry);
    return legislation.castBallots(session, await Promise.all(silent.map((voter) => steps.ballot(session, voter, order))));
  };
  const tally: Attempt = (session) => legislation.tally(session);
  const validate: Attempt = (session) => {
    const { law, docHash } = bill();
    return legislation.validate(session, law, docHash, steps.witnesses(2));
  };
  const codify: Attempt = async (session) => {
    const { specHash } = bill();
    await quietly(steps.delegate(session, specHash));
    return clerk("CODIFIER").codify(session, [await house.management.delegationId(session, OPERATION, specHash)]);
  };
  const approve: Attempt = async (session) => {
    const { law, docHash, specHash } = bill();
    const co = offices.REGULATOR.filter(() => random.int(4) > 0).map((wallet) => ["REGULATOR", wallet] as const);
    const signatures = await steps.approvals(session, specHash, [["SPEAKER", offices.SPEAKER[0] as Wallet], ...co]);
    return legislation.approve(session, law, docHash, signatures);
  };
  const cancel: Attempt = (session) => legislation.connect(random.int(6) === 0 ? sponsor : deployer).cancel(session);
  const expire: Attempt = (session) => legislation.expire(session);
  const withdraw: Attempt = (session) => legislation.withdraw(session);
  const lapse: Attempt = () => legislation.lapse(random.pick(voters).address);
  const attend: Attempt = () => {
    const agent = random.pick(voters);
    return producers.connect(agent).attend(agent.address);
  };
  const wait: Attempt = () => networkHelpers.time.increase(random.int(4) === 0 ? random.pick([PROPOSAL, APPROVAL, REVIEW]) + 1n : 1n);
  return {
    all: [
      open,
      confirm,
      propose,
      endorse,
      caucus,
      openVoting,
      cast,
      castRest,
      tally,
      validate,
      codify,
      approve,
      cancel,
      expire,
      withdraw,
      lapse,
      attend,
      wait,
    ],
    onward: {
      [State.IDENTIFYING]: [confirm],
      [State.PROPOSING]: [propose, caucus, openVoting],
      [State.VOTING]: [cast, castRest, tally],
      [State.TALLIED]: [validate],
      [State.VALIDATED]: [codify],
      [State.CODIFIED]: [approve],
    },
  };
}

/** A refusal is an answer, as long as it has a name: a panic or an empty revert is not one. */
async function quietly(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    expect(String(error)).to.match(/reverted with custom error/);
  }
}

async function requireInvariants({ legislation, token, producers, addresses, voters }: Legislature): Promise<void> {
  let held = 0n;
  for (let session = 1n; session <= (await legislation.sessionCount()); session++) {
    const info = await legislation.sessionOf(session);
    held += info.deposit;
    for (let i = 0; i < info.ballotSize; i++) {
      for (let j = i + 1; j < info.ballotSize; j++) {
        expect((await legislation.pairwise(session, i, j)) + (await legislation.pairwise(session, j, i))).to.equal(info.ballots);
      }
    }
    const ballots = await legislation.queryFilter(legislation.filters.BallotCast(session));
    expect(new Set(ballots.map(({ args }) => args.agent)).size, "one ballot per agent").to.equal(ballots.length);
    expect(BigInt(ballots.length)).to.equal(info.ballots);
    for (const { args } of ballots) expect(await legislation.rankingOf(session, args.agent)).to.equal(args.ranking);
    if (info.winner !== 0n) {
      const { sponsors, pluralistic } = await legislation.candidateOf(session, info.winner);
      expect(info.ballots * 10_000n >= info.electorate * info.rules.turnoutQuorum, "turnout").to.equal(true);
      expect(sponsors >= info.rules.minSponsors && pluralistic, "sponsors").to.equal(true);
    }
    if (info.state === BigInt(State.DEPLOYED)) expect(await token.balanceOf(info.mission)).to.equal(DEPOSIT);
    else expect(info.mission).to.equal(ZeroAddress);
  }
  expect(await token.balanceOf(addresses.LEGISLATION), "deposits").to.equal(held);
  expect(await producers.activeProducers()).to.be.at.most(voters.length);
  const { states, arcs } = sessionTransitions;
  for (const { args } of await legislation.queryFilter(legislation.filters.StateChanged())) {
    const from = states[Number(args.from)] as keyof typeof arcs;
    expect(arcs[from], `${from} → ${states[Number(args.to)]}`).to.include(states[Number(args.to)]);
  }
}

describe("LegislativeProcedure: any calls in any order", () => {
  for (const seed of SEEDS) {
    it(`keep money, ballots, quorums and stages in order (seed ${seed})`, async () => {
      const house = await loadLegislature();
      const random = randomStream(seed, "walk");
      const { all, onward } = attempts(house, random);
      const reached = new Set<bigint>();
      for (let step = 0; step < STEPS; step++) {
        // The youngest sessions, now and then one that does not exist.
        const next = (await house.legislation.sessionCount()) + 1n - BigInt(random.int(3));
        const session = next < 0n ? 0n : next;
        const { state } = await house.legislation.sessionOf(session);
        const tries = random.int(3) === 0 ? all : (onward[Number(state)] ?? all);
        await quietly(random.pick(tries)(session));
        if (step % 100 === 99) await requireInvariants(house);
      }
      for (const { args } of await house.legislation.queryFilter(house.legislation.filters.StateChanged())) reached.add(args.to);
      expect(reached.size, "states reached").to.be.at.least(8);
    });
  }
});

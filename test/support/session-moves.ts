/** What may be tried in a session, by whom it belongs to and by others. */
import { expect } from "chai";
import { type Wallet, ZeroAddress, ZeroHash } from "ethers";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { networkHelpers } from "./city-fixture.ts";
import { APPROVAL, type Bill, DEPOSIT, GOAL, type Legislature, OPERATION, PROPOSAL, REVIEW, State } from "./legislature.ts";

export type Attempt = (session: bigint) => Promise<unknown>;

/** What somebody may try at any time, rightly or wrongly; and of that, what leads on from a state. */
export function sessionMoves(
  house: Legislature,
  random: RandomStream,
  bills: readonly Bill[],
): {
  all: Attempt[];
  onward: Partial<Record<number, Attempt[]>>;
} {
  const { legislation, steps, offices, sponsor, voters, direct, deployer, producers } = house;
  const clerk = (office: keyof typeof offices) => legislation.connect(random.pick([...offices[office], deployer]));
  const bill = () => random.pick(bills);
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
    return legislation.validate(session, law, docHash, steps.witnesses());
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
export async function quietly(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    expect(String(error)).to.match(/reverted with (an unrecognized )?custom error/);
  }
}

/** Producers before a law is made, and who watches their votes: petitions, adoption, debate, blocs, second readings. */
import { ZeroAddress, ZeroHash } from "ethers";
import { packRanking } from "../../../orchestrator/rules/condorcet.ts";
import { GOAL, State } from "../../support/legislature.ts";
import type { Attempt } from "../../support/session-moves.ts";
import type { World } from "../world.ts";

export interface CitizenMoves {
  /** At any time, rightly or wrongly. */
  readonly all: readonly Attempt[];
  /** What fits a state. */
  readonly fitting: Partial<Record<number, readonly Attempt[]>>;
  /** Where no session is open. */
  readonly petition: Attempt;
}

export function citizenMoves(world: World): CitizenMoves {
  const { legislation, steps, offices, voters, sponsor, random, as, sign, addresses } = world;
  const some = () => random.shuffle(voters).slice(0, 1 + random.int(3));
  const order = async (session: bigint) => {
    const { ballotSize } = await legislation.sessionOf(session);
    return random.shuffle(Array.from({ length: Number(ballotSize) || 2 }, (_, entry) => entry));
  };
  const petition: Attempt = async () =>
    legislation.petition(GOAL, ZeroAddress, await Promise.all(some().map((agent) => steps.backer(agent, GOAL))));
  const adopt: Attempt = (session) => {
    const { law, docHash } = random.pick(world.bills);
    return legislation.connect(sponsor).adopt(session, law, docHash);
  };
  const openDebate: Attempt = (session) => legislation.connect(random.pick(offices.SPEAKER)).openDebate(session);
  const poll: Attempt = async (session) => {
    const ranking = await order(session);
    return legislation.strawPoll(session, await Promise.all(some().map((agent) => steps.straw(session, agent, ranking))));
  };
  const flag: Attempt = (session) => {
    const [leader, ...members] = random.shuffle(voters).slice(0, 2 + random.int(3));
    return legislation.connect(random.pick(offices.REGULATOR)).flagBloc(
      session,
      leader?.address ?? ZeroAddress,
      members.map(({ address }) => address),
    );
  };
  const rule: Attempt = async (session) => {
    const { caseHash } = await legislation.blocOf(session);
    return legislation.connect(await as("ADJUDICATION")).ruleOnBloc(session, caseHash, random.int(4) > 0);
  };
  const secondReading: Attempt = async (session) => {
    const { candidates } = await legislation.sessionOf(session);
    const candidate = 1 + random.int(Math.max(1, Number(candidates) - 1));
    const { proposer } = await legislation.candidateOf(session, candidate);
    const agent = voters.find(({ address }) => address === proposer) ?? random.pick(voters);
    const specHash = random.pick(world.bills).specHash;
    const deadline = 2n ** 40n - 1n;
    const message = { session, agent: agent.address, candidate, specHash, cid: ZeroHash, deadline };
    const signature = await sign("Reintroduce", addresses.LEGISLATION, message, agent);
    return legislation.reintroduce(session, candidate, specHash, ZeroHash, { agent: agent.address, deadline, signature });
  };
  /** Many rank alike, so that there is something to find. */
  const march: Attempt = async (session) => {
    const ranking = BigInt(packRanking(await order(session)));
    return legislation.castBallots(session, await Promise.all(some().map((agent) => steps.ballot(session, agent, ranking))));
  };
  return {
    all: [petition, adopt, openDebate, poll, flag, rule, secondReading, march],
    fitting: {
      [State.PROPOSING]: [openDebate],
      [State.DELIBERATING]: [poll, poll, (session) => legislation.connect(random.pick(offices.SPEAKER)).openVoting(session)],
      [State.VOTING]: [march],
      [State.TALLIED]: [adopt, flag, rule],
      [State.VALIDATED]: [flag],
      [State.CODIFIED]: [flag, rule],
      [State.FAILED]: [secondReading],
    },
    petition,
  };
}

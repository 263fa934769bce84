/** Every function of the legislature, called with success in sessions of its own. */
import type { Wallet } from "ethers";
import { ZeroAddress } from "ethers";
import { cloneArgs } from "../../../orchestrator/rules/law-codec.ts";
import { unpackMissionParams } from "../../../orchestrator/rules/mission-params-codec.ts";
import { type AuthorityTrial, type Cast, castOf, endow } from "../../support/authority-trial.ts";
import { networkHelpers, tokens } from "../../support/city-fixture.ts";
import { APPROVAL, billOf, DEPOSIT, GOAL, hash, lawOf, loadLegislature, PROPOSAL, REVIEW } from "../../support/legislature.ts";

const BILL = billOf(lawOf());
const BILL_OF_PETITION = billOf(lawOf(undefined, { budget: tokens(50) }), "petitioned");
const FAR = 2n ** 40n - 1n;
const { time } = networkHelpers;

async function convene() {
  const house = await loadLegislature();
  const [registrar, speaker, regulator, codifier] = (["REGISTRAR", "SPEAKER", "REGULATOR", "CODIFIER"] as const).map(
    (office) => house.offices[office][0],
  ) as [Wallet, Wallet, Wallet, Wallet];
  const [agent, bystander] = [house.voters[0], house.voters[7]] as [Wallet, Wallet];
  const cast = await castOf(house, {
    registrar: registrar.address,
    speaker: speaker.address,
    regulator: regulator.address,
    codifier: codifier.address,
    adjudicator: house.adjudicators[0]?.address ?? "",
    producer: bystander.address,
    principal: await house.producers.principalOf(bystander.address),
    sponsor: house.sponsor.address,
    agent: agent.address,
  });
  return { ...house, registrar, speaker, codifier, agent, cast };
}
type House = Awaited<ReturnType<typeof convene>>;

export async function playSessions(trial: AuthorityTrial): Promise<void> {
  const house = await convene();
  const { legislation, addresses, steps, sponsor, agent, voters } = house;
  const { agent: _, ...openers } = house.cast;
  await endow(house, openers, addresses.LEGISLATION);
  const open = () => legislation.connect(sponsor).openSession(GOAL, DEPOSIT, ZeroAddress);
  await trial.record("LegislativeProcedure.openSession", openers, open);
  const session = await legislation.sessionCount();
  const confirm = () => legislation.connect(house.registrar).confirmIdentities(session, hash("identities"));
  await trial.record("LegislativeProcedure.confirmIdentities", house.cast, confirm);

  await playPetition(trial, house, openers);
  const [spec, cid] = [BILL.specHash, hash("cid")];
  const proposal = { session, agent: agent.address, specHash: spec, cid, deadline: FAR };
  const signature = await house.sign("Propose", addresses.LEGISLATION, proposal, agent);
  const propose = () => legislation.propose(session, spec, cid, { agent: agent.address, deadline: FAR, signature });
  await trial.record("LegislativeProcedure.propose", house.cast, propose, "signed");
  const other = voters[5] as Wallet;
  const direct = () => legislation.connect(other).propose(session, hash("other"), cid, house.direct(other));
  await trial.record("LegislativeProcedure.propose", { ...house.cast, agent: other.address }, direct, "unsigned");

  const draft = () => legislation.connect(house.speaker).draft(session, hash("the office's"), cid);
  await trial.record("LegislativeProcedure.draft", house.cast, draft);

  for (const [i, voter] of voters.slice(1, 5).entries()) {
    const cast = { ...house.cast, agent: voter.address };
    const support = { session, agent: voter.address, candidate: 1, deadline: FAR };
    const auth = { ...house.direct(voter), deadline: FAR };
    if (i === 0) auth.signature = await house.sign("Sponsor", addresses.LEGISLATION, support, voter);
    const sender = i === 0 ? legislation : legislation.connect(voter);
    await trial.record("LegislativeProcedure.sponsor", cast, () => sender.sponsor(session, 1, auth), i === 0 ? "signed" : "unsigned");
  }

  const openDebate = () => legislation.connect(house.speaker).openDebate(session);
  await trial.record("LegislativeProcedure.openDebate", house.cast, openDebate);
  const straws = await Promise.all(voters.map((voter) => steps.straw(session, voter, [1, 0])));
  const poll = () => legislation.strawPoll(session, straws.slice(0, 1));
  await trial.record("LegislativeProcedure.strawPoll", house.cast, poll, "signed");
  const third = voters[2] as Wallet;
  const ownStraw = () => legislation.connect(third).strawPoll(session, [{ ...straws[2], signature: "0x" }] as typeof straws);
  await trial.record("LegislativeProcedure.strawPoll", { ...house.cast, agent: third.address }, ownStraw, "unsigned");
  const openVoting = () => legislation.connect(house.speaker).openVoting(session);
  await trial.record("LegislativeProcedure.openVoting", house.cast, openVoting, "in time");
  const ballots = await Promise.all(voters.map((voter) => steps.ballot(session, voter, [1, 0])));
  const cast = () => legislation.castBallots(session, ballots.slice(0, 1));
  await trial.record("LegislativeProcedure.castBallots", house.cast, cast, "signed");
  const second = voters[1] as Wallet;
  const own = () => legislation.connect(second).castBallots(session, [{ ...ballots[1], signature: "0x" }] as typeof ballots);
  await trial.record("LegislativeProcedure.castBallots", { ...house.cast, agent: second.address }, own, "unsigned");
  await legislation.castBallots(session, ballots.slice(2));
  await trial.record("LegislativeProcedure.tally", house.cast, () => legislation.tally(session));
  await enact(trial, house, session);
}

/** A session that producers ask for, and that a sponsor then pays. */
async function playPetition(trial: AuthorityTrial, house: House, openers: Cast): Promise<void> {
  const { legislation, steps, sponsor, agent, voters } = house;
  const goal = hash("petitioned");
  const signed = await steps.backer(agent, goal);
  await trial.record("LegislativeProcedure.petition", house.cast, () => legislation.petition(goal, ZeroAddress, [signed]), "signed");
  const second = voters[1] as Wallet;
  const own = () => legislation.connect(second).petition(goal, ZeroAddress, [house.direct(second)]);
  await trial.record("LegislativeProcedure.petition", { ...house.cast, agent: second.address }, own, "unsigned");
  const session = await legislation.sessionCount();
  const { law, docHash, specHash } = BILL_OF_PETITION;
  await legislation.connect(house.registrar).confirmIdentities(session, goal);
  await steps.propose(session, 0, specHash);
  await legislation.connect(house.speaker).openVoting(session);
  await steps.vote(
    session,
    voters.map(() => [1, 0]),
  );
  await legislation.tally(session);
  await trial.record("LegislativeProcedure.adopt", openers, () => legislation.connect(sponsor).adopt(session, law, docHash));
}

async function enact(trial: AuthorityTrial, house: House, session: bigint): Promise<void> {
  const { legislation, steps, cast, offices } = house;
  const { law, docHash, specHash } = BILL;
  const validate = () => legislation.validate(session, law, docHash, steps.witnesses());
  await trial.record("LegislativeProcedure.validate", cast, validate);
  const delegation = await steps.delegate(session, specHash);
  const codify = () => legislation.connect(house.codifier).codify(session, [delegation]);
  await trial.record("LegislativeProcedure.codify", cast, codify);
  const governor = legislation.connect(await house.as("ADJUDICATION"));
  await trial.record("LegislativeProcedure.approveCodification", cast, () => governor.approveCodification(session, specHash));
  const regulator = legislation.connect(offices.REGULATOR[0] as Wallet);
  const alike = house.voters.slice(0, 2).map(({ address }) => address) as [string, string];
  // The gas is named: an estimate made a second earlier may miss that the stage is prolonged.
  await trial.record("LegislativeProcedure.flagBloc", cast, () =>
    regulator.flagBloc(session, alike[0], [alike[1]], { gasLimit: 2_000_000 }),
  );
  const { caseHash } = await legislation.blocOf(session);
  await trial.record("LegislativeProcedure.ruleOnBloc", cast, () => governor.ruleOnBloc(session, caseHash, true));
  const regulators = offices.REGULATOR.slice(0, 2).map((clerk) => ["REGULATOR", clerk] as const);
  const signatures = await steps.approvals(session, specHash, [["SPEAKER", house.speaker], ...regulators]);
  const snapshot = await networkHelpers.takeSnapshot();
  await trial.record("LegislativeProcedure.approve", cast, () => legislation.approve(session, law, docHash, signatures), "signed");
  await snapshot.restore();
  const unsigned = signatures.map((one) => (one.clerk === house.speaker.address ? { ...one, signature: "0x" } : one));
  const bySpeaker = () => legislation.connect(house.speaker).approve(session, law, docHash, unsigned);
  await trial.record("LegislativeProcedure.approve", cast, bySpeaker, "unsigned");
}

/** The legislature's clone: deployed by nobody else. */
export async function playDeployment(trial: AuthorityTrial): Promise<void> {
  const house = await convene();
  const { legislation, templates, steps, cast } = house;
  const session = await steps.toCodified(BILL);
  const info = await legislation.sessionOf(session);
  const args = cloneArgs(BILL.law, {
    params: unpackMissionParams(info.params),
    docHash: BILL.docHash,
    session,
    sponsor: info.sponsor as `0x${string}`,
    deployedAt: Number(await house.now()),
  });
  const registry = templates.connect(await house.as("LEGISLATION"));
  const name = await legislation.template();
  await trial.record("TemplateRegistry.deploy", cast, () => registry.deploy(name, info.rules.template, args, session));
}

/** Two sessions without a turnout, of which a proposal returns. */
async function playReturns(trial: AuthorityTrial, house: House): Promise<void> {
  const { legislation, steps, agent, cast, addresses } = house;
  const changed = hash("changed");
  const sessions = [await steps.toVoting([BILL.specHash]), await steps.toVoting([BILL.specHash])] as const;
  await time.increase(PROPOSAL + 1n);
  for (const session of sessions) await legislation.tally(session);
  const message = { session: sessions[0], agent: agent.address, candidate: 1, specHash: changed, cid: changed, deadline: FAR };
  const signature = await house.sign("Reintroduce", addresses.LEGISLATION, message, agent);
  const signed = () => legislation.reintroduce(sessions[0], 1, changed, changed, { agent: agent.address, deadline: FAR, signature });
  await trial.record("LegislativeProcedure.reintroduce", cast, signed, "signed");
  const own = () => legislation.connect(agent).reintroduce(sessions[1], 1, changed, changed, house.direct(agent));
  await trial.record("LegislativeProcedure.reintroduce", cast, own, "unsigned");
}

export async function playEnds(trial: AuthorityTrial): Promise<void> {
  const house = await convene();
  const { legislation, steps, voters, cast } = house;
  await playReturns(trial, house);
  const late = await steps.toProposing();
  await steps.propose(late, 0, BILL.specHash);
  await time.increase(PROPOSAL + 1n);
  const openVoting = () => legislation.openVoting(late);
  await trial.record("LegislativeProcedure.openVoting", cast, openVoting, "after the proposal timeout");
  await time.increase(PROPOSAL + 1n);
  await legislation.tally(late);

  const cancelled = await steps.open();
  await trial.record("LegislativeProcedure.cancel", cast, () => legislation.connect(house.sponsor).cancel(cancelled));
  await trial.record("LegislativeProcedure.withdraw", cast, () => legislation.withdraw(cancelled));
  const expired = await steps.toTallied(BILL, DEPOSIT + tokens(1));
  await time.increase(APPROVAL + REVIEW + 1n);
  await trial.record("LegislativeProcedure.expire", cast, () => legislation.expire(expired));

  const absent = voters[6] as Wallet;
  for (let missed = 0; missed < 3; missed++) {
    const session = await steps.toVoting([BILL.specHash]);
    const ballots = await Promise.all(voters.slice(0, 6).map((voter) => steps.ballot(session, voter, [1, 0])));
    await legislation.castBallots(session, ballots);
    await time.increase(PROPOSAL + 1n);
    await legislation.tally(session);
  }
  await trial.record("LegislativeProcedure.lapse", cast, () => legislation.lapse(absent.address));
}

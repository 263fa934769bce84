/** Every function of the market and of a mission's clone, called with success in missions of their own. */
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { type AuthorityTrial, type Cast, castOf, endow } from "../../support/authority-trial.ts";
import { directly, keyOf, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { seatOf } from "../../support/judges.ts";
import {
  Action,
  BIDDING_WINDOW,
  HOUR,
  type Mission,
  type MissionOptions,
  onward,
  openMission,
  packed,
  TASK,
} from "../../support/mission-fixture.ts";
import { MissionTree } from "../../support/mission-tree.ts";
import { penaltyOf } from "../../support/outcomes.ts";
import { gateOf } from "../../support/schema-gate.ts";

const WHY = id("why");
const { time } = networkHelpers;
const SEALED = { ...TASK, tier: 2, redundancy: 3, threshold: 2 };

async function found(options: MissionOptions = {}): Promise<{ mission: Mission; cast: Cast }> {
  const mission = await openMission(options);
  const { city } = mission;
  const cast = await castOf(city, {
    regulator: city.regulator.address,
    runner: city.runner.address,
    monitor: city.monitor.address,
    issuer: city.issuer.address,
    sponsor: city.sponsor.address,
    itself: mission.address,
  });
  return { mission, cast };
}

/** With executors bound to all nodes; the cast knows the one of node 0. */
async function awarded(options: MissionOptions = {}): Promise<{ mission: Mission; cast: Cast }> {
  const { mission, cast } = await found(options);
  await (await mission.activate()).awardAll();
  const { agent } = await mission.executorOf(0);
  return { mission, cast: { ...cast, executor: agent.address } };
}

export async function playMarket(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await found({ nodes: [TASK, TASK, TASK, TASK] });
  const { execution } = mission.city;
  const activate = () => mission.contract.connect(mission.legislature).activate();
  await trial.record("CollaborationContract.activate", cast, activate);
  const openMarket = () => execution.connect(mission.legislature).openMarket(mission.address, ZeroAddress);
  await trial.record("ExecutionProcedure.openMarket", cast, openMarket);
  const governor = execution.connect(await mission.city.as("ADJUDICATION"));
  await trial.record("ExecutionProcedure.approvePredicate", cast, () => governor.approvePredicate(7, keyOf("predicate").address));

  const [first, second] = [mission.worker(0), mission.worker(1)];
  const bidder: Cast = { ...cast, agent: first.agent.address };
  await trial.record("ExecutionProcedure.bid", bidder, () => mission.bid(0, 0), "signed");
  const direct = { agent: second.agent.address, deadline: await mission.soon(), signature: "0x" };
  const offer = { mission: mission.address, node: 0, service: second.service, price: tokens(90) };
  const own = () => execution.connect(second.agent).bid(offer, direct, mission.shownBy(second.record, 0));
  await trial.record("ExecutionProcedure.bid", { ...cast, agent: second.agent.address }, own, "unsigned");

  const several = [await mission.signedBid(1, 0)];
  const relay = () =>
    execution.bidAll(
      several.map(({ offer }) => offer),
      several.map(({ auth }) => auth),
      several.map(({ admission }) => admission),
    );
  await trial.record("ExecutionProcedure.bidAll", bidder, relay, "signed");

  const deadline = await mission.soon();
  for (const node of [0, 1, 2]) for (const worker of [2, 3]) await mission.bid(node, worker);
  for (const worker of [0, 1]) await mission.bid(3, worker);
  const { regulator } = mission.city;
  const early = async (node: number, signed: boolean) => {
    const nonce = await execution.nonceOf(regulator.address);
    const decision = { regulator: regulator.address, mission: mission.address, nodes: 1n << BigInt(node), attempt: 0, nonce, deadline };
    const auth = { agent: regulator.address, deadline, signature: "0x" };
    if (signed) auth.signature = await mission.city.sign("AwardDecision", mission.city.addresses.EXECUTION, decision, regulator);
    return () => (signed ? execution : execution.connect(regulator)).awardEarly(mission.address, [node], 0, auth);
  };
  await trial.record("ExecutionProcedure.awardEarly", cast, await early(0, true), "signed");
  await trial.record("ExecutionProcedure.awardEarly", cast, await early(1, false), "unsigned");
  await mission.closeMarket();
  await trial.record("ExecutionProcedure.award", cast, () => execution.award(mission.address, [2]));

  const bids = await execution.bidsOf(mission.address, 0);
  const loser = bids.find(({ awarded }) => !awarded)?.agent ?? "";
  const release = () => execution.withdrawBid(mission.address, 0, { agent: loser, deadline: 0, signature: "0x" });
  await trial.record("ExecutionProcedure.withdrawBid", { ...cast, agent: loser }, release, "after the award");

  // Nobody calls for node 3's award.
  await mission.closeMarket();
  const message = {
    agent: first.agent.address,
    mission: mission.address,
    node: 3,
    nonce: await execution.nonceOf(first.agent.address),
    deadline,
  };
  const signature = await mission.city.sign("WithdrawBid", mission.city.addresses.EXECUTION, message, first.agent);
  const withdraw = () => execution.withdrawBid(mission.address, 3, { agent: first.agent.address, deadline, signature });
  await trial.record("ExecutionProcedure.withdrawBid", bidder, withdraw, "signed");
  const leave = () => execution.connect(second.agent).withdrawBid(mission.address, 3, direct);
  await trial.record("ExecutionProcedure.withdrawBid", { ...cast, agent: second.agent.address }, leave, "unsigned");
}

export async function playSettlement(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await awarded({ nodes: [TASK, TASK] });
  const execution = mission.city.execution.connect(await mission.city.as(mission.address));
  const agent = cast.executor ?? "";
  const [verifier = ""] = mission.city.verifiers.keys();
  const principal = await mission.city.producers.principalOf(verifier);
  const seat = await seatOf(mission.city, verifier);
  const recordVerifiers = () => execution.recordVerifiers([seat]);
  await trial.record("ExecutionProcedure.recordVerifiers", cast, recordVerifiers);
  await trial.record("ExecutionProcedure.settleVerifier", cast, () => execution.settleVerifier(verifier, 5, WHY));
  const outcome = { node: 1, agent: (await mission.executorOf(1)).agent.address, score: 5000, reason: WHY };
  await trial.record("ExecutionProcedure.settleSlots", cast, () => execution.settleSlots([outcome]));
  await trial.record("ExecutionProcedure.settleSlot", cast, () => execution.settleSlot(penaltyOf(agent, { release: 1n, slash: 1n })));
  await trial.record("ExecutionProcedure.accuse", cast, () => execution.accuse(0, [agent]));
  await trial.record("ExecutionProcedure.bar", cast, () => execution.bar(0, principal));
  const judge = cast.adjudicator ?? "";
  const roster = mission.city.roster;
  await roster.connect(await mission.city.as("ADJUDICATION")).countCase(Action.RESOLVE_APPEAL, mission.address, 0, 0, [judge]);
  await mission.city.fund(mission.city.sponsor, mission.city.addresses.TREASURY, tokens(50));
  await mission.city.treasury.connect(mission.city.sponsor).deposit(tokens(50), 0, WHY);
  await trial.record("AdjudicatorRoster.collect", cast, () => roster.collect(judge));
  await trial.record("ExecutionProcedure.hold", cast, () => execution.hold());
  const governor = mission.city.treasury.connect(await mission.city.as("ADJUDICATION"));
  await mission.city.fund(mission.city.sponsor, mission.city.addresses.TREASURY, tokens(50));
  await mission.city.treasury.connect(mission.city.sponsor).deposit(0, tokens(50), WHY);
  const claim = () => governor.claimInsurance(mission.address, agent, tokens(5), WHY);
  await trial.record("Treasury.claimInsurance", cast, claim);
  await trial.record("ExecutionProcedure.reopenMarket", cast, () => execution.reopenMarket(0, 1, [agent]));
}

/** A tier-1 node from binding to payment, and the end of its mission. */
export async function playHappyNode(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await found({ nodes: [TASK, { ...TASK, predecessors: 1n }], reserve: tokens(5), anchorInterval: 60 });
  const { contract } = mission;
  await mission.activate();
  for (const node of [0, 1]) for (const worker of [0, 1, 2]) await mission.bid(node, worker);
  const market = contract.connect(await mission.city.as("EXECUTION"));
  const unbound = await networkHelpers.takeSnapshot();
  const { agent, service } = mission.worker(0);
  const bind = () => market.bind(0, 0, agent.address, service, tokens(90));
  await trial.record("CollaborationContract.bind", cast, bind);
  await unbound.restore();
  await mission.closeMarket();
  await mission.city.execution.award(mission.address, [0, 1]);
  const bound = await networkHelpers.takeSnapshot();
  const executor = (await mission.executorOf(0)).agent;
  const all: Cast = { ...cast, executor: executor.address };

  const wave = await mission.wave([0]);
  await trial.record("CollaborationContract.checkpoint", all, () => contract.checkpoint(wave), "signed");
  await bound.restore();
  const [live, record] = await mission.otherCode(0);
  await trial.record("CollaborationContract.mismatch", all, () => contract.mismatch(live, record), "signed");
  await bound.restore();
  await trial.record("CollaborationContract.route", all, () => mission.route(0), "signed");
  const executing = await networkHelpers.takeSnapshot();
  const report = () => contract.connect(mission.city.monitor).report(0, WHY, 1);
  await trial.record("CollaborationContract.report", all, report);
  const seal = () => contract.connect(mission.city.monitor).sealSnapshot(0, WHY);
  await trial.record("CollaborationContract.sealSnapshot", all, seal);
  const silence = (await mission.city.now()) - 60n;
  const degrade = () => contract.connect(mission.city.monitor).degrade(silence);
  await trial.record("CollaborationContract.degrade", all, degrade);
  await time.increase(1800);
  await trial.record("CollaborationContract.expire", all, () => contract.expire());
  await executing.restore();
  await trial.record("CollaborationContract.suspend", all, () => contract.connect(mission.city.monitor).suspend(WHY));
  await time.increase(7200);
  await trial.record("CollaborationContract.lapse", all, () => contract.lapse());
  const { evidence, monitor } = mission.city;
  const clone = evidence.connect(await mission.city.as(mission.address));
  await trial.record("EvidenceRegistry.countLapse", all, () => clone.countLapse(monitor.address, 1));
  await executing.restore();
  const judge = contract.connect(await mission.city.as("ADJUDICATION"));
  const freeze = () => judge.onOverride(Action.FREEZE, 0, mission.address, encodeActionData("FREEZE", [0]), ZeroHash);
  await trial.record("CollaborationContract.onOverride", all, freeze);
  await executing.restore();
  const opening = await mission.opening(0);
  const deadline = await mission.soon();
  const own = () => contract.connect(executor).commitOpen(0, 0, opening, deadline, "0x");
  await trial.record("CollaborationContract.commitOpen", all, own, "unsigned");
  await executing.restore();
  await trial.record("CollaborationContract.commitOpen", all, () => mission.commit(0), "signed");

  const committed = await networkHelpers.takeSnapshot();
  await networkHelpers.mine(300);
  await trial.record("CollaborationContract.redraw", all, () => contract.redraw(0));
  await committed.restore();
  await networkHelpers.mine();
  const [member = ""] = await contract.panelOf(0);
  const [one, other] = [await mission.signedVerdict(0, member), await mission.signedVerdict(0, member, { score: 1 })];
  await trial.record("CollaborationContract.accuse", all, () => contract.accuse(0, 0, member, one, other), "signed");
  await committed.restore();
  await networkHelpers.mine();
  const [order, next] = [await mission.clearOrder(0), await mission.start([1])];
  await trial.record("CollaborationContract.post", all, () => contract.post(packed(order)), "signed");
  await trial.record("CollaborationContract.advance", all, () => contract.advance(packed(order), ...next), "signed");
  await committed.restore();
  await trial.record("CollaborationContract.clear", all, () => mission.clear(0), "signed");

  const appellants: Cast = { ...all, panel: (await contract.countedOf(0))[0] ?? "" };
  await endow(mission.city, appellants, mission.address);
  const recorded = await networkHelpers.takeSnapshot();
  const { sponsor, verifiers } = mission.city;
  const word = await mission.signedAppeal(sponsor, { evidence: WHY });
  await trial.record("CollaborationContract.appeal", appellants, () => contract.appeal(0, 0, WHY, word), "signed");
  const parties = { "the sponsor's": sponsor, "an executor's": executor, "a panel member's": verifiers.get(appellants.panel ?? "") };
  for (const [whose, party] of Object.entries(parties)) {
    await recorded.restore();
    const appeal = () => contract.connect(party).appeal(0, 0, WHY, directly(party as Wallet));
    await trial.record("CollaborationContract.appeal", appellants, appeal, `${whose}, unsigned`);
  }
  await recorded.restore();
  await mission.run(1);
  const root = id("root");
  const signature = await mission.city.sign(
    "Anchor",
    mission.address,
    { runner: mission.city.runner.address, root, deadline },
    mission.city.runner,
  );
  const anchor = () => contract.anchor(root, mission.city.runner.address, deadline, signature);
  await trial.record("CollaborationContract.anchor", all, anchor, "signed");
  await time.increase(HOUR);
  await trial.record("CollaborationContract.claim", all, () => contract.claim([0, 1]));
  await trial.record("CollaborationContract.refund", all, () => contract.refund());
  await trial.record("CollaborationContract.close", all, () => contract.close());
}

export async function playConsensus(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await awarded({ nodes: [SEALED] });
  await mission.route(0);
  await trial.record("CollaborationContract.commit", cast, () => mission.commit(0, 0), "signed");
  const { agent } = await mission.executorOf(0, 1);
  const commitment = await mission.commitmentOf(0, 1);
  const deadline = await mission.soon();
  const own = () => mission.contract.connect(agent).commit(0, 1, commitment, deadline, "0x");
  await trial.record("CollaborationContract.commit", { ...cast, executor: agent.address }, own, "unsigned");
  const wave = await mission.commitWave([[0, 2]]);
  await trial.record("CollaborationContract.commitWave", cast, () => mission.contract.commitWave(wave), "signed");
  const sealed = await networkHelpers.takeSnapshot();
  await trial.record("CollaborationContract.reveal", cast, () => mission.reveal(0, 0));
  await sealed.restore();
  const opened = await mission.revealWave(mission.places([0]));
  await trial.record("CollaborationContract.revealWave", cast, () => mission.contract.revealWave(opened));
}

/** What a node does that does not go its straight way. */
export async function playRemedies(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await awarded({ nodes: [TASK], duration: 14_400 });
  const { contract } = mission;
  await mission.route(0);
  await time.increase(60);
  await trial.record("CollaborationContract.timeout", cast, () => contract.timeout(0));
  await trial.record("CollaborationContract.reopen", cast, () => contract.reopen(0));
  await time.increase(BIDDING_WINDOW);
  await time.increaseTo(await contract.expiresAt());
  await trial.record("CollaborationContract.abort", cast, () => contract.abort());
}

/** A gate that an issuer's word opens. */
export async function playGate(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await awarded({ nodes: [TASK] });
  const { show, stated } = await gateOf(mission);
  const statement = await stated(0);
  await trial.record("KeepsSchema.show", cast, () => show(statement), "signed");
}

/** A node that is no leaf: the clone opens the session by itself, here it is told to. */
export async function playDescent(trial: AuthorityTrial): Promise<void> {
  const { mission, cast } = await found({ nodes: [{ ...TASK, leaf: false }] });
  const { city } = mission;
  await mission.activate();
  const clone = await city.as(mission.address);
  await city.token.connect(clone).approve(city.addresses.LEGISLATION, tokens(5));
  const open = () => city.legislation.connect(clone).openChildSession(0, WHY, tokens(5));
  await trial.record("LegislativeProcedure.openChildSession", cast, open);

  const tree = await MissionTree.found();
  const below = { budget: tokens(100), nodes: [{ budget: tokens(100) }] };
  const plan = { budget: tokens(100), nodes: [below] };
  const root = await tree.enact(await tree.house.steps.open(plan.budget), plan);
  await root.contract.route(...onward(0));
  const child = await tree.enact(await tree.house.legislation.sessionCount(), below, 1);
  await child.override(Action.TERMINATE_MISSION, 0);
  await child.contract.close();
  const family = await castOf(tree.house, { itself: root.address, sponsor: tree.house.sponsor.address });
  await trial.record("CollaborationContract.record", family, () => root.contract.record(0));
}

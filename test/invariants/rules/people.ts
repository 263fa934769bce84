/** Invariants 17, 18, 23, 25, 26 and 29: parameters, governance, reputation, fairness, outcasts, strikes. 18, 19 and 24 are also attacked directly. */
import { PARAMETERS } from "../../../orchestrator/protocol/parameters.ts";
import { fairnessScore } from "../../../orchestrator/rules/fairness.ts";
import { amount, type Happening, number, text } from "../chronicle.ts";
import type { Context, Rule } from "../rule.ts";

const inRange: Rule = {
  invariant: 17,
  on(event, { require }) {
    if (event.at !== "CONSTITUTION" || event.name !== "ParameterSet") return;
    const parameter = PARAMETERS[number(event, "param")];
    const value = amount(event, "value");
    require(parameter !== undefined && value >= parameter.min && value <= parameter.max, () => `${parameter?.name} is ${value}`);
  },
  async always(_snapshot, { ghost, world, require }) {
    const constitution = world.constitution.connect(world.reads);
    const values = await Promise.all([...ghost.changed].map(async (index) => ({ index, value: await constitution.param(index) })));
    for (const { index, value } of values) {
      require(value === ghost.params.get(index), () => `${PARAMETERS[index]?.name} is ${value}, announced was ${ghost.params.get(index)}`);
    }
    ghost.changed.clear();
  },
};

/** What only governance says. */
const GOVERNING: ReadonlySet<string> = new Set([
  "ParameterSet",
  "Wired",
  "Sealed",
  "ClerkAppointed",
  "ClerkRevoked",
  "EnvelopeSet",
  "MandateSet",
  "TemplatePublished",
  "IssuerRegistered",
  "VerifierRegistered",
  "RunnerRegistered",
  "MonitorRegistered",
  "Revoked",
  "PredicateApproved",
  "AgentBanned",
  "PrincipalFrozen",
  "PrincipalSuspended",
  "Impeached",
  "Seated",
]);

/** The deployer until the city is sealed, the adjudication procedure, or what adjudicators signed. */
function isGovernance({ tx }: Happening, { world, chronicle }: Context): boolean {
  const { ADJUDICATION } = world.addresses;
  return tx.from === world.deployer.address || tx.from === ADJUDICATION || chronicle.nameOf(tx.to) === "ADJUDICATION";
}

const governed: Rule = {
  invariant: 18,
  on(event, context) {
    if (!GOVERNING.has(event.name)) return;
    context.require(isGovernance(event, context), () => `${event.name} came from ${event.tx.from}`);
  },
};

/** Thousandths of a point that an amended mandate costs each executor of the node, and nobody else (AgentCity B.11.2). */
const REPROACH = 20_000n;

function reproached(event: Happening, { ghost, require }: Context): void {
  const former = `${number(event, "attempt") - 1}/`;
  const bound = [...ghost.node(event).executors].filter(([place]) => place.startsWith(former)).map(([, agent]) => agent);
  const changes = event.tx.events.filter(({ name }) => name === "ReputationChanged");
  const charged = changes.map((change) => text(change, "agent"));
  require(charged.toSorted().join() === bound.toSorted().join(), () => `an amendment for ${bound} was charged to ${charged}`);
  for (const change of changes) {
    const [was, is] = [amount(change, "previous"), amount(change, "current")];
    require(is === (was > REPROACH ? was - REPROACH : 0n), () => `an amendment took a reputation from ${was} to ${is}`);
  }
}

const MISSION_OR_MARKET = new Set(["MISSION", "EXECUTION", "ADJUDICATION"]);
const reputable: Rule = {
  invariant: 23,
  on(event, context) {
    if (event.at === "MISSION" && event.name === "NodeAmended") reproached(event, context);
    if (event.name !== "ReputationChanged") return;
    const value = amount(event, "current");
    context.require(value <= 1_000_000n, () => `a reputation of ${value}`);
    const writer = context.chronicle.nameOf(event.tx.to);
    const lawful = MISSION_OR_MARKET.has(writer) || isGovernance(event, context);
    context.require(lawful, () => `reputation was written through ${event.tx.to} by ${event.tx.from}`);
    const before = context.ghost.agent(text(event, "agent")).reputation;
    context.require(amount(event, "previous") === before, () => `reputation was ${before}, not ${amount(event, "previous")}`);
  },
  always({ agents }, { ghost, require }) {
    for (const { address, reputation } of agents) {
      require(reputation === ghost.agent(address).reputation && reputation <= 1_000_000n, () =>
        `${address} has a reputation of ${reputation}`);
    }
  },
};

/** Fairness binds from the fifth assignment on, among at least two bidding principals (decisions 16). */
const BINDING_FROM = 5;
const MIN_FAIRNESS = 17;
const fair: Rule = {
  invariant: 25,
  on(event, { ghost, require }) {
    if (event.at !== "EXECUTION" || event.name !== "Awarded") return;
    const { assigned, bidders } = ghost.mission(text(event, "mission"));
    const { principal } = ghost.agent(text(event, "agent"));
    const counts = new Map(assigned).set(principal, (assigned.get(principal) ?? 0) + 1);
    const total = [...counts.values()].reduce((all, n) => all + n, 0);
    const squares = [...counts.values()].reduce((all, n) => all + n * n, 0);
    const score = fairnessScore(BigInt(squares), BigInt(total), BigInt(bidders.size));
    require(score === amount(event, "fairness"), () => `fairness is ${score}, the award says ${amount(event, "fairness")}`);
    if (total < BINDING_FROM || bidders.size < 2) return;
    const minimum = ghost.params.get(MIN_FAIRNESS) ?? 0n;
    const index = event.tx.events.indexOf(event);
    const waived = event.tx.events.slice(0, index).findLast(({ at }) => at === "EXECUTION");
    const isWaived = waived?.name === "FairnessWaived" && number(waived, "node") === number(event, "node");
    require(score >= minimum || isWaived, () => `awarded at a fairness of ${score}, unwaived`);
  },
};

const CIVIC: Readonly<Record<string, string>> = {
  BallotCast: "agent",
  Proposed: "proposer",
  Sponsored: "agent",
  BidPlaced: "agent",
  Petitioned: "agent",
  StrawPollCast: "agent",
};
const inGoodStanding: Rule = {
  invariant: 26,
  on(event, { ghost, require }) {
    const who = CIVIC[event.name];
    if (who === undefined) return;
    // A session keeps the electorate it began with, whatever reputations do since.
    const poor = event.args.toObject()["session"] === undefined ? undefined : ghost.session(amount(event, "session")).poor;
    require(!ghost.isOutcast(text(event, who), poor), () => `${event.name} by ${text(event, who)}, an outcast`);
    require(ghost.agent(text(event, who)).kind === 1, () => `${event.name} by ${text(event, who)}, no producer`);
  },
};

const NINE_DAYS = 9n * 86_400n;
/** In basis points, of the voters. */
const MOST_STRUCK = 1_000n;
const seldomStruck: Rule = {
  invariant: 29,
  async on(event, { ghost, world, require }) {
    if (event.at !== "ADJUDICATION" || event.name !== "OverrideExecuted") return;
    const votersAt = (blockTag: number) => world.producers.activeProducers({ blockTag });
    const [before, after] = [await votersAt(event.block - 1), await votersAt(event.block)];
    if (after >= before) return;
    const lately = ghost.strikes.filter(({ at }) => at + NINE_DAYS > event.timestamp).reduce((sum, { voters }) => sum + voters, 0n);
    ghost.strikes.push({ at: event.timestamp, voters: before - after });
    const signers = BigInt([...event.args["adjudicators"]].length);
    if (3n * signers >= 2n * (await world.roster.activeCount())) return;
    const critical = ghost.param("CRITICAL_BLOC_SHARE");
    const share = critical < MOST_STRUCK ? critical : MOST_STRUCK;
    const struck = lately + before - after;
    require(struck <= 1n || struck * 10_000n <= share * (lately + before), () =>
      `${signers} struck ${struck} of ${lately + before} voters`);
  },
};

export const PEOPLE: readonly Rule[] = [inRange, governed, reputable, fair, inGoodStanding, seldomStruck];

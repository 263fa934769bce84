import { fateOf, nodeStates } from "../../execution/chain-view.ts";
import { resultSchema } from "../../execution/work.ts";
import { metricsOf } from "../../legislature/metrics.ts";
import { sessionRecord } from "../../legislature/session-record.ts";
import { contentIdFromDigest, parseContentId } from "../../primitives/hash.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { missionDocumentSchema } from "../../protocol/mission-document.ts";
import { balances, type Outcome, totalOf } from "../../protocol/outcome.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import { soldAs } from "../../protocol/sold-as.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import { anchoringOf } from "../bundle/anchoring.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { humanEntry } from "../humans/verbs.ts";
import { describeEpoch, executionOf } from "../missions/epochs.ts";
import { describeChild, statusOf, treeOf } from "../missions/family.ts";
import { describeWork, type Worked } from "../report/describe-work.ts";
import { failureOf } from "../report/failure.ts";
import { callsAbout, gasTable } from "../report/gas.ts";
import { letterOf } from "../report/letters.ts";
import { checkpointsIn, wavesIn } from "./anchors.ts";
import type { AuditContext } from "./context.ts";
import type { Check, Inspection } from "./inspection.ts";
import { recordOf } from "./works.ts";

/** `outcome.json` says what chain and records say, in every field. */
export const outcomeCheck: Check = {
  name: "OUTCOME",
  scope: "bundle",
  what: "status, law, laws tried, ballots, metrics, market, nodes, humans, money, gas, reputations and final block against chain and records",
  file: BUNDLE_FILES.outcome,
  async run(context, seen) {
    const { outcome, name, seed, session, mission, chain, client, law, document } = context;
    seen.same([outcome.name, outcome.network], [name, chain.name], "name and network");
    seen.same([outcome.seed, outcome.chainId], [seed, chain.id], "seed and chain id");
    seen.same([outcome.mission, outcome.session], [mission, session], "mission and session");
    seen.same(outcome.status, await statusOf(client, mission), "status");
    seen.same([outcome.law.lawHash, outcome.law.fidelity], [law.hash, true], "law");
    const { number, hash } = chain.head();
    seen.same([outcome.finalBlock.number, outcome.finalBlock.hash], [number, hash], "final block");
    const folder = `missions/${mission.toLowerCase()}`;
    seen.same(outcome.bundle, folder, "bundle's folder");
    seen.same(outcome.report, `${folder}/${BUNDLE_FILES.report}`, "report's place");
    const { goal, input, output } = document.document;
    seen.same([outcome.goal, outcome.input.kind, outcome.input.items], [goal, input.kind, input.count], "goal and input");
    seen.same(outcome.format, output.format, "format of the output");
    await vote(context, seen);
    seen.same(outcome.metrics, metricsOf(await sessionRecord(client, session)), "metrics of the session");
    await market(context, seen);
    await money(context, seen);
    await nodes(context, seen);
    const below = await Promise.all(context.family.map((child) => describeChild(client, child)));
    seen.same(outcome.children, below, "missions below");
    await epochs(context, seen);
    const interval = context.document.document.anchorInterval;
    const anchored = interval === undefined ? null : anchoringOf(interval, wavesIn(context), await checkpointsIn(context));
    seen.same(outcome.hybrid, anchored, "hybrid mode");
    await gas(context, seen);
    await reputations(context, seen);
    humans(context, seen);
    await work(context, seen);
  },
};

/** Each node's course and result, unreadable items, and why the mission failed if it did. */
async function work(context: AuditContext, seen: Inspection): Promise<void> {
  const { outcome, client, mission } = context;
  const { nodes, unreadable, excluded, ending } = await describeWork(client, workedIn(context));
  seen.same(outcome.excluded, excluded, "producers left out");
  seen.same(outcome.input.unreadable, unreadable, "items that could not be read");
  for (const [number, { label, end, failures, disagreement, output, executors }] of outcome.nodes.entries()) {
    const stated = { end, failures, disagreement, output, executors: executors.map(({ attempt, fault }) => ({ attempt, fault })) };
    seen.same(stated, nodes[number], `${label}: how it went`);
  }
  // What the city withheld although all work was done is a difference of records and chain: no clean bundle has that.
  seen.same(outcome.released, outcome.status === "completed", "release of the output");
  seen.same(outcome.failure, await failureOf(client, mission, outcome, ending), "failure");
}

/** The mission with the records that the bundle holds of its work. */
function workedIn(context: AuditContext): Worked {
  const { mission, document, items, nameOf, hasBlock, block, log } = context;
  return {
    address: mission,
    document: document.document,
    items,
    records: {
      recall: async (kind, subjects, schema) => recordOf(context, `execution.${kind}`, subjects, schema)?.value,
      all: async (kind, schema) =>
        log.flatMap(({ kind: of, subjects, content }) =>
          of === `execution.${kind}` && subjects[0] === mission && content !== null && hasBlock(content)
            ? [schema.parse(block(content))]
            : [],
        ),
      output: async (id) => (hasBlock(parseContentId(id)) ? block(parseContentId(id)) : undefined),
    },
    nameOf,
  };
}

/** Laws before this one lead back, parent by parent, to the first; one after it continues this mission. */
async function epochs({ outcome, client, session }: AuditContext, seen: Inspection): Promise<void> {
  const { legislation } = client;
  const stated = outcome.epochs.map((epoch) => BigInt(epoch.session));
  seen.same(outcome.epochs, await Promise.all(stated.map((each) => describeEpoch(client, each))), "laws tried");
  seen.same(outcome.execution, await executionOf(client, stated), "metrics of the execution");
  seen.same(outcome.total, totalOf(outcome.epochs), "money of all laws");
  const own = stated.indexOf(session);
  seen.holds(own >= 0 && stated.length - own <= 2, "laws tried", "do not lead to this mission");
  for (const [place, each] of stated.entries()) {
    const { epoch, parent } = await legislation.sessionOf(each);
    const former = stated[place - 1];
    const expected = former === undefined ? [0] : [place, (await legislation.sessionOf(former)).mission];
    seen.same(former === undefined ? [epoch] : [epoch, parent], expected, `law ${place + 1} tried`);
  }
}

async function vote({ outcome, client, session, nameOf, record, document, block }: AuditContext, seen: Inspection): Promise<void> {
  const { legislation } = client;
  const { ballotSize, electorate, winner } = await legislation.sessionOf(session);
  const paper = await legislation.ballotOf(session);
  const producers = record.events("ProducerContract", "AgentRegistered").filter(({ args }) => args.kind === KINDS.PRODUCER);
  const principals = new Set(producers.map(({ args }) => args.principal)).size;
  seen.same([outcome.law.producers, outcome.law.principals], [electorate, principals], "electorate");
  for (const { session: former, end } of outcome.law.past) {
    const { state } = await legislation.sessionOf(BigInt(former));
    seen.same(end, sessionTransitions.states[state], `end of session ${former}`);
    seen.holds(BigInt(former) < session, `session ${former}`, "is not from before the one that made the law");
  }
  const cast = record.events("LegislativeProcedure", "BallotCast").filter(({ args }) => args.session === session);
  const ballots = cast.map(({ args }) => ({ agent: nameOf(args.agent), ranking: unpackRanking(args.ranking, ballotSize) }));
  seen.same(byAgent(outcome.ballots), byAgent(ballots), "ballots");
  for (const [i, row] of outcome.pairwise.entries()) {
    seen.same(row.length, ballotSize, `pairwise, row ${i}`);
    for (const [j, count] of row.entries()) {
      seen.same(count, i === j ? 0 : await legislation.pairwise(session, i, j), `pairwise ${i} over ${j}`);
    }
  }
  seen.same([outcome.pairwise.length, outcome.law.candidates.length], [ballotSize, ballotSize], "entries on the ballot");
  const won = paper.indexOf(winner);
  const proposed = record.events("LegislativeProcedure", "Proposed").filter(({ args }) => args.session === session);
  const { winner: claimed } = outcome;
  seen.same([claimed?.entry, claimed?.letter, claimed?.title], [won, letterOf(won), document.document.title], "winner");
  for (const [index, { entry, letter, title, specHash, proposer, sponsors }] of outcome.law.candidates.entries()) {
    const candidate = await legislation.candidateOf(session, paper[index] ?? 0);
    const expected = [index, letterOf(index), candidate.specHash, index === 0 ? "" : nameOf(candidate.proposer), candidate.sponsors];
    seen.same([entry, letter, specHash, proposer, sponsors], expected, `candidate at entry ${index}`);
    const cid = proposed.find(({ args }) => args.candidate === paper[index])?.args.cid;
    const stated = index === 0 || cid === undefined ? "no law" : missionDocumentSchema.parse(block(contentIdFromDigest(cid))).title;
    seen.same(title, stated, `title at entry ${index}`);
  }
}

function byAgent(ballots: Outcome["ballots"]): Outcome["ballots"] {
  return ballots.toSorted((a, b) => (a.agent < b.agent ? -1 : 1));
}

async function market({ outcome, client, mission, record, history, law }: AuditContext, seen: Inspection): Promise<void> {
  const placed = record.events("ExecutionProcedure", "BidPlaced").filter(({ args }) => args.mission === mission);
  const won = placed.filter(({ args }) => history.slots.some(({ node, agent }) => node === args.node && agent === args.agent));
  const [fairness] = await client.execution.fairnessOf(mission);
  const expected = {
    tasks: law.nodes.filter(({ leaf }) => leaf).length,
    bids: placed.length,
    fairness,
    minFairness: await client.constitution.param(parameterIndex("MIN_FAIRNESS_SCORE")),
    stakeLocked: won.reduce((sum, { args }) => sum + args.locked, 0n),
  };
  seen.same(outcome.market, expected, "market");
}

async function money({ outcome, client, mission, record, chain }: AuditContext, seen: Inspection): Promise<void> {
  const books = await client.mission(mission).ledger();
  for (const [name, amount] of Object.entries(outcome.money)) seen.same(amount, Reflect.get(books, name), `money: ${name}`);
  seen.same(outcome.settlement.closed, balances(outcome.money), "settlement's being closed");
  const slashed = record.events("CollaborationContract", "ExecutorFaulted").reduce((sum, { args }) => sum + args.slashed, 0n);
  seen.same(outcome.slashed, slashed, "slashed");
  let longest = 0;
  for (const { block, args } of record.events("CollaborationContract", "Recorded")) {
    const { timestamp } = await chain.publicClient.getBlock({ blockNumber: block });
    longest = Math.max(longest, args.claimableAt - Number(timestamp));
  }
  seen.same([outcome.settlement.appealWindow, outcome.settlement.advancedClock], [longest, longest > 0], "appeal window");
}

async function nodes(context: AuditContext, seen: Inspection): Promise<void> {
  const { outcome, client, mission, law, document, history, record, nameOf } = context;
  const contract = client.mission(mission);
  const services = new Map(record.events("ServiceContract", "ServiceRegistered").map(({ args }) => [args.service, soldAs(args)]));
  const faults = record.events("CollaborationContract", "ExecutorFaulted");
  seen.same(outcome.nodes.length, law.nodes.length, "number of nodes");
  for (const [number, stated] of outcome.nodes.entries()) {
    const node = await contract.nodeOf(number);
    const own = document.document.nodes[number];
    const expected = [own?.label, own?.task, law.nodes[number]?.tier, nodeStates[node.state], node.attempt + 1];
    seen.same([stated.label, stated.task, stated.tier, stated.state, stated.attempts], expected, `node ${number}`);
    seen.same(stated.verifiers, own?.verifiers, `${stated.label}: kinds of verifier`);
    const cleared = record.events("CollaborationContract", "Cleared").findLast(({ args }) => args.node === number);
    seen.same(stated.class, cleared === undefined ? "" : evidenceClasses[cleared.args.evidenceClass], `${stated.label}: evidence class`);
    const result = recordOf(context, "execution.result", [mission, number], resultSchema);
    const dissent = nodeStates[node.state] === "COMPLETED" ? result?.value.dissent.length : 0;
    seen.same(stated.dissent, dissent, `${stated.label}: items on which executors differ`);
    const bound = history.slots.filter((slot) => slot.node === number);
    seen.same(stated.executors.length, bound.length, `${stated.label}: number of executors`);
    for (const [index, executor] of stated.executors.entries()) {
      const slot = bound[index];
      if (slot === undefined) continue;
      const { paid } = await contract.entitlementOf(number, slot.slot);
      const lost = faults.filter(({ args }) => args.node === number && args.agent === slot.agent);
      const { fault: _fault, ...rest } = executor;
      const truth = {
        agent: nameOf(slot.agent),
        attempt: slot.attempt + 1,
        service: services.get(slot.service),
        price: slot.price,
        paid: slot.attempt === node.attempt ? paid : 0n,
        result: fateOf(slot, node),
        slashed: lost.reduce((sum, { args }) => sum + args.slashed, 0n),
      };
      seen.same(rest, truth, `${stated.label}: executor ${index}`);
    }
  }
}

async function gas({ outcome, client, record, mission, session, chain, family }: AuditContext, seen: Inspection): Promise<void> {
  const own = [session, ...outcome.law.past.map(({ session: former }) => BigInt(former))];
  const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => own.includes(args.session));
  const calls = await callsAbout(client, opened?.block ?? chain.head().number, treeOf(own, mission, family));
  const table = gasTable(calls, mission);
  seen.same(outcome.gasByStage, table.stages, "gas by stage");
  for (const [number, { label, gas: stated }] of outcome.nodes.entries())
    seen.same(stated, table.nodes.get(number) ?? 0, `gas of ${label}`);
}

async function reputations({ outcome, client, record, session, roles, nameOf }: AuditContext, seen: Inspection): Promise<void> {
  const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  const agents = record.events("ProducerContract", "AgentRegistered").map(({ args }) => args.agent);
  seen.same(outcome.reputations.map(({ agent }) => agent).sort(), agents.map(nameOf).sort(), "agents with a reputation");
  for (const { agent, before, after } of outcome.reputations) {
    const address = agents.find((each) => nameOf(each) === agent);
    if (address === undefined) continue;
    const start = roles.reputationBefore(address, opened?.at ?? 0n) / 1000n;
    seen.same([before, after], [start, await client.agents.reputationOf(address)], `reputation of ${agent}`);
  }
}

function humans({ outcome, record, mission, label, nameOf, bundle, hasBlock }: AuditContext, seen: Inspection): void {
  const actions = record.events("AdjudicationProcedure", "OverrideExecuted").filter(({ args }) => args.mission === mission);
  const expected = actions.map(({ args }) => {
    const justification = contentIdFromDigest(args.justification);
    const text = hasBlock(justification) ? bundle.text(blockFile(justification)) : undefined;
    return humanEntry(args.action, label(args.node), args.adjudicators.map(nameOf).join(", "), text);
  });
  seen.same(outcome.human, expected, "humans' decisions");
}

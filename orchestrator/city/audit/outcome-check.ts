import { agreementOf } from "../../clearing/judgement.ts";
import { nodeStates } from "../../execution/chain-view.ts";
import { resultSchema, workSchema } from "../../execution/work.ts";
import { contentIdOf, keccak256, parseContentId } from "../../primitives/hash.ts";
import { canonicalBytes, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import { balances, type Outcome } from "../../protocol/outcome.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import { BUNDLE_FILES, blockFile } from "../bundle-layout.ts";
import { callsSince, gasTable } from "../gas.ts";
import type { AuditContext } from "./context.ts";
import type { Check, Inspection } from "./inspection.ts";
import { recordOf } from "./works.ts";

const COMPLETED = 5;
const FAILED = 6;

/** `outcome.json` says what chain and records say. */
export const outcomeCheck: Check = {
  name: "OUTCOME",
  what: "status, law, ballots, pairwise, winner, nodes, executors, money, gas, reputations and final block against the chain",
  file: BUNDLE_FILES.outcome,
  async run(context, seen) {
    const { outcome, name, seed, session, mission, chain, client, bundle, law } = context;
    seen.same(outcome.name, name, "name");
    seen.same(outcome.seed, seed, "seed");
    seen.same(outcome.chainId, chain.id, "chain id");
    seen.same([outcome.mission, outcome.session], [mission, session], "mission and session");
    const state = await client.mission(mission).state();
    seen.same(outcome.status, state === COMPLETED ? "completed" : state === FAILED ? "failed" : "aborted", "status");
    seen.same([outcome.law.lawHash, outcome.law.fidelity], [law.hash, true], "law");
    const { number, hash } = chain.head();
    seen.same([outcome.finalBlock.number, outcome.finalBlock.hash], [number, hash], "final block");
    seen.same(outcome.report !== null, bundle.files.has(BUNDLE_FILES.report), "report's being there");
    await vote(context, seen);
    await moneyOf(context, seen);
    await nodes(context, seen);
    await gas(context, seen);
    humans(context, seen);
  },
};

async function vote({ outcome, client, session, nameOf, record, document }: AuditContext, seen: Inspection): Promise<void> {
  const { legislation } = client;
  const { ballotSize: entries, electorate, winner } = await legislation.sessionOf(session);
  const paper = await legislation.ballotOf(session);
  seen.same(outcome.law.producers, electorate, "electorate");
  const cast = record.events("LegislativeProcedure", "BallotCast").filter(({ args }) => args.session === session);
  const ballots = cast.map(({ args }) => ({ agent: nameOf(args.agent), ranking: unpackRanking(args.ranking, entries) }));
  seen.same(byAgent(outcome.ballots), byAgent(ballots), "ballots");
  for (const [i, row] of outcome.pairwise.entries()) {
    for (const [j, count] of row.entries())
      seen.same(count, i === j ? 0 : await legislation.pairwise(session, i, j), `pairwise ${i} over ${j}`);
  }
  seen.same([outcome.pairwise.length, outcome.law.candidates.length], [entries, entries], "entries on the ballot");
  seen.same(outcome.winner?.entry, paper.indexOf(winner), "winner");
  seen.same(outcome.winner?.title, document.document.title, "winner's title");
  for (const { entry, specHash, proposer, sponsors } of outcome.law.candidates) {
    const candidate = await legislation.candidateOf(session, paper[entry] ?? 255);
    const expected = [candidate.specHash, entry === 0 ? "" : nameOf(candidate.proposer), candidate.sponsors];
    seen.same([specHash, proposer, sponsors], expected, `candidate at entry ${entry}`);
  }
}

function byAgent(ballots: Outcome["ballots"]): Outcome["ballots"] {
  return ballots.toSorted((a, b) => (a.agent < b.agent ? -1 : 1));
}

async function moneyOf({ outcome, client, mission, record }: AuditContext, seen: Inspection): Promise<void> {
  const books = await client.mission(mission).ledger();
  for (const [name, amount] of Object.entries(outcome.money)) seen.same(amount, Reflect.get(books, name), `money: ${name}`);
  if (outcome.settlement.closed) seen.holds(balances(outcome.money), "money", "does not add up to the deposit");
  const slashed = record.events("CollaborationContract", "ExecutorFaulted").reduce((sum, { args }) => sum + args.slashed, 0n);
  seen.same(outcome.slashed, slashed, "slashed");
  const [fairness] = await client.execution.fairnessOf(mission);
  seen.same(outcome.market.fairness, fairness, "fairness");
}

async function nodes({ outcome, client, mission, law, document, history, record, nameOf }: AuditContext, seen: Inspection): Promise<void> {
  const contract = client.mission(mission);
  seen.same(outcome.nodes.length, law.nodes.length, "number of nodes");
  for (const [number, told] of outcome.nodes.entries()) {
    const node = await contract.nodeOf(number);
    const own = document.document.nodes[number];
    seen.same(
      [told.label, told.tier, told.state, told.attempts],
      [own?.label, own?.tier, nodeStates[node.state], node.attempt + 1],
      `node ${told.label}`,
    );
    const cleared = record.events("CollaborationContract", "Cleared").findLast(({ args }) => args.node === number);
    seen.same(told.class, cleared === undefined ? "" : evidenceClasses[cleared.args.evidenceClass], `${told.label}: evidence class`);
    const bound = history.slots.filter((slot) => slot.node === number);
    seen.same(
      told.executors.map(({ agent, price }) => [agent, price]),
      bound.map(({ agent, price }) => [nameOf(agent), price]),
      `${told.label}: executors`,
    );
    for (const [index, { agent, attempt, slot }] of bound.entries()) {
      const executor = told.executors[index];
      const paid = attempt === node.attempt ? (await contract.entitlementOf(number, slot)).paid : 0n;
      const faults = record
        .events("CollaborationContract", "ExecutorFaulted")
        .filter(({ args }) => args.node === number && args.agent === agent);
      const slashed = faults.reduce((sum, { args }) => sum + args.slashed, 0n);
      seen.same([executor?.paid, executor?.slashed], [paid, slashed], `${told.label}: what ${nameOf(agent)} was paid and lost`);
    }
  }
}

async function gas({ outcome, client, record, mission, session, chain, nameOf, roles }: AuditContext, seen: Inspection): Promise<void> {
  const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  const from = opened?.block ?? chain.head().number;
  const table = gasTable(await callsSince(client, from, mission));
  seen.same(outcome.gasByStage, table.stages, "gas by stage");
  for (const [number, { label, gas: told }] of outcome.nodes.entries()) seen.same(told, table.nodes.get(number) ?? 0, `gas of ${label}`);
  const agents = record.events("ProducerContract", "AgentRegistered").map(({ args }) => args.agent);
  for (const { agent, before, after } of outcome.reputations) {
    const address = agents.find((each) => nameOf(each) === agent);
    if (!seen.holds(address !== undefined, `reputation of ${agent}`, "is of nobody registered") || address === undefined) continue;
    const start = Number(roles.reputationBefore(address, opened?.at ?? 0n) / 1000n);
    seen.same([before, after], [start, await client.agents.reputationOf(address)], `reputation of ${agent}`);
  }
}

function humans({ outcome, record, mission, label, nameOf }: AuditContext, seen: Inspection): void {
  const actions = record.events("AdjudicationProcedure", "OverrideExecuted").filter(({ args }) => args.mission === mission);
  const expected = actions.map(({ args }) => [label(args.node), args.adjudicators.map(nameOf).join(", ")]);
  seen.same(
    outcome.human.map(({ node, adjudicator }) => [node, adjudicator]),
    expected,
    "humans' decisions",
  );
}

/** What each completed node handed on is what was committed, and the report is the output node's document. */
export const results: Check = {
  name: "RESULTS",
  what: "every node's result against its executors' committed outputs, and the report against the output node's",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const { bundle, document, client, mission, label } = context;
    const contract = client.mission(mission);
    let report: JsonValue | undefined;
    for (const own of document.document.nodes) {
      const node = await contract.nodeOf(own.number);
      if (nodeStates[node.state] !== "COMPLETED") continue;
      await seen.part(`result of ${label(own.number)}`, () => {
        const output = resultOf(context, seen, own, node);
        if (own.task === document.document.output.task && report === undefined) report = output?.["document"];
      });
    }
    const text = bundle.files.has(BUNDLE_FILES.report) ? bundle.text(BUNDLE_FILES.report) : undefined;
    seen.same(text, typeof report === "string" ? report : undefined, "report against the output node's document", BUNDLE_FILES.report);
  },
};

function resultOf(
  context: AuditContext,
  seen: Inspection,
  own: AuditContext["document"]["document"]["nodes"][number],
  node: { readonly attempt: number; readonly agreeing: number },
): JsonObject | undefined {
  const { mission, history, bundle, hasBlock, block } = context;
  const subject = `result of ${own.label}`;
  const record = recordOf(context, "execution.result", [mission, own.number], resultSchema);
  if (!seen.holds(record !== undefined, subject, "has no record in the log") || record === undefined) return undefined;
  const id = parseContentId(record.value.outputId);
  const file = blockFile(id);
  if (!seen.holds(hasBlock(id), subject, "is missing", file)) return undefined;
  seen.same(keccak256(bundle.bytes(file)), record.value.outputHash, `${subject}: hash`, blockFile(record.id));
  const works = history.executors(own.number, node.attempt).flatMap(({ attempt, slot, revealed }) => {
    const work = recordOf(context, "execution.work", [mission, own.number, attempt, slot], workSchema)?.value;
    if (revealed === undefined || work === undefined || !work.ok) return [];
    const output = block(parseContentId(work.outputId));
    return [{ slot, outputHash: revealed.outputHash, output: isObject(output) ? output : undefined, exhibits: [] }];
  });
  const agreeing = works.filter(({ slot }) => ((node.agreeing >> slot) & 1) === 1);
  const [first = works[0]] = agreeing;
  if (first?.output === undefined) return undefined;
  const merged =
    own.tier !== 2 || own.agree === null
      ? first.output
      : { ...first.output, items: plainItems(agreementOf(works, { ...own.agree, threshold: own.threshold }).items) };
  seen.same(id, contentIdOf(canonicalBytes(merged)), `${subject}: against what the executors committed`, file);
  const result = block(id);
  return isObject(result) ? result : undefined;
}

function plainItems(items: readonly object[]): JsonValue {
  return items.map((item) => Object.fromEntries(Object.entries(item)));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { type NodeView, viewNodes } from "../../execution/chain-view.ts";
import { waveSchema } from "../../execution/stages/checkpoint.ts";
import { resultOf } from "../../execution/work.ts";
import type { Mission } from "../../execution/world.ts";
import { contentIdFromDigest, parseContentId } from "../../primitives/hash.ts";
import type { Address } from "../../primitives/hex.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { balances, type Outcome, totalOf } from "../../protocol/outcome.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import { anchoringOf } from "../bundle/anchoring.ts";
import type { City } from "../city.ts";
import { membersOf, nameOf } from "../founding/society.ts";
import { humanEntry } from "../humans/verbs.ts";
import type { Conducted, Order } from "../missions/conduct.ts";
import { describeEpoch, executionOf } from "../missions/epochs.ts";
import { childrenOf, describeChild, moneyIn, moneyOfSession, statusOf, treeOf } from "../missions/family.ts";
import { answerKey } from "../world.ts";
import { type DescribedWork, describeWork, serviceNames, unreadableIn, type Worked } from "./describe-work.ts";
import { failureOf, noLawFailure } from "./failure.ts";
import { callsAbout, gasTable } from "./gas.ts";
import { letterOf } from "./letters.ts";

const POINTS = 1000;

/** Describes a conducted order from chain and records; nothing in it depends on the wall clock, or on where the city lies. */
export async function outcomeOf(
  city: City,
  { file, input }: Pick<Order, "file" | "input">,
  conducted: Conducted,
  paths: Pick<Outcome, "report" | "bundle">,
): Promise<Outcome> {
  const { law, mission, released } = conducted;
  const family = mission === undefined ? [] : await childrenOf(city.client, (id) => city.blocks.get(id), mission);
  const tree = treeOf([law.session, ...law.past.map(({ session }) => session)], mission?.address, family);
  const gas = gasTable(await callsAbout(city.client, conducted.fromBlock + 1n, tree), mission?.address);
  const winner = law.candidates[law.winner];
  const head = city.chain.head();
  const status = mission === undefined ? "no-law" : await statusOf(city.client, mission.address);
  const work = mission === undefined ? undefined : await describeWork(city.client, workedIn(city, mission));
  const nodes = await nodesOf(city, conducted, gas.nodes, work);
  const human = await humanOf(city, conducted);
  const epochs = await Promise.all(conducted.epochs.map((session) => describeEpoch(city.client, session)));
  return {
    status,
    name: file.mission,
    goal: file.goal,
    input: { kind: input.kind, items: conducted.items.length, unreadable: work?.unreadable ?? unreadableIn(conducted.items) },
    network: city.chain.name,
    chainId: city.chain.id,
    seed: city.seed,
    session: law.session.toString(),
    mission: mission?.address ?? null,
    law: {
      producers: law.electorate,
      principals: await principalsOf(city),
      candidates: law.candidates.map(({ entry, title, specHash, proposer, sponsors }) => ({
        entry,
        letter: letterOf(entry),
        title,
        specHash,
        proposer: proposer === null ? "" : nameOf(city.society, proposer),
        sponsors,
      })),
      lawHash: law.status === "deployed" ? law.lawHash : null,
      fidelity: law.status === "deployed" && (await city.client.mission(law.mission).lawHash()) === law.lawHash,
      past: law.past.map(({ session, end }) => ({ session: session.toString(), end })),
    },
    ballots: law.ballots.map(({ agent, ranking }) => ({ agent: nameOf(city.society, agent), ranking: [...ranking] })),
    pairwise: law.pairwise.map((row) => [...row]),
    winner:
      law.status === "deployed" && winner !== undefined
        ? { entry: winner.entry, letter: letterOf(winner.entry), title: winner.title }
        : null,
    metrics: law.metrics,
    execution: await executionOf(city.client, conducted.epochs),
    market: await marketOf(city, conducted),
    nodes,
    excluded: work?.excluded ?? [],
    epochs,
    children: await Promise.all(family.map((child) => describeChild(city.client, child))),
    hybrid: await hybridOf(city, conducted),
    human,
    settlement: await settlementOf(city, mission?.address),
    money: mission === undefined ? await moneyOfSession(city.client, law.session) : await moneyIn(city.client, mission.address),
    total: totalOf(epochs),
    slashed: (await slashesOf(city, mission?.address)).reduce((sum, { slashed }) => sum + slashed, 0n).toString(),
    gasByStage: gas.stages.map((row) => ({ ...row })),
    reputations: await reputationsOf(city, conducted.fromBlock),
    failure:
      law.status === "failed"
        ? noLawFailure(law)
        : await failureOf(city.client, law.mission, { status, nodes, released, human, epochs }, work?.ending),
    released,
    format: mission?.document.output.format ?? null,
    ...paths,
    finalBlock: { number: Number(head.number), hash: head.hash },
  };
}

/** Waves from the log, checkpoints from the chain. */
async function hybridOf({ client, log, blocks }: City, { mission }: Conducted): Promise<Outcome["hybrid"]> {
  const interval = mission?.document.anchorInterval;
  if (mission === undefined || interval === undefined) return null;
  const entries = await log.read({ kind: "execution.wave", subject: mission.address });
  const waves = entries.flatMap(({ content }) => (content === null ? [] : [waveSchema.parse(parseJsonBytes(blocks.get(content)))]));
  const events = await client.mission(mission.address).history("Checkpointed");
  const checkpoints = events.map(async ({ blockNumber, args: { previous, nodes } }) => {
    const { timestamp } = await client.chain.publicClient.getBlock({ blockNumber });
    return { previous, nodes, time: Number(timestamp) };
  });
  return anchoringOf(interval, waves, await Promise.all(checkpoints));
}

/** Adjudicators' acts on the mission, from the chain, with reasons; the justification shows whether a simulation decided. */
async function humanOf({ client, blocks, society }: City, { mission }: Conducted): Promise<Outcome["human"]> {
  if (mission === undefined) return [];
  const events = await client.adjudication.history("OverrideExecuted", { mission: mission.address });
  return events.map(({ args }) =>
    humanEntry(
      args.action,
      mission.document.nodes[args.node]?.label ?? String(args.node),
      args.adjudicators.map((address) => nameOf(society, address)).join(", "),
      new TextDecoder().decode(blocks.get(contentIdFromDigest(args.justification))),
    ),
  );
}

async function marketOf(city: City, { mission }: Conducted): Promise<Outcome["market"]> {
  const minFairness = Number(await city.client.constitution.param(parameterIndex("MIN_FAIRNESS_SCORE")));
  if (mission === undefined) return { tasks: 0, bids: 0, fairness: 0, minFairness, stakeLocked: "0" };
  const [score] = await city.client.execution.fairnessOf(mission.address);
  const bids = await city.client.execution.history("BidPlaced", { mission: mission.address });
  const won = await boundOf(city, mission.address);
  const locked = bids
    .filter(({ args }) => won.some(({ node, agent }) => node === args.node && agent === args.agent))
    .reduce((sum, { args }) => sum + args.locked, 0n);
  const tasks = mission.document.nodes.filter((node) => node.mission === undefined).length;
  return { tasks, bids: bids.length, fairness: Number(score), minFairness, stakeLocked: locked.toString() };
}

/** Every binding of an executor, in order. */
async function boundOf(city: City, mission: Address) {
  const events = await city.client.mission(mission).history("ExecutorBound");
  return events.map(({ args }) => args);
}

async function slashesOf(city: City, mission: Address | undefined) {
  if (mission === undefined) return [];
  const events = await city.client.mission(mission).history("ExecutorFaulted");
  return events.map(({ args }) => args);
}

/** A mission with the records that this city keeps of its work. */
function workedIn({ answers, blocks, log, society }: City, { address, document, items }: Mission): Worked {
  return {
    address,
    document,
    items,
    records: {
      recall: (kind, subjects, schema) => answers.recall(answerKey([kind, ...subjects]), schema),
      all: async (kind, schema) => {
        const entries = await log.read({ kind: `execution.${kind}`, subject: address });
        return entries.flatMap(({ content }) => (content === null ? [] : [schema.parse(parseJsonBytes(blocks.get(content)))]));
      },
      output: async (id) => {
        const content = parseContentId(id);
        return blocks.has(content) ? parseJsonBytes(blocks.get(content)) : undefined;
      },
    },
    nameOf: (agent) => nameOf(society, agent),
  };
}

async function nodesOf(
  city: City,
  { world, mission }: Conducted,
  gas: ReadonlyMap<number, number>,
  work: DescribedWork | undefined,
): Promise<Outcome["nodes"]> {
  if (world === undefined || mission === undefined || work === undefined) return [];
  const [views, bound, slashes, services] = await Promise.all([
    viewNodes(world, mission),
    boundOf(city, mission.address),
    slashesOf(city, mission.address),
    serviceNames(city.client),
  ]);
  const cleared = await city.client.mission(mission.address).history("Cleared");
  return Promise.all(
    views.map(async (view) => {
      const node = view.law.number;
      const last = cleared.map(({ args }) => args).findLast((args) => args.node === node);
      const worked = work.nodes[node];
      if (worked === undefined) throw new RangeError(`node ${node} is not described`);
      const executors = await Promise.all(
        bound
          .filter((binding) => binding.node === node)
          .map(async ({ agent, slot, service, price, attempt }, place) => {
            const slashed = slashes
              .filter((fault) => fault.node === node && fault.agent === agent)
              .reduce((sum, fault) => sum + fault.slashed, 0n);
            const paid = attempt === view.attempt ? (await city.client.mission(mission.address).entitlementOf(node, slot)).paid : 0n;
            return {
              agent: nameOf(city.society, agent),
              service: services.get(service) ?? service,
              attempt: attempt + 1,
              price: price.toString(),
              paid: paid.toString(),
              result: executorResult(view, slot, attempt),
              fault: worked.executors[place]?.fault ?? null,
              slashed: slashed.toString(),
            };
          }),
      );
      return {
        label: view.law.label,
        task: view.law.task,
        state: view.state,
        end: worked.end,
        tier: view.law.tier,
        ...(view.law.verifiers === undefined ? {} : { verifiers: view.law.verifiers }),
        gas: gas.get(node) ?? 0,
        attempts: view.attempt + 1,
        class: last === undefined ? "" : (evidenceClasses[last.evidenceClass] ?? ""),
        executors,
        failures: worked.failures,
        disagreement: worked.disagreement,
        output: worked.output,
        dissent: view.state === "COMPLETED" ? (await resultOf(world, mission, node)).dissent.length : 0,
      };
    }),
  );
}

function executorResult(view: NodeView, slot: number, attempt: number): Outcome["nodes"][number]["executors"][number]["result"] {
  if (attempt !== view.attempt || view.state === "FAILED") return "failed";
  if (view.state !== "COMPLETED") return "stopped";
  const own = view.slots.find((candidate) => candidate.slot === slot);
  if (own?.committed !== true) return "absent";
  return ((view.agreeing >> slot) & 1) === 1 ? "agreed" : "dissented";
}

async function settlementOf(city: City, mission: Address | undefined): Promise<Outcome["settlement"]> {
  if (mission === undefined) return { appealWindow: 0, advancedClock: false, closed: false };
  const recorded = await city.client.mission(mission).history("Recorded");
  const windows = await Promise.all(
    recorded.map(
      async ({ args, blockNumber }) => args.claimableAt - Number((await city.chain.publicClient.getBlock({ blockNumber })).timestamp),
    ),
  );
  const appealWindow = Math.max(0, ...windows);
  return { appealWindow, advancedClock: appealWindow > 0, closed: balances(await moneyIn(city.client, mission)) };
}

/** Number of principals of this city's producers, including external ones. */
async function principalsOf({ client }: City): Promise<number> {
  const registered = await client.agents.history("AgentRegistered");
  return new Set(registered.flatMap(({ args }) => (args.kind === KINDS.PRODUCER ? [args.principal] : []))).size;
}

/** Whole points before the session opened, from the events since, and now. */
async function reputationsOf(city: City, fromBlock: bigint): Promise<Outcome["reputations"]> {
  const changes = await city.client.agents.history("ReputationChanged", undefined, { fromBlock: fromBlock + 1n });
  const here = [...membersOf(city.society, "producer"), ...membersOf(city.society, "verifier")].map(({ account }) => account.address);
  const registered = (await city.client.agents.history("AgentRegistered")).map(({ args }) => args.agent);
  return Promise.all(
    [...here, ...registered.filter((agent) => !here.includes(agent))].map(async (agent) => {
      const first = changes.find(({ args }) => args.agent === agent);
      const after = Number(await city.client.agents.reputationOf(agent));
      return { agent: nameOf(city.society, agent), before: first === undefined ? after : Math.floor(first.args.previous / POINTS), after };
    }),
  );
}

import { z } from "zod";
import type { CatalogEntry } from "../../../services/catalog.ts";
import type { Judges } from "../../adjudication/judges.ts";
import { concludeChild, keepResult, openChild, outputNodes } from "../../execution/branches.ts";
import { isOver, missionState, type NodeView } from "../../execution/chain-view.ts";
import { endingOf, noteEnding } from "../../execution/ending.ts";
import { fieldsOf } from "../../execution/inputs/fields.ts";
import type { MissionInput } from "../../execution/inputs/read-input.ts";
import { modelsOf } from "../../execution/models/model-tool.ts";
import type { Outsiders } from "../../execution/seat.ts";
import { itemsDigest, readOutput, resultOf } from "../../execution/work.ts";
import type { Mission, RegisteredService, World } from "../../execution/world.ts";
import type { BarredLaw, ChildSession, PaidElsewhere } from "../../legislature/context.ts";
import type { LegislatureResult } from "../../legislature/result.ts";
import { openChatModel } from "../../minds/chat-model.ts";
import { GoalNotFeasible, NoPlan } from "../../minds/errors.ts";
import type { Mind } from "../../minds/mind.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { isObject, type JsonObject } from "../../primitives/json.ts";
import type { Progress } from "../../primitives/progress.ts";
import { TIER } from "../../primitives/tier.ts";
import { MAX_COLUMNS, type MissionDocument } from "../../protocol/mission-document.ts";
import { isPlanned, type MissionFile, type MissionTask } from "../../protocol/mission-file.ts";
import { fileOfPlan } from "../../protocol/mission-plan.ts";
import type { Tamper } from "../../seats/local.ts";
import type { City } from "../city.ts";
import { type Offer, offersOf, registeredService, registerServices } from "../founding/services.ts";
import { memberOf, membersOf } from "../founding/society.ts";
import { lieAbout, worldOf } from "../world.ts";
import { requireShortChain } from "./embedded-limit.ts";
import { type Epoch, nextEpoch } from "./epochs.ts";
import { execute } from "./execute.ts";
import { legislate, requireLaw, type SessionRequest } from "./legislate.ts";
import { type MindMaker, mindsOf } from "./minds.ts";
import { requireNamedGates } from "./named-gates.ts";
import { requireOfferedKinds } from "./offered-kinds.ts";
import { reconcile } from "./reconcile.ts";
import { startBlockOf } from "./start-block.ts";
import { tryServices } from "./trial.ts";

/** A mission to be made law, executed and paid. */
export interface Order {
  readonly file: MissionFile;
  /** The mission's input, already read: a bad one costs nothing. */
  readonly input: MissionInput;
  /** The city's services and the mission's own. */
  readonly catalog: readonly CatalogEntry[];
  /** Identifies this run across restarts: the same id resumes where it stopped. */
  readonly id: string;
  /** Decides cases that need a human. */
  readonly judge: Judges;
  /** Payment by an external sponsor, and its block. Default: the city's own sponsor pays. */
  readonly sponsor?: PaidElsewhere & { readonly block: bigint };
  /** External members, who vote, bid, work, issue and judge like all others. */
  readonly outsiders?: Outsiders;
  /** Creates the producers' minds. Default: heuristic ones. */
  readonly makeMind?: MindMaker;
  /** Demonstration: the first executor of the first checkable node hands in a false result. */
  readonly cheat?: boolean;
  /** Test: any other lie. */
  readonly tamper?: Tamper;
}

/** The result of an order; facts only, everything else can be read from chain and records. */
export interface Conducted {
  /** The last law that was made; without any, the session that made none. */
  readonly law: LegislatureResult;
  /** The last session of each law, oldest first (AgentCity B.11.4); after `law`'s own, one that made none. */
  readonly epochs: readonly bigint[];
  /** Chain block before the session opened. */
  readonly fromBlock: bigint;
  readonly items: Mission["items"];
  readonly world: World | undefined;
  readonly mission: Mission | undefined;
  /** All work is complete, its output gate has ruled, and records and chain agree: the result is released. */
  readonly released: boolean;
  /** Outputs of its output nodes, if released. */
  readonly outputs: readonly JsonObject[];
}

/**
 * Leads a mission through the three branches: each hears of the others' work from the chain (decision 46). Where the chain finds its law
 * at fault, the unspent money goes into a session for another one; `replaced` is called first, with the mission that ended.
 */
export async function conduct(
  city: City,
  order: Order,
  replaced: (ended: Conducted) => Promise<void> = async () => undefined,
): Promise<Conducted> {
  const { file, id } = order;
  const { items, digest } = order.input;
  await requireNamedGates(city, file);
  requireOfferedKinds(city, file, order.outsiders);
  await city.answers.remember({ session: id, agent: "", step: "trial", round: 0 }, z.literal(true), async () => {
    // A mission of an external sponsor was checked when it was posted.
    if (order.sponsor === undefined) requireShortChain(city);
    await tryServices(city, order);
    return true;
  });
  // Before anything is paid: a model without a key would fail each run of its task.
  for (const model of modelsIn(file.tasks)) await openChatModel(model, city.environment);
  city.progress(`${file.mission}: ${items.length} items to work on`);
  const context = { city, order, minds: mindsOf(city, file, order.makeMind) };
  const first: MissionBrief = { id, file, items, digest, path: "" };
  const barred: BarredLaw[] = [];
  let conducted = await runLaw(context, first, []);
  for (;;) {
    const { law } = conducted;
    const epoch = law.status === "deployed" ? await nextEpoch(city, law, file.budget) : undefined;
    if (law.status === "failed" || epoch === undefined) return conducted;
    const { world, mission } = conducted;
    if (world !== undefined && mission !== undefined && (await endingOf(world, mission)) !== undefined) return conducted;
    if (order.sponsor !== undefined) {
      city.progress("the law is at fault; its unspent money went back to its sponsor, who alone can pay for another one");
      return conducted;
    }
    await replaced(conducted);
    await city.boundary("city:books-closed");
    barred.push({ specHash: law.specHash, shape: law.shape, plan: law.plan });
    const next = await relegislate(context, { first, epoch, former: conducted, continues: { mission: law.mission, barred } });
    if (next === undefined) return conducted;
    // Without another law, the order ends as the last one did.
    if (next.law.status === "failed") return { ...conducted, epochs: next.epochs };
    conducted = next;
  }
}

/** Runs one law, from its session to the release of its result. */
async function runLaw(context: OrderContext, brief: MissionBrief, past: readonly bigint[]): Promise<Conducted> {
  const { city, order } = context;
  const fromBlock = order.sponsor === undefined ? await startBlockOf(city, brief.id) : order.sponsor.block - 1n;
  const { law, world, mission, agrees } = await runMission(context, brief);
  const epochs = [...past, law.session];
  const nothing = {
    law,
    epochs,
    fromBlock,
    items: brief.items,
    world: undefined,
    mission: undefined,
    released: false,
    outputs: [],
  };
  if (law.status === "failed" || world === undefined || mission === undefined) return nothing;
  const released = agrees === true && (await isReleased(city, order, world, mission));
  return { ...nothing, world, mission, released, outputs: released ? await outputsOf(world, mission) : [] };
}

interface Relegislation {
  readonly first: MissionBrief;
  readonly epoch: Epoch;
  readonly former: Conducted;
  readonly continues: NonNullable<MissionBrief["continues"]>;
}

/** Full re-legislation: the same goal, another law, with the money the last one did not spend. Undefined if that is too little for a law. */
async function relegislate(context: OrderContext, { first, epoch, former, continues }: Relegislation): Promise<Conducted | undefined> {
  const { number, deposit } = epoch;
  const { progress } = context.city;
  progress(
    `the law is at fault (its executors could not agree): agents vote on law ${number + 1}, with the ${formatMoney(deposit)} of ${formatMoney(first.file.budget)} tokens that were not spent`,
  );
  try {
    const brief = { ...first, id: `${first.id}/epoch-${number}`, file: { ...first.file, budget: deposit }, continues };
    return await runLaw(context, brief, former.epochs);
  } catch (error) {
    if (!(error instanceof GoalNotFeasible || error instanceof NoPlan)) throw error;
    progress(`no law can be made with what is left: ${error.message}`);
    return undefined;
  }
}

/**
 * Whether the result may be released: only if all work is complete, its output gate has ruled, and records and chain agree (INVARIANT 1).
 */
async function isReleased(city: City, { judge }: Order, world: World, mission: Mission): Promise<boolean> {
  const agrees = await reconcile(city, judge, world, mission, { name: "output-release" });
  return agrees && (await missionState(world, mission)) === "COMPLETED";
}

/** Shared by all missions of an order. */
interface OrderContext {
  readonly city: City;
  readonly order: Order;
  readonly minds: ReadonlyMap<string, Mind>;
}

/** The subject of one mission: the order itself, or a node of another mission. */
interface MissionBrief {
  /** Names its sessions, answers and intents across restarts. */
  readonly id: string;
  readonly file: MissionFile;
  readonly items: Mission["items"];
  readonly digest: Hash;
  /** Labels of the nodes it is below, for people; empty for the order itself. */
  readonly path: string;
  readonly child?: ChildSession;
  /** The mission whose law failed, and all failed laws, which may not be proposed again. */
  readonly continues?: { readonly mission: Address; readonly barred: readonly BarredLaw[] };
}

interface MissionRun {
  readonly law: LegislatureResult;
  /** Records and chain agree about its work, or humans accepted the difference. */
  readonly agrees?: boolean;
  readonly world?: World;
  readonly mission?: Mission;
}

/** Runs one mission from its session to its last payment, with its children. */
async function runMission(context: OrderContext, brief: MissionBrief): Promise<MissionRun> {
  const { city, order, minds } = context;
  const { file, id, items, digest, child, continues, path } = brief;
  // Only the tasks of the mission that was asked for are counted.
  const progress: Progress = (line, done) => (path === "" ? city.progress(line, done) : city.progress(`${path}: ${line}`));
  const law = await legislate(city, {
    file,
    id,
    services: order.catalog,
    inputs: inputsOf(file, { items, digest }),
    minds,
    outsiders: order.outsiders?.workers,
    judge: order.judge,
    child,
    sponsor: order.sponsor,
    parent: continues?.mission,
    barred: continues?.barred,
  });
  if (law.status === "failed") {
    progress(`no law: ${law.reason}`);
    return { law };
  }
  progress(`law "${law.document.title}" won the vote and is deployed at ${law.mission}`);
  const tamper = order.cheat === true && child === undefined ? tamperOnce(law.document) : order.tamper;
  const own = worldOf(city, minds, await servicesFor(context, brief, law.document), tamper);
  const { workers, verifiers, issuers } = order.outsiders ?? NO_OUTSIDERS;
  const world = {
    ...own,
    workers: [...own.workers, ...workers],
    verifiers: [...own.verifiers, ...verifiers],
    issuers: [...own.issuers, ...issuers],
    progress,
  };
  const mission: Mission = {
    address: law.mission,
    sponsor: order.sponsor?.address ?? memberOf(city.society, "sponsor").account.address,
    document: law.document,
    items,
  };
  const agrees = await execute(city, world, mission, {
    law,
    judge: order.judge,
    runChild: (view) => runChildMission(context, brief, world, mission, view),
    isOrphan: async () => child !== undefined && isOver(await missionState(world, { address: child.mission })),
  });
  return { law, world, mission, agrees };
}

/** Throws a named error if no law could result from an order; called before an external sponsor pays. */
export async function requirePassable(city: City, order: Order): Promise<void> {
  const { file, id, input, catalog, judge, sponsor } = order;
  await requireNamedGates(city, file);
  requireOfferedKinds(city, file, order.outsiders);
  const minds = mindsOf(city, file, order.makeMind);
  const outsiders = order.outsiders?.workers;
  await requireLaw(city, { file, id, services: catalog, inputs: inputsOf(file, input), minds, outsiders, judge, sponsor });
}

/** A session's view of its mission's input. */
function inputsOf(file: MissionFile, { items, digest }: Pick<Mission, "items"> & { readonly digest: Hash }): SessionRequest["inputs"] {
  return { count: items.length, digest, ...columnsIn(items), ...(isPlanned(file) ? {} : { fields: fieldsOf(items) }) };
}

/** A table's columns in their own order, as read. Items from external sponsors have none. */
function columnsIn([first]: Mission["items"]): { readonly columns?: readonly string[] } {
  const columns = isObject(first?.["fields"]) ? Object.keys(first["fields"]) : [];
  return columns.length === 0 || columns.length > MAX_COLUMNS ? {} : { columns };
}

/**
 * The services that a law names, and those of the missions below it: unused services are neither bundled nor registered. Missions below
 * find theirs registered.
 */
async function servicesFor(
  { city, order }: OrderContext,
  { file, child }: MissionBrief,
  { nodes }: MissionDocument,
): Promise<readonly RegisteredService[]> {
  const named = new Set([...nodes.flatMap(({ services }) => services), ...servicesIn(file.tasks)]);
  const offers = await offersOf(
    membersOf(city.society, "producer"),
    order.catalog.filter(({ id }) => named.has(id)),
  );
  const sold = offers.map((offer) => ({ owner: offer.seller.account, service: registeredService(offer) }));
  if (child === undefined) {
    await registerServices(
      city.client,
      sold.map(({ owner, service: { record } }) => ({ owner, record })),
    );
  }
  return [...sold.map(({ service }) => service), ...(await externalOffers(city, order, offers))];
}

const NO_OUTSIDERS: Outsiders = { workers: [], verifiers: [], issuers: [] };

/** The same code as registered for sale by external members, so that it can be re-executed here. */
async function externalOffers({ client }: City, order: Order, offers: readonly Offer[]): Promise<readonly RegisteredService[]> {
  const catalogue = new Map(offers.map(({ entry, bundle }) => [entry.id, { entry, bundle }]));
  const asSold = (order.outsiders ?? NO_OUTSIDERS).workers.flatMap((seller) =>
    [...catalogue.values()].map((each) => registeredService({ ...each, seller })),
  );
  const live = await Promise.all(asSold.map(({ id }) => client.services.isLive(id)));
  return asSold.filter((_, at) => live[at]);
}

/** Every chat model that tasks ask, by name. */
export function modelsIn(tasks: readonly MissionTask[]): readonly string[] {
  return tasks.flatMap((task) => [...modelsOf(task), ...(task.plan === null ? [] : modelsIn(task.plan.tasks))]);
}

function servicesIn(tasks: readonly MissionTask[]): readonly string[] {
  return tasks.flatMap(({ services, plan }) => [...services, ...(plan === null ? [] : servicesIn(plan.tasks))]);
}

/**
 * Runs a node that is a mission of its own: its session is opened with the node's money, it runs through the same branches, and its result
 * is the node's (AgentCity 3.4, recursive decomposition). After a crash it resumes where it was.
 */
async function runChildMission(context: OrderContext, above: MissionBrief, world: World, mission: Mission, view: NodeView): Promise<void> {
  const { label, number, shard, task } = view.law;
  const plan = above.file.tasks.find(({ name }) => name === task)?.plan ?? null;
  if (plan === null) throw new AgentCityError("PlanUnknown", `${label} is a mission of its own, but the mission file has no tasks for it`);
  const loan = await openChild(world, mission, view);
  const items = shard === null ? [] : mission.items.slice(shard.from, shard.to);
  world.progress(`${label}: session ${loan.session} opened for a mission of its own, ${items.length} items`);
  const child = await runMission(context, {
    id: `${above.id}/${label}.${view.attempt + 1}`,
    file: fileOfPlan(above.file, plan, label, loan.amount),
    items,
    digest: itemsDigest(items),
    path: above.path === "" ? label : `${above.path}/${label}`,
    child: { session: loan.session, mission: mission.address, node: number, attempt: view.attempt },
  });
  if (child.mission !== undefined && child.agrees === true && (await missionState(world, child.mission)) === "COMPLETED") {
    await keepResult(world, mission, view, child.mission);
  }
  // A service that failed for every executor of the child would fail again in another session for the same node.
  const ending = child.mission === undefined ? undefined : await endingOf(world, child.mission);
  if (ending !== undefined) await noteEnding(world, mission, { ...ending, node: `${label}/${ending.node}` });
  await concludeChild(world, mission, view);
}

/** Falsifies one result: the first attempt of the first node that an issuer re-executes. */
function tamperOnce({ nodes }: MissionDocument): Tamper {
  const victim = nodes.find(({ tier }) => tier === TIER.RERUN) ?? nodes.find(({ tier }) => tier === TIER.HUMAN);
  return ({ label, attempt }, output) => (label === victim?.label && attempt === 0 ? lieAbout(output) : output);
}

function outputsOf(world: World, mission: Mission): Promise<readonly JsonObject[]> {
  return Promise.all(outputNodes(mission).map(async ({ number }) => readOutput(world, (await resultOf(world, mission, number)).outputId)));
}

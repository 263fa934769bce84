import { z } from "zod";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import type { Judge } from "../adjudication/case.ts";
import type { Bench, Decision } from "../adjudication/rule.ts";
import { ruleOn } from "../adjudication/rule.ts";
import type { BlocJudge } from "../adjudication/rule-on-bloc.ts";
import { intentKey } from "../chain/outbox.ts";
import { isStaffed, missionState, type NodeView, viewNodes } from "../execution/chain-view.ts";
import type { MissionInput } from "../execution/inputs/read-input.ts";
import { runMarket } from "../execution/market.ts";
import { runMission, timeout } from "../execution/run-mission.ts";
import { isObject, readOutput, resultOf } from "../execution/work.ts";
import type { Mission, World } from "../execution/world.ts";
import type { LegislatureResult } from "../legislature/result.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import type { MissionFile } from "../protocol/mission-file.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import { caseOf } from "./case-file.ts";
import type { City } from "./city.ts";
import { legislate } from "./legislate.ts";
import { type MindMaker, mindsOf } from "./minds.ts";
import { offersOf, registeredService, registerServices } from "./services.ts";
import { settle } from "./settle.ts";
import { memberOf, membersOf } from "./society.ts";
import { lieAbout, worldOf } from "./world.ts";

/** A mission to be made law, executed and paid. */
export interface Order {
  readonly file: MissionFile;
  /** The mission's input, already read: a bad one costs nothing. */
  readonly input: MissionInput;
  /** The city's services and the mission's own. */
  readonly catalog: readonly CatalogEntry[];
  /** Names this run across restarts: the same id goes on where it stopped. */
  readonly id: string;
  /** Who decides cases that need a human. */
  readonly judge: Judge & BlocJudge;
  /** Whose minds the producers have; heuristic ones by default. */
  readonly makeMind?: MindMaker;
  /** Demonstration: the first executor of the first checkable node hands in a lie. */
  readonly cheat?: boolean;
  /** Test: any other lie. */
  readonly tamper?: World["tamper"];
}

/** What became of an order; facts only, everything else can be read from chain and records. */
export interface Conducted {
  readonly law: LegislatureResult;
  /** Chain block before the session opened. */
  readonly fromBlock: bigint;
  readonly items: Mission["items"];
  readonly world: World | undefined;
  readonly mission: Mission | undefined;
  /** The document that the mission's output node wrote, if it wrote one. */
  readonly report: string | undefined;
}

/** Leads a mission through the three branches: each hears of the others' work from the chain (decision 46). */
export async function conduct(city: City, order: Order): Promise<Conducted> {
  const { file, id } = order;
  const { items, digest } = order.input;
  const offers = await offersOf(membersOf(city.society, "producer"), order.catalog);
  const own = offers.filter(({ entry }) => !CATALOG.includes(entry));
  await registerServices(
    city.client,
    own.map((offer) => ({ owner: offer.seller.account, record: registeredService(offer).record })),
  );
  city.tell(`${file.mission}: ${items.length} inputs`);
  const fromBlock = await city.answers.remember({ session: id, agent: "", step: "from-block", round: 0 }, decimalSchema, async () =>
    city.chain.head().number.toString(),
  );
  const minds = mindsOf(city, file, order.makeMind);
  const law = await legislate(city, {
    file,
    id,
    services: order.catalog,
    inputs: { count: items.length, digest },
    minds,
    judge: order.judge,
  });
  const nothing = { law, fromBlock: BigInt(fromBlock), items, world: undefined, mission: undefined, report: undefined };
  if (law.status === "failed") return nothing;
  city.tell(`law ${law.lawHash.slice(0, 10)}…: "${law.document.title}" deployed at ${law.mission}`);
  const world = worldOf(city, minds, offers.map(registeredService), order.cheat === true ? liar(law.document) : order.tamper);
  const mission: Mission = {
    address: law.mission,
    sponsor: memberOf(city.society, "sponsor").account.address,
    document: law.document,
    items,
  };
  await execute(city, order, world, mission);
  return { ...nothing, world, mission, report: await reportOf(world, mission) };
}

const decimalSchema = z.string().regex(/^\d+$/);

/** Lies once, at the first attempt of the first node whose work is run again by an issuer. */
function liar({ nodes }: MissionDocument): World["tamper"] {
  const victim = nodes.find(({ tier }) => tier === 1) ?? nodes.find(({ tier }) => tier === 3);
  return ({ label, attempt }, output) => (label === victim?.label && attempt === 0 ? lieAbout(output) : output);
}

/** Market, waves, humans and further attempts until the mission is over, then settlement. */
async function execute(city: City, order: Order, world: World, mission: Mission): Promise<void> {
  const terms = { stakes: await stakesOf(city), barred: [mission.sponsor] };
  await runMarket(world, mission, (await viewNodes(world, mission)).filter(awaitsBids), terms);
  for (;;) {
    const halt = await runMission(world, mission);
    if (halt.kind === "done" || halt.kind === "ended") break;
    if (halt.kind === "review") {
      for (const view of halt.nodes) {
        const subject = await caseOf(world, mission, view);
        city.tell(`${view.law.label}: waits for a human (${subject.reason})`);
        const decision = await ruleOn(benchOf(city, order.judge), subject);
        city.tell(`${view.law.label}: ${decision.simulated ? "SIMULATED " : ""}${decision.adjudicator} ${pastTense(decision.ruling)}`);
      }
      continue;
    }
    if (halt.kind === "stopped") {
      await endStopped(world, mission);
      break;
    }
    const reopened: NodeView[] = [];
    for (const view of halt.nodes) if (await reopen(world, mission, view)) reopened.push(view);
    if (reopened.length === 0) {
      await abort(world, mission);
      break;
    }
    const numbers = new Set(reopened.map(({ law }) => law.number));
    await runMarket(
      world,
      mission,
      (await viewNodes(world, mission)).filter(({ law }) => numbers.has(law.number)),
      terms,
    );
  }
  await settle(city, world, mission);
  city.tell(`settled: ${await missionState(world, mission)}`);
}

/** Another attempt for a failed or unwanted node; false when there is none left (AgentCity 3.5, adaptive refinement). */
async function reopen(world: World, mission: Mission, view: NodeView): Promise<boolean> {
  const { params } = await world.client.mission(mission.address).context();
  if (view.attempt >= params.maxRefinementIterations) return false;
  await world.client
    .mission(mission.address)
    .reopen([view.law.number], { intent: intentKey("reopen", mission.address, view.law.number, view.attempt) });
  world.tell(`${view.law.label}: reopened for attempt ${view.attempt + 2}`);
  return true;
}

/** Ends a mission that cannot reach its goal: at once when a node is out of attempts, else when its time is over (decision 24). */
async function abort(world: World, mission: Mission): Promise<void> {
  const contract = world.client.mission(mission.address);
  for (const view of await viewNodes(world, mission)) {
    // A node nobody wanted fails by its own timeout: that is what exhausts its attempts.
    if (view.state === "ELIGIBLE" && !isStaffed(view)) await timeout(world, mission, view);
  }
  const isExhausted = (await viewNodes(world, mission)).some(({ state }) => state === "FAILED");
  if (!isExhausted) await world.client.chain.clock.sleepUntil(BigInt(await contract.expiresAt()) + 1n);
  await contract.abort([], { intent: intentKey("abort", mission.address) });
  world.tell("mission ended before its goal: what was not earned goes back to the sponsor");
}

/** A stop that nobody clears ends with the mission's time: what was not earned goes back (decision 24). */
async function endStopped(world: World, mission: Mission): Promise<void> {
  world.tell("EMERGENCY STOP: too many freezes; only adjudicators can let this mission go on");
  const contract = world.client.mission(mission.address);
  await world.client.chain.clock.sleepUntil(BigInt(await contract.expiresAt()) + 1n);
  await contract.abort([], { intent: intentKey("abort", mission.address) });
  world.tell("mission ended stopped: what was not earned goes back to the sponsor");
}

function awaitsBids(view: NodeView): boolean {
  return !isStaffed(view) && (view.state === "ELIGIBLE" || view.state === "WAITING");
}

function benchOf({ client, society, blocks }: City, judge: Judge): Bench {
  return { client, judge, seats: membersOf(society, "adjudicator"), keep: (text) => blocks.put(text) };
}

async function stakesOf({ client }: City): Promise<readonly [bigint, bigint, bigint]> {
  const stake = (name: "MIN_STAKE_LOW" | "MIN_STAKE_MEDIUM" | "MIN_STAKE_HIGH") => client.constitution.paramInUnits(parameterIndex(name));
  return [await stake("MIN_STAKE_LOW"), await stake("MIN_STAKE_MEDIUM"), await stake("MIN_STAKE_HIGH")];
}

async function reportOf(world: World, mission: Mission): Promise<string | undefined> {
  const nodes = await viewNodes(world, mission);
  const node = nodes.find(({ law, state }) => law.task === mission.document.output.task && state === "COMPLETED");
  if (node === undefined) return undefined;
  const output = await readOutput(world, (await resultOf(world, mission, node.law.number)).outputId);
  const text = isObject(output) ? output["document"] : undefined;
  return typeof text === "string" ? text : undefined;
}

function pastTense(ruling: Decision["ruling"]): string {
  return ruling === "approve" ? "approved" : "rejected";
}

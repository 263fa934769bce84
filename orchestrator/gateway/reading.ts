import { z } from "zod";
import { queueOf } from "../city/humans/case-queue.ts";
import { isOver, missionState, type NodeStateName, nodeStates } from "../execution/chain-view.ts";
import { signedItemSchema } from "../execution/evidence.ts";
import type { Secrecy, StreamEvent, Withholding } from "../hub/view.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { parseJsonBytes } from "../primitives/json.ts";
import { Recent } from "../primitives/recent.ts";
import { isForEverybody, mayRead, objectOfRecord, type Progress, type Reader, type ReadObject } from "../protocol/read-access.ts";
import type { Visibility } from "../protocol/visibility.ts";
import type { WaitingCase } from "../protocol/waiting-case.ts";
import type { Caller, FrontWorld, World } from "./command.ts";

/** A mission, or a node of it. */
interface Subject {
  readonly mission: Address;
  readonly missionId: Hash;
  /** Null: the mission as a whole. */
  readonly node: number | null;
}

const objectOf = ({ record, name }: StreamEvent): ReadObject => (record === null ? "law" : objectOfRecord(name));
const OVER: Progress = { isOver: true, isRevealed: true };

/** What has to be read to tell who may read. */
type ReadableByAll = Pick<World, "client" | "hub" | "laws">;
type Readable = ReadableByAll & Pick<FrontWorld, "blocks" | "dir" | "missions">;

/** Missions whose parts one question holds at a time: a search for words goes through thousands of events. */
const MOST = 32;

/** What decides about a mission for everybody. */
interface Terms {
  readonly isOver: boolean;
  readonly visibility: Visibility;
}

/** A payload that nothing withholds; undefined for any other, and for one that is not here. */
export async function payloadFor({ hub }: Pick<World, "hub">, id: ContentId, isWithheld: Withholding): Promise<Uint8Array | undefined> {
  const named = await hub.eventsWithPayload(id);
  // An id that nobody knows is looked up like a withheld one: the time does not tell which it was.
  if (named.length === 0) for (const event of (await hub.query(SOME_WORK)).events) await isWithheld(event);
  let isOpen = false;
  for (const event of named) isOpen ||= !(await isWithheld(event));
  return isOpen ? hub.payload(id) : undefined;
}

/** The newest record of work in the city. */
const SOME_WORK = { name: "execution.work", newest: true, limit: 1 } as const;

/** A payload that everybody may read. */
export function openPayload(world: ReadableByAll, id: ContentId): Promise<Uint8Array | undefined> {
  return payloadFor(world, id, withholding(world));
}

/** Terms of missions, each read once for one question. */
function termsIn(world: ReadableByAll): (mission: Address) => Promise<Terms> {
  const read = new Recent<Terms>(MOST, () => 1);
  return (mission) =>
    read.of(mission, async () => {
      const [state, visibility] = await Promise.all([missionState(world, { address: mission }), world.laws.visibilityOf(mission)]);
      return { isOver: isOver(state), visibility };
    });
}

/** How secret each event's payload is now. */
export function secrecyIn(world: ReadableByAll, termsOf = termsIn(world)): (event: StreamEvent) => Promise<Secrecy> {
  return async (event) => {
    const object = objectOf(event);
    if (object === "law") return "open";
    const mission = world.hub.missionWithId(event.missionId)?.mission ?? undefined;
    if (mission === undefined) return "until its mission is over";
    const { isOver: ended, visibility } = await termsOf(mission);
    if (!isForEverybody(object, visibility, OVER)) return "for ever";
    return isForEverybody(object, visibility, { isOver: ended, isRevealed: false }) ? "open" : "until its mission is over";
  };
}

/** Whether an event's payload is withheld from everybody. */
export function withholding(world: ReadableByAll, termsOf = termsIn(world)): Withholding {
  const secrecyOf = secrecyIn(world, termsOf);
  return async (event) => (await secrecyOf(event)) !== "open";
}

/** The same for whoever asks: what it is to a node opens more. */
export function withheldFrom(world: Readable, caller: Caller): Withholding {
  const termsOf = termsIn(world);
  const isClosed = withholding(world, termsOf);
  const { key } = caller;
  if (key === undefined) return isClosed;
  const partOf = partsOf(world, key, termsOf);
  return async (event) => {
    if (!(await isClosed(event))) return false;
    const { missionId, nodeId: node } = event;
    const mission = world.hub.missionWithId(missionId)?.mission ?? undefined;
    if (mission === undefined) return true;
    const { as, visibility, progress } = await partOf({ mission, missionId, node });
    return !mayRead(objectOf(event), visibility, progress, as);
  };
}

/** Whether somebody may read an object of a mission. */
export async function mayReadOf(world: Readable, { key }: Caller, object: ReadObject, subject: Subject): Promise<boolean> {
  if (key !== undefined) {
    const { as, visibility, progress } = await partsOf(world, key)(subject);
    return mayRead(object, visibility, progress, as);
  }
  const { isOver: ended, visibility } = await termsIn(world)(subject.mission);
  return isForEverybody(object, visibility, { isOver: ended, isRevealed: false });
}

/** What a key is to a node, and how far that is. */
interface Part {
  readonly as: ReadonlySet<Reader>;
  readonly visibility: Visibility;
  readonly progress: Progress;
}

/** What a key is to missions and their nodes, for one question: each mission is read once, whatever is asked of its nodes. */
function partsOf(world: Readable, key: Address, termsOf = termsIn(world)): (subject: Subject) => Promise<Part> {
  const missions = new Recent<(node: number | null) => Promise<Part>>(MOST, () => 1);
  let cases: Promise<readonly MissionCase[]> | undefined;
  const casesOf = () => {
    cases ??= casesFor(world, key);
    return cases;
  };
  return async (subject) => (await missions.of(subject.mission, () => partsIn(world, key, subject, { termsOf, casesOf })))(subject.node);
}

interface Shared {
  readonly termsOf: (mission: Address) => Promise<Terms>;
  readonly casesOf: () => Promise<readonly MissionCase[]>;
}

async function partsIn(
  world: Readable,
  key: Address,
  { mission, missionId }: Pick<Subject, "mission" | "missionId">,
  { termsOf, casesOf }: Shared,
): Promise<(node: number | null) => Promise<Part>> {
  const { client, laws, missions } = world;
  const contract = client.mission(mission);
  const [{ isOver: ended, visibility }, law, { sponsor }, known, cases] = await Promise.all([
    termsOf(mission),
    laws.of(mission),
    contract.context(),
    missions.read({ mission, missionId }),
    casesOf().then((all) => withoutConflict(world, key, mission, all)),
  ]);
  const bound = known.events.filter(({ name, primaryEntity }) => name === "CollaborationContract.ExecutorBound" && primaryEntity === key);
  const executed = new Set(bound.map(({ nodeId }) => nodeId));
  const stateOf = (node: number) => nodeStates[known.nodes[node]?.state ?? 0] ?? "WAITING";
  const records = (node: number, kind: string) => known.events.filter(({ name, nodeId }) => name === kind && nodeId === node);

  /** Whether evidence of this issuer is in an executor's envelope. */
  const hasVouched = (node: number) =>
    saysAny(world, records(node, "execution.evidence"), signedItemSchema.array(), (items) => items.some(({ issuer }) => issuer === key));

  /** Whether this verifier was drawn: for the attempt that the chain has now, or one that was cleared. */
  const wasDrawn = async (node: number) => {
    const isIn = ({ weights }: z.infer<typeof drawnSchema>) => Object.keys(weights).some((seat) => seat.split("/")[0] === key);
    if (saysAny(world, records(node, "execution.clearing"), drawnSchema, isIn)) return true;
    // Before the draw there is no panel, and the chain forgets the block of an old one.
    if (stateOf(node) !== "PENDING_VERIFICATION") return false;
    return (await contract.panelOf(node).catch((): readonly Address[] => [])).includes(key);
  };

  const parts = new Map<number | null, Promise<Part>>();
  async function make(node: number | null): Promise<Part> {
    const at = node === null ? "WAITING" : stateOf(node);
    // Outputs may be shown while others can still commit: whoever saw one then could hand it in.
    const isShown = node !== null && (known.nodes[node]?.revealMask ?? 0) !== 0;
    const isRevealed = DONE.includes(at) || (JUDGED.includes(at) && isShown);
    const successors = (law?.document.nodes ?? []).filter(({ after }) => node !== null && after.includes(node));
    const as: Readonly<Record<Reader, boolean>> = {
      sponsor: sponsor === key,
      executor: node !== null && executed.has(node),
      issuer: node !== null && hasVouched(node),
      verifier: node !== null && (await wasDrawn(node)),
      successor: successors.some(({ number }) => executed.has(number)),
      adjudicator: cases.some((each) => isAbout(each, node)),
    };
    return {
      as: new Set((Object.keys(as) as Reader[]).filter((reader) => as[reader])),
      visibility,
      progress: { isOver: ended, isRevealed },
    };
  }
  return (node) => {
    const part = parts.get(node) ?? make(node);
    parts.set(node, part);
    return part;
  };
}

const DONE: readonly NodeStateName[] = ["COMPLETED", "FAILED"];
const JUDGED: readonly NodeStateName[] = ["PENDING_VERIFICATION", "PENDING_REVIEW"];
const drawnSchema = z.object({ weights: z.record(z.string(), z.number()) });

/** Whether any of these records says so, as far as they are kept here. */
function saysAny<Content>(
  { blocks }: Pick<FrontWorld, "blocks">,
  records: readonly StreamEvent[],
  schema: z.ZodType<Content>,
  says: (content: Content) => boolean,
): boolean {
  return records.some(({ payloadCid }) => blocks.has(payloadCid) && says(schema.parse(parseJsonBytes(blocks.get(payloadCid)))));
}

/** A case about a mission, or a node of it. */
type MissionCase = Extract<WaitingCase, { readonly mission: string }>;

/** Cases about missions that wait, if this key has a seat. */
async function casesFor(world: Pick<World, "client" | "dir">, key: Address): Promise<readonly MissionCase[]> {
  if (!(await world.client.roster.isActive(key))) return [];
  const queue = await queueOf(world);
  return queue.flatMap(({ subject, current }) => (current && "mission" in subject ? [subject] : []));
}

/** Those about this mission, in which the key may sign. */
async function withoutConflict(
  { client }: Pick<World, "client">,
  key: Address,
  mission: Address,
  cases: readonly MissionCase[],
): Promise<readonly MissionCase[]> {
  const own = cases.filter((each) => each.mission === mission);
  return own.length > 0 && !(await client.roster.isConflicted(key, mission)) ? own : [];
}

const isAbout = (subject: MissionCase, node: number | null) => subject.kind === "suspension" || node === null || subject.node === node;

/** Whether a case about the node waits, and this key may sign for it. */
export async function judges(
  world: Pick<World, "client" | "dir">,
  key: Address,
  { mission, node }: Pick<Subject, "mission" | "node">,
): Promise<boolean> {
  const cases = await withoutConflict(world, key, mission, await casesFor(world, key));
  return cases.some((each) => isAbout(each, node));
}

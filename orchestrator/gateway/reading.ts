import { z } from "zod";
import { queueOf } from "../city/humans/case-queue.ts";
import { isOver, missionState, type NodeStateName, nodeStates } from "../execution/chain-view.ts";
import { signedItemSchema } from "../execution/evidence.ts";
import type { Secrecy, StreamEvent, Withholding } from "../hub/view.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { isForEverybody, mayRead, objectOfRecord, type Progress, type Reader, type ReadObject } from "../protocol/read-access.ts";
import type { Caller, FrontWorld, World } from "./command.ts";
import { payloadsOf, recordsOf } from "./payloads.ts";

/** A mission, or a node of it. */
interface Subject {
  readonly mission: Address;
  readonly missionId: Hash;
  /** Null: the mission as a whole. */
  readonly node: number | null;
}

const objectOf = ({ record, name }: StreamEvent): ReadObject => (record === null ? "law" : objectOfRecord(name));
const OVER: Progress = { isOver: true, isRevealed: true };

/** What is asked of missions again and again while one question is answered, each once. */
function once<Key, Value>(keyOf: (key: Key) => string, ask: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const asked = new Map<string, Promise<Value>>();
  return (key) => {
    const name = keyOf(key);
    const known = asked.get(name) ?? ask(key);
    asked.set(name, known);
    return known;
  };
}

/** How secret each event's payload is now. */
export function secrecyIn(world: World): (event: StreamEvent) => Promise<Secrecy> {
  const known = once<Address, { readonly isOver: boolean; readonly visibility: "public" | "parties" }>(String, async (mission) => ({
    isOver: isOver(await missionState(world, { address: mission })),
    visibility: await world.laws.visibilityOf(mission),
  }));
  return async (event) => {
    const object = objectOf(event);
    if (object === "law") return "open";
    const mission = world.hub.missionWithId(event.missionId)?.mission ?? undefined;
    if (mission === undefined) return "until its mission is over";
    const { isOver: ended, visibility } = await known(mission);
    if (!isForEverybody(object, visibility, OVER)) return "for ever";
    return isForEverybody(object, visibility, { isOver: ended, isRevealed: false }) ? "open" : "until its mission is over";
  };
}

/** Whether an event's payload is withheld from everybody. */
export function withholding(world: World): Withholding {
  const secrecyOf = secrecyIn(world);
  return async (event) => (await secrecyOf(event)) !== "open";
}

/** The same for whoever asks: what it is to a node opens more. */
export function withheldFrom(world: FrontWorld, caller: Caller): Withholding {
  const isClosed = withholding(world);
  const { key } = caller;
  if (key === undefined) return isClosed;
  const partOf = once<Subject, Part>(
    ({ mission, node }) => `${mission}/${node}`,
    (subject) => partIn(world, key, subject),
  );
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
export async function mayReadOf(world: FrontWorld, { key }: Caller, object: ReadObject, subject: Subject): Promise<boolean> {
  if (key !== undefined) {
    const { as, visibility, progress } = await partIn(world, key, subject);
    return mayRead(object, visibility, progress, as);
  }
  const [state, visibility] = await Promise.all([
    missionState(world, { address: subject.mission }),
    world.laws.visibilityOf(subject.mission),
  ]);
  return isForEverybody(object, visibility, { isOver: isOver(state), isRevealed: false });
}

/** What a key is to a node, and how far that is. */
interface Part {
  readonly as: ReadonlySet<Reader>;
  readonly visibility: "public" | "parties";
  readonly progress: Progress;
}

async function partIn(world: FrontWorld, key: Address, subject: Subject): Promise<Part> {
  const { client, laws, missions } = world;
  const { mission, node } = subject;
  const [state, visibility, law, { sponsor }, known] = await Promise.all([
    missionState(world, { address: mission }),
    laws.visibilityOf(mission),
    laws.of(mission),
    client.mission(mission).context(),
    missions.read(subject),
  ]);
  const now = node === null ? undefined : known.nodes[node];
  const at = nodeStates[now?.state ?? 0] ?? "WAITING";
  // Outputs may be shown while others can still commit: whoever saw one then could hand it in.
  const isRevealed = DONE.includes(at) || (JUDGED.includes(at) && (now?.revealMask ?? 0) !== 0);
  const successors = (law?.document.nodes ?? []).filter(({ after }) => node !== null && after.includes(node)).map(({ number }) => number);
  const [executed, isIssuer, isDrawn, isJudge] = await Promise.all([
    nodesOf(world, key, subject),
    vouchedFor(world, key, subject),
    sitsOn(world, key, subject),
    judges(world, key, subject),
  ]);
  const as: Readonly<Record<Reader, boolean>> = {
    sponsor: sponsor === key,
    executor: node !== null && executed.has(node),
    issuer: isIssuer,
    verifier: isDrawn,
    successor: successors.some((each) => executed.has(each)),
    adjudicator: isJudge,
  };
  return {
    as: new Set((Object.keys(as) as Reader[]).filter((reader) => as[reader])),
    visibility,
    progress: { isOver: isOver(state), isRevealed },
  };
}

const DONE: readonly NodeStateName[] = ["COMPLETED", "FAILED"];
const JUDGED: readonly NodeStateName[] = ["PENDING_VERIFICATION", "PENDING_REVIEW"];

const boundSchema = z.object({ node: z.number(), agent: addressSchema });

/** Nodes of the mission that were awarded to this agent. */
async function nodesOf(world: FrontWorld, agent: Address, { missionId }: Subject): Promise<ReadonlySet<number>> {
  const bound = await payloadsOf(world, { missionId, agent, name: "CollaborationContract.ExecutorBound" }, boundSchema);
  return new Set(bound.flatMap(({ args }) => (args.agent === agent ? [args.node] : [])));
}

/** Whether a record about the node says so. */
async function isRecorded<Content>(
  world: FrontWorld,
  { missionId, node: nodeId }: Subject,
  name: string,
  schema: z.ZodType<Content>,
  says: (content: Content) => boolean,
): Promise<boolean> {
  if (nodeId === null) return false;
  for await (const content of recordsOf(world, { missionId, nodeId, name }, schema)) if (says(content)) return true;
  return false;
}

/** Whether evidence of this issuer is in an executor's envelope. */
function vouchedFor(world: FrontWorld, issuer: Address, subject: Subject): Promise<boolean> {
  return isRecorded(world, subject, "execution.evidence", signedItemSchema.array(), (items) =>
    items.some((item) => item.issuer === issuer),
  );
}

/** Whether this verifier was drawn: for the attempt that the chain has now, or one that was cleared. */
async function sitsOn(world: FrontWorld, verifier: Address, subject: Subject): Promise<boolean> {
  const { mission, node } = subject;
  if (node === null) return false;
  const contract = world.client.mission(mission);
  const wasDrawn = ({ weights }: z.infer<typeof drawnSchema>) => Object.keys(weights).some((seat) => seat.split("/")[0] === verifier);
  if (await isRecorded(world, subject, "execution.clearing", drawnSchema, wasDrawn)) return true;
  // Before the draw there is no panel, and the chain forgets the block of an old one.
  const isDrawn = nodeStates[(await contract.nodeOf(node)).state] === "PENDING_VERIFICATION";
  return isDrawn && (await contract.panelOf(node).catch((): readonly Address[] => [])).includes(verifier);
}
const drawnSchema = z.object({ weights: z.record(z.string(), z.number()) });

/** Whether a case about the node waits, and this key may sign for it. */
export async function judges(world: World, key: Address, { mission, node }: Pick<Subject, "mission" | "node">): Promise<boolean> {
  const { roster } = world.client;
  if (!(await roster.isActive(key)) || (await roster.isConflicted(key, mission))) return false;
  const queue = await queueOf(world);
  return queue.some(({ subject, current }) => {
    if (!current || subject.kind === "bloc" || subject.kind === "petition" || subject.mission !== mission) return false;
    return subject.kind === "suspension" || node === null || subject.node === node;
  });
}

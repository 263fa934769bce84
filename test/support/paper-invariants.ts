import { expect } from "chai";
import { collaborationContractAbi } from "../../orchestrator/chain/abi/CollaborationContract.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { isSessionMessageBy } from "../../orchestrator/client/sign/session-message.ts";
import { missionStates, nodeStates } from "../../orchestrator/execution/chain-view.ts";
import { heldSchema } from "../../orchestrator/execution/output-buffer.ts";
import type { Address, ContentId } from "../../orchestrator/primitives/hex.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { field } from "../../orchestrator/primitives/values.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { decodeLaw, type LawNode } from "../../orchestrator/rules/law-codec.ts";

/** States that a node reaches only after everything before it is complete. */
const BEGUN = ["ELIGIBLE", "EXECUTING", "PENDING_VERIFICATION", "PENDING_REVIEW", "COMPLETED"];
/** `ClearingResult.PASS`. */
const PASS = 1;

/**
 * INVARIANTS 1–5 of the paper (AgentCity B.11.5) over the whole history of a mission and everything its city wrote down, not its
 * end alone. Called after every scenario and every fault.
 */
export async function expectPaperInvariants(city: City, { mission: own, released, epochs }: Outcome): Promise<void> {
  for (const { mission } of epochs) {
    if (mission !== null) expect(await brokenInvariants(city, mission as Address, mission === own && released)).to.deep.equal([]);
  }
}

/** What is broken, in words; nothing when all five hold. */
async function brokenInvariants(city: City, mission: Address, isReleased: boolean): Promise<readonly string[]> {
  const told = await eventsOf(city, mission);
  const { nodes } = decodeLaw(await city.client.mission(mission).law());
  return [
    ...releaseAndOrder(told, nodes, isReleased),
    ...proofs(told, nodes),
    ...(await escrow(city, mission, told, nodes)),
    ...(await freezes(city, mission, told)),
  ];
}

type Told = Awaited<ReturnType<typeof eventsOf>>;
function eventsOf(city: City, address: Address) {
  return city.chain.publicClient.getContractEvents({ address, abi: collaborationContractAbi, fromBlock: 0n });
}

const isBefore = (nodes: readonly LawNode[], before: number, node: number) =>
  (((nodes[node]?.predecessors ?? 0n) >> BigInt(before)) & 1n) === 1n;

/** 1: the output leaves only a complete mission whose gate spoke. 2: no node begins before those before it are complete. */
function releaseAndOrder(told: Told, nodes: readonly LawNode[], isReleased: boolean): string[] {
  const broken: string[] = [];
  const states: string[] = nodes.map(() => "WAITING");
  let isComplete = false;
  let isAllowed = false;
  for (const event of told) {
    if (event.eventName === "OutputDecided") isAllowed = event.args.allowed === true;
    if (event.eventName === "MissionStateChanged") isComplete = missionStates[event.args.to ?? 0] === "COMPLETED";
    if (event.eventName === "MissionStateChanged" && isComplete && (!isAllowed || states.some((state) => state !== "COMPLETED")))
      broken.push("INVARIANT 1: the mission is complete before its gate and all its nodes are");
    if (event.eventName !== "NodeStateChanged") continue;
    const node = event.args.node ?? 0;
    const state = nodeStates[event.args.to ?? 0] ?? "?";
    states[node] = state;
    for (const [before, other] of states.entries())
      if (BEGUN.includes(state) && isBefore(nodes, before, node) && other !== "COMPLETED")
        broken.push(`INVARIANT 2: node ${node} is ${state} while node ${before}, before it, is ${other}`);
  }
  if (isReleased && !(isComplete && isAllowed)) broken.push("INVARIANT 1: the output was handed out by a mission that is not complete");
  return broken;
}

/** 5: whatever completes was cleared, approved by a human, or is the work of a mission of its own. */
function proofs(told: Told, nodes: readonly LawNode[]): string[] {
  const proven = new Set<string>();
  const broken: string[] = [];
  for (const event of told) {
    const isProof =
      (event.eventName === "Cleared" && event.args.result === PASS && nodes[event.args.node ?? 0]?.tier !== 3) ||
      event.eventName === "ReviewApproved" ||
      (event.eventName === "ChildConcluded" && event.args.completed === true);
    if (isProof) proven.add(`${event.args.node} ${event.args.attempt}`);
    if (event.eventName !== "NodeStateChanged" || nodeStates[event.args.to ?? 0] !== "COMPLETED") continue;
    if (!proven.has(`${event.args.node} ${event.args.attempt}`))
      broken.push(`INVARIANT 5: node ${event.args.node} is complete without a proof`);
  }
  return broken;
}

function wasHandedIn({ blocks }: City, content: ContentId | null): boolean {
  return content !== null && field(parseJsonBytes(blocks.get(content)), "ok") === true;
}

/** 3: an output is in escrow, signed, before it is committed; out of it only after; and nobody after it worked before that. */
async function escrow(city: City, mission: Address, told: Told, nodes: readonly LawNode[]): Promise<string[]> {
  const broken: string[] = [];
  const placed = async (kind: string) =>
    (await city.log.read({ kind, subject: mission })).map(({ subjects, seq, content }) => ({
      place: subjects.slice(1).join(" "),
      seq,
      content,
    }));
  const [held, released] = [await placed("execution.held"), await placed("execution.released")];
  const works = [...(await placed("execution.sealed")), ...(await placed("execution.work"))];
  const committed = new Set(
    told.flatMap((event) => (event.eventName === "Committed" ? [`${event.args.node} ${event.args.attempt} ${event.args.slot}`] : [])),
  );
  for (const { place, content } of held) {
    const [node = 0, attempt = 0, slot = 0] = place.split(" ").map(Number);
    const entry = heldSchema.parse(parseJsonBytes(city.blocks.get(content!)));
    const { agent, outputHash, since, signature } = entry;
    const message = { mission, node, slot, attempt, agent, outputHash, since };
    if (!(await isSessionMessageBy(city.client, agent, "HeldOutput", message, signature)))
      broken.push(`INVARIANT 3: the output held at ${place} is not signed by its executor`);
  }
  for (const place of committed) {
    // Who committed by itself what it handed in to nobody.
    if (works.some((each) => each.place === place && !wasHandedIn(city, each.content))) continue;
    if (!held.some((each) => each.place === place)) broken.push(`INVARIANT 3: ${place} was committed and never held`);
    if (!released.some((each) => each.place === place)) broken.push(`INVARIANT 3: ${place} was committed and is still held`);
  }
  for (const { place, seq } of released) {
    if (!committed.has(place)) broken.push(`INVARIANT 3: ${place} was released and never committed`);
    const before = Number(place.split(" ")[0]);
    const last = Math.max(...released.filter((each) => Number(each.place.split(" ")[0]) === before).map((each) => each.seq));
    for (const work of works)
      if (seq === last && isBefore(nodes, before, Number(work.place.split(" ")[0])) && work.seq < seq)
        broken.push(`INVARIANT 3: ${work.place} worked before node ${before}'s output was released`);
  }
  return broken;
}

/** 4: what was halted here was frozen on chain too, or has failed. */
async function freezes(city: City, mission: Address, told: Told): Promise<string[]> {
  const counts = new Map<number, number>();
  const failed = new Set<number>();
  for (const event of told) {
    if (event.eventName === "NodeFrozen") counts.set(event.args.node ?? 0, event.args.freezeCount ?? 0);
    if (event.eventName === "NodeStateChanged" && nodeStates[event.args.to ?? 0] === "FAILED") failed.add(event.args.node ?? 0);
  }
  const halts = await city.log.read({ kind: "execution.halt", subject: mission });
  return halts.flatMap(({ subjects: [, node, , freeze] }) =>
    (counts.get(Number(node)) ?? 0) > Number(freeze) || failed.has(Number(node))
      ? []
      : [`INVARIANT 4: node ${node} was halted here and never frozen on chain`],
  );
}

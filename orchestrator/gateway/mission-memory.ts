import type { CityClient } from "../client/client.ts";
import type { HubReads, StreamEvent } from "../hub/view.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import { keepNewest } from "../primitives/recent.ts";

type Contract = Pick<ReturnType<CityClient["mission"]>, "header" | "nodeLaw" | "nodeOf" | "slotOf">;
type ChainNode = Awaited<ReturnType<Contract["nodeOf"]>>;
type ChainNodeLaw = Awaited<ReturnType<Contract["nodeLaw"]>>;
type ChainSlot = Awaited<ReturnType<Contract["slotOf"]>>;

interface Sources {
  readonly client: { mission(address: Address): Contract };
  readonly hub: Pick<HubReads, "query">;
}

/** A mission as stream and chain have it. */
export interface KnownMission {
  /** Its events that hold, oldest first. */
  readonly events: readonly StreamEvent[];
  readonly laws: readonly ChainNodeLaw[];
  readonly nodes: readonly ChainNode[];
  /** Each node's executors of the current attempt, by slot; slots that nobody holds have the zero address. */
  readonly slots: readonly (readonly ChainSlot[])[];
}

/** Missions that are kept; the one asked for longest ago goes first. */
const MOST = 32;
const PAGE = 200;

/**
 * What was read of missions, kept: whoever asks again has only what an event touched since read again. A law never changes; every change
 * of a node comes with an event of its mission's contract. Where chain and stream are read at different blocks, the event that the stream
 * does not have yet has the node read again.
 */
export class MissionMemory {
  readonly #of: Sources;
  readonly #kept = new Map<Hash, Kept>();

  constructor(world: Sources) {
    this.#of = world;
  }

  read({ mission, missionId }: { readonly mission: Address; readonly missionId: Hash }): Promise<KnownMission> {
    const kept = this.#kept.get(missionId) ?? new Kept(this.#of, mission, missionId);
    keepNewest(this.#kept, missionId, kept, MOST);
    return kept.read();
  }
}

const NOTHING: KnownMission = { events: [], laws: [], nodes: [], slots: [] };

class Kept {
  readonly #hub: Sources["hub"];
  readonly #contract: Contract;
  readonly #mission: Address;
  readonly #missionId: Hash;
  readonly #turns = new Mutex();
  #known = NOTHING;
  #last = 0;

  constructor({ client, hub }: Sources, mission: Address, missionId: Hash) {
    this.#hub = hub;
    this.#contract = client.mission(mission);
    this.#mission = mission;
    this.#missionId = missionId;
  }

  read(): Promise<KnownMission> {
    return this.#turns.run(() => this.#read());
  }

  async #read(): Promise<KnownMission> {
    const fresh = await this.#eventsAfter(this.#last);
    if (fresh.some(({ corrects }) => corrects !== null)) {
      // The chain replaced blocks: nothing that was read of them counts.
      [this.#known, this.#last] = [NOTHING, 0];
      return this.#take(await this.#eventsAfter(0));
    }
    return this.#take(fresh);
  }

  /** Reads what these events touched, and only then keeps both. */
  async #take(fresh: readonly StreamEvent[]): Promise<KnownMission> {
    const { events, laws: known, nodes, slots } = this.#known;
    const laws = known.length > 0 ? known : await this.#laws();
    const touched = known.length > 0 ? this.#touchedBy(fresh, laws.length) : numbersTo(laws.length);
    const read = await Promise.all(touched.map((number) => this.#node(number, laws[number]?.redundancy ?? 0)));
    const [newNodes, newSlots] = [[...nodes], [...slots]];
    for (const [place, number] of touched.entries()) {
      const now = read[place];
      if (now === undefined) continue;
      newNodes[number] = now.node;
      newSlots[number] = now.slots;
    }
    const holding = fresh.filter(({ isCorrected, corrects }) => !isCorrected && corrects === null);
    this.#known = { events: [...events, ...holding], laws, nodes: newNodes, slots: newSlots };
    this.#last = fresh.at(-1)?.sequence ?? this.#last;
    return this.#known;
  }

  /** Nodes that these events may have changed: all of them, where an event of the contract names none. */
  #touchedBy(events: readonly StreamEvent[], count: number): readonly number[] {
    const own = events.filter(({ emitterContract, record }) => record === null && emitterContract === this.#mission);
    if (own.some(({ nodeId }) => nodeId === null)) return numbersTo(count);
    return [...new Set(own.flatMap(({ nodeId }) => nodeId ?? []))];
  }

  async #laws(): Promise<readonly ChainNodeLaw[]> {
    const { nodeCount } = await this.#contract.header();
    return Promise.all(numbersTo(nodeCount).map((number) => this.#contract.nodeLaw(number)));
  }

  async #node(number: number, redundancy: number) {
    const [node, ...slots] = await Promise.all([
      this.#contract.nodeOf(number),
      ...Array.from({ length: redundancy }, (_, slot) => this.#contract.slotOf(number, slot)),
    ]);
    return { node, slots };
  }

  async #eventsAfter(place: number): Promise<readonly StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let cursor: string | null = `s${place}`; cursor !== null; ) {
      const page: Awaited<ReturnType<Sources["hub"]["query"]>> = await this.#hub.query({ missionId: this.#missionId, limit: PAGE, cursor });
      events.push(...page.events);
      cursor = page.next;
    }
    return events;
  }
}

const numbersTo = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

import { z } from "zod";
import { type NodeStateName, nodeStates } from "../execution/chain-view.ts";
import type { Hash } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { World } from "./command.ts";
import { type DecodedEvent, pageOfPayloads } from "./payloads.ts";

/** States that somebody is expected to end. */
export const PHASES: readonly NodeStateName[] = ["ELIGIBLE", "EXECUTING", "PENDING_VERIFICATION", "PENDING_REVIEW"];
/** Of each state the last so many stays count, and fewer than so many say nothing. */
const KEPT = 100;
const ENOUGH = 8;
/** Seconds beyond what is usual that nobody is alarmed by. */
const GRACE = 30;

/** A node entered a state; `at`: seconds of chain time. */
export interface Entry {
  readonly missionId: Hash;
  readonly node: number;
  readonly state: NodeStateName;
  readonly at: number;
}

/** How long nodes stay in each state, and what is too long. */
export class PhaseDurations {
  readonly #since = new Map<string, Entry>();
  readonly #stays = new Map<NodeStateName, number[]>();

  add(entry: Entry): void {
    const key = `${entry.missionId} ${entry.node}`;
    const before = this.#since.get(key);
    if (before !== undefined) {
      const stays = this.#stays.get(before.state) ?? [];
      stays.push(entry.at - before.at);
      this.#stays.set(before.state, stays.slice(-KEPT));
    }
    if (PHASES.includes(entry.state)) this.#since.set(key, entry);
    else this.#since.delete(key);
  }

  /** Seconds after which a stay is slower than expected: twice the median of those before, and half a minute more than it. */
  longest(state: NodeStateName): number | undefined {
    const stays = this.#stays.get(state) ?? [];
    if (stays.length < ENOUGH) return undefined;
    const usual = stays.toSorted((a, b) => a - b)[Math.floor(stays.length / 2)] ?? 0;
    return Math.max(2 * usual, usual + GRACE);
  }
}

const CHANGES = { name: "CollaborationContract.NodeStateChanged", limit: 200 } as const;
/** Pages of changes that are read at the first question: the stream may be long. */
const FIRST_PAGES = 5;
const changedSchema = z.object({ node: z.number(), to: z.number() });

/** How long nodes of this city's missions stayed in each state, read from the stream as it grows. */
export class PhaseTimes {
  readonly #world: Pick<World, "hub">;
  readonly #durations = new PhaseDurations();
  readonly #turns = new Mutex();
  #last: number | undefined;

  constructor(world: Pick<World, "hub">) {
    this.#world = world;
  }

  /** What the stream says by now. */
  read(): Promise<Pick<PhaseDurations, "longest">> {
    return this.#turns.run(() => this.#read());
  }

  async #read(): Promise<Pick<PhaseDurations, "longest">> {
    const newest = this.#last === undefined;
    const found: DecodedEvent<z.infer<typeof changedSchema>>[] = [];
    let cursor: string | null | undefined = newest ? undefined : `s${this.#last}`;
    for (let pages = 0; cursor !== null && (!newest || pages < FIRST_PAGES); pages += 1) {
      const page: Awaited<ReturnType<typeof pageOfPayloads<z.infer<typeof changedSchema>>>> = await pageOfPayloads(
        this.#world,
        { ...CHANGES, newest, cursor },
        changedSchema,
      );
      found.push(...page.payloads);
      cursor = page.next;
    }
    const changes = newest ? found.toReversed() : found;
    for (const { event, args } of changes) {
      const { missionId, timestamp } = event;
      this.#durations.add({ missionId, node: args.node, state: nodeStates[args.to] ?? "WAITING", at: Math.floor(timestamp / 1_000) });
    }
    this.#last = changes.at(-1)?.event.sequence ?? this.#last ?? 0;
    return this.#durations;
  }
}

import { stringToHex } from "viem";
import { z } from "zod";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import type { NodeView } from "../chain-view.ts";
import { attemptKey } from "../work.ts";
import type { Mission, World } from "../world.ts";
import { FREEZE_REASONS } from "./assess.ts";
import { type Finding, snapshotOf } from "./snapshot.ts";
import { watchTerms } from "./terms.ts";
import { freezeWords } from "./words.ts";

/** Why a node was halted here, recorded before it is reported. */
export const haltSchema = z.strictObject({
  /** Slots of the executors concerned. */
  slots: z.array(z.int()),
  reason: z.enum(FREEZE_REASONS),
  magnitude: z.int(),
  /** The sealed snapshot: its content id, and the keccak256 of its canonical bytes, which goes on chain. */
  snapshot: z.string(),
  snapshotHash: hashSchema,
});
export type Halt = z.infer<typeof haltSchema>;

/**
 * States with work in progress, in hybrid mode before it is on chain; in any other state a node is over, not started, or with a human
 * already.
 */
const STOPPABLE: readonly NodeView["state"][] = ["ELIGIBLE", "EXECUTING", "PENDING_VERIFICATION"];

/** A human let this attempt go on, or nobody has looked since this monitor's house stopped the node. */
const LEFT_ALONE: ReadonlySet<string> = new Set(["FrozenBefore", "FreezeUnattended"]);

/**
 * The Local Freeze Mirror (AgentCity B.11.2): halts a node in this process as soon as something is found, and keeps it halted until the
 * chain says otherwise. Its state comes from chain and records alone, so that it survives a kill: frozen here ⇒ frozen or failed on chain,
 * or about to be reported before anything else is sent.
 */
export class FreezeMirror {
  readonly #world: World;
  readonly #mission: Mission;
  /** Halts that the chain has not confirmed, by node. */
  readonly #held = new Map<number, Halt>();

  constructor(world: World, mission: Mission) {
    this.#world = world;
    this.#mission = mission;
  }

  /** Completes halts that are not confirmed yet, and freezes that are not sealed yet. To be called before anything is routed. */
  async restore(nodes: readonly NodeView[]): Promise<void> {
    for (const view of nodes) {
      const unconfirmed = STOPPABLE.includes(view.state) ? await this.#haltAt(view, view.freezes) : undefined;
      if (unconfirmed !== undefined) {
        this.#held.set(view.law.number, unconfirmed);
        this.#world.progress(`${view.law.label}: was halted before the interruption; frozen again`);
        await this.#confirm(view, unconfirmed);
      } else if (view.state === "FROZEN" && view.freezes > 0) {
        const confirmed = await this.#haltAt(view, view.freezes - 1);
        if (confirmed !== undefined) await this.#seal(view, view.freezes - 1, confirmed);
      }
    }
  }

  /** The nodes as this process must treat them: a halted one is frozen, whatever its on-chain state. */
  overlay(nodes: readonly NodeView[]): readonly NodeView[] {
    return nodes.map((view) => (this.#held.has(view.law.number) && STOPPABLE.includes(view.state) ? { ...view, state: "FROZEN" } : view));
  }

  /** Executors whose findings already halted this attempt once: a human has reviewed them. */
  async settledSlots(view: NodeView): Promise<ReadonlySet<number>> {
    const slots = new Set<number>();
    for (let freeze = 0; freeze < view.freezes; freeze += 1) {
      for (const slot of (await this.#haltAt(view, freeze))?.slots ?? []) slots.add(slot);
    }
    return slots;
  }

  /** Halts a node: first here and in the records, then on chain, then for human review. */
  async halt(view: NodeView, findings: readonly Finding[]): Promise<void> {
    const [first] = findings;
    if (first === undefined) return;
    const { reason, magnitude } = first.anomaly;
    const halt = await this.#world.remember(haltKey(this.#mission, view, view.freezes), haltSchema, async () => {
      const snapshot = canonicalBytes(await snapshotOf(this.#world, this.#mission, view, findings));
      return {
        slots: findings.map(({ slot }) => slot),
        reason,
        magnitude,
        snapshot: await this.#world.store.put(snapshot),
        snapshotHash: keccak256(snapshot),
      };
    });
    this.#held.set(view.law.number, halt);
    await this.#world.boundary("execution:halted");
    if (!(await this.#confirm(view, halt))) return;
    const words = freezeWords(halt, await watchTerms(this.#world, this.#mission));
    this.#world.progress(`${view.law.label}: frozen by the guardian (${halt.reason}): ${words}`);
  }

  /** False if the chain takes no further freeze of this work: it goes on, and its panel decides. */
  async #confirm(view: NodeView, halt: Halt): Promise<boolean> {
    const { reason, magnitude } = halt;
    const contract = this.#world.client.mission(this.#mission.address);
    // Another monitor may have frozen it first.
    const { freezeCount } = await contract.nodeOf(view.law.number);
    if (freezeCount === view.freezes) {
      const report = contract.report([view.law.number, stringToHex(reason, { size: 32 }), BigInt(magnitude)], {
        intent: intentKey("report", ...attemptKey(this.#mission, view), view.freezes),
        account: this.#world.monitor.account,
      });
      try {
        await report;
      } catch (error) {
        if (!(error instanceof TransactionReverted) || !LEFT_ALONE.has(error.errorName ?? "")) throw error;
        this.#held.delete(view.law.number);
        return false;
      }
    }
    await this.#world.boundary("execution:frozen");
    await this.#seal(view, view.freezes, halt);
    this.#held.delete(view.law.number);
    return true;
  }

  async #seal(view: NodeView, freeze: number, { snapshotHash }: Halt): Promise<void> {
    await this.#world.client.mission(this.#mission.address).sealSnapshot([view.law.number, snapshotHash], {
      intent: intentKey("seal-snapshot", ...attemptKey(this.#mission, view), freeze),
      account: this.#world.monitor.account,
    });
  }

  #haltAt(view: NodeView, freeze: number): Promise<Halt | undefined> {
    return this.#world.recall(haltKey(this.#mission, view, freeze), haltSchema);
  }
}

/** A halt's key includes the number of earlier freezes of its node, which the chain increments when it confirms one. */
export function haltKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, freeze: number): readonly (string | number)[] {
  return ["halt", ...attemptKey(mission, view), freeze];
}

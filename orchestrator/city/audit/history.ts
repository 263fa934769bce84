import { zeroHash } from "viem";
import type { Address, Hash } from "../../primitives/hex.ts";
import { obligationOf } from "../../rules/commitments.ts";
import type { ChainRecord } from "./chain-record.ts";

/** What was opened of a commitment, as its event says. */
export interface Revelation {
  readonly at: bigint;
  readonly outputHash: Hash;
  readonly trailRoot: Hash;
  readonly envelopeRoot: Hash;
  readonly classes: bigint;
  readonly salt: Hash;
}

/** One executor's part in one attempt at one node. */
export interface SlotHistory {
  readonly node: number;
  readonly attempt: number;
  readonly slot: number;
  readonly agent: Address;
  readonly service: Hash;
  readonly price: bigint;
  /** Block of the award. */
  readonly bound: bigint;
  readonly commitment: Hash | undefined;
  readonly revealed: Revelation | undefined;
}

const PENDING_VERIFICATION = 3;
const FROZEN = 5;

/** The mission's own events, by node, attempt and slot. */
export class MissionHistory {
  readonly #record: ChainRecord;
  readonly #origin: { readonly chainId: bigint; readonly mission: Address; readonly lawHash: Hash };
  /** In order of binding. */
  readonly slots: readonly SlotHistory[];

  constructor(record: ChainRecord, origin: { readonly chainId: bigint; readonly mission: Address; readonly lawHash: Hash }) {
    this.#record = record;
    this.#origin = origin;
    const committed = record.events("CollaborationContract", "Committed");
    const revealed = record.events("CollaborationContract", "Revealed");
    this.slots = record
      .events("CollaborationContract", "ExecutorBound")
      .map(({ block, args: { node, attempt, slot, agent, service, price } }): SlotHistory => {
        const isSame = (args: { readonly node: number; readonly attempt: number; readonly slot: number }) =>
          args.node === node && args.attempt === attempt && args.slot === slot;
        const opened = revealed.find(({ args }) => isSame(args));
        return {
          node,
          attempt,
          slot,
          agent,
          service,
          price,
          bound: block,
          commitment: committed.find(({ args }) => isSame(args))?.args.commitment,
          revealed: opened === undefined ? undefined : { at: opened.at, ...opened.args },
        };
      });
  }

  /** Executors of one attempt, in order of slot. */
  executors(node: number, attempt: number): readonly SlotHistory[] {
    return this.slots.filter((each) => each.node === node && each.attempt === attempt).toSorted((a, b) => a.slot - b.slot);
  }

  slot(node: number, attempt: number, slot: number): SlotHistory | undefined {
    return this.slots.find((each) => each.node === node && each.attempt === attempt && each.slot === slot);
  }

  /** Number of the attempt that a node is in at a point of the chain. */
  attemptAt(node: number, at: bigint): number {
    const begun = [...this.#record.events("CollaborationContract", "Reopened"), ...this.#amended()];
    return Math.max(0, ...begun.filter((each) => each.at < at && each.args.node === node).map(({ args }) => args.attempt));
  }

  #amended() {
    return this.#record.events("CollaborationContract", "NodeAmended");
  }

  /** Digest of an attempt's amended mandate, if an adjudicator amended it. */
  amendment(node: number, attempt: number): Hash | undefined {
    return this.#amended().find(({ args }) => args.node === node && args.attempt === attempt)?.args.amendment;
  }

  obligation(node: number, attempt: number): Hash {
    const { chainId, mission, lawHash } = this.#origin;
    return obligationOf({ chainId, clone: mission, node, attempt, lawHash, amendment: this.amendment(node, attempt) ?? zeroHash });
  }

  /** Commitments that a clearing at this point is about: those opened by then, zero for an absent slot. */
  commitmentsAt(node: number, attempt: number, redundancy: number, at: bigint): readonly Hash[] {
    return Array.from({ length: redundancy }, (_, slot) => {
      const executor = this.slot(node, attempt, slot);
      return executor?.revealed !== undefined && executor.revealed.at < at && executor.commitment !== undefined
        ? executor.commitment
        : zeroHash;
    });
  }

  /** The block whose hash draws the panel of a clearing at this point; a freeze in between draws no other. */
  drawBlockAt(node: number, at: bigint): bigint | undefined {
    const started = this.#record
      .events("CollaborationContract", "NodeStateChanged")
      .findLast((each) => each.at < at && each.args.node === node && each.args.to === PENDING_VERIFICATION && each.args.from !== FROZEN);
    const redrawn = this.#record
      .events("CollaborationContract", "PanelRedrawn")
      .findLast((each) => each.at < at && each.args.node === node);
    if (redrawn !== undefined && (started === undefined || redrawn.at > started.at)) return redrawn.block;
    return started?.block;
  }
}

import type { LocalAccount } from "viem";
import { z } from "zod";
import { SeatAbsent } from "../minds/absence.ts";
import type { WorkClock } from "../primitives/clock.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject, type JsonValue } from "../primitives/json.ts";
import { type KeptCall, type Shown, type Silence, scopeOf } from "../protocol/call-records.ts";
import {
  CALLS,
  type Call,
  type CallAnswer,
  type CallKind,
  type CallName,
  type CallRequest,
  callIdParts,
  mailboxDomain,
  mailboxTypes,
  type Received,
} from "../protocol/calls.ts";
import type { Answers } from "../records/answers.ts";
import type { CallRecords } from "../records/calls.ts";

/** The machine's clock; `wait` ends early when aborted. */
export interface WallClock {
  readonly millis: () => number;
  readonly wait: (millis: number, signal: AbortSignal) => Promise<void>;
}

/** An answer that is not accepted. */
export class AnswerRefused extends AgentCityError {
  constructor(why: string, details?: string) {
    super("AnswerRefused", why, { details });
  }
}

interface Open {
  readonly call: Call;
  readonly kept: KeptCall;
  readonly scope: string | undefined;
  readonly settle: (answer: JsonValue) => void;
  readonly fail: (error: SeatAbsent) => void;
  /** Checks an answer beyond its schema; returns the problem. */
  readonly check: (answer: JsonValue) => Promise<string | undefined>;
  /** What the call is about, for clients that do not rebuild it themselves. */
  readonly help: () => JsonObject;
}

/** A question that a seat failed to answer. */
export interface Refusal {
  readonly kind: CallName;
  /** Milliseconds of the city's clock. */
  readonly at: number;
  /** `city`: the answer was invalid; `agent`: it declined, with a reason; `time`: no valid answer came in time. */
  readonly by: "city" | "agent" | "time";
  readonly why: string;
}

/** Standing of an external seat, for the life of this process. */
export interface SeatStanding {
  readonly isConnected: boolean;
  /** Time of its last request for calls, milliseconds; null if none since the city opened. */
  readonly seen: number | null;
  /** The program that asked, as it names itself; null if unstated. */
  readonly build: string | null;
  readonly open: readonly Pick<Call, "id" | "kind" | "answerBy">[];
  /** The most recent ones, oldest first. */
  readonly refusals: readonly Refusal[];
}

export interface MailboxOptions {
  readonly chainId: number;
  /** Part of every call's id. */
  readonly city: Address;
  /** Remembers which blocks each seat handed in. */
  readonly answers: Answers;
  readonly calls: CallRecords;
  /** Stores large members of questions. */
  readonly blocks: { put(bytes: Uint8Array): ContentId };
  /** Signs receipts. */
  readonly receiver: LocalAccount;
  readonly clock: WallClock;
  /** Keeps chain time from jumping while a seat has a question that has a deadline or whose silence has a cost. Default: time is not held. */
  readonly hold?: WorkClock["hold"];
  /** Factor on the seconds of `CALLS`, so that tests wait less. Default 1. */
  readonly patience?: number;
  /** No transport is attached: earlier answers are replayed, every other question is silence at once. */
  readonly closed?: boolean;
}

/** Key under which a handed-in block is remembered. */
const broughtKey = (address: Address, block: ContentId) => ({ session: `blocks/${address}`, agent: address, step: block, round: 0 });

/** A seat that neither requests nor answers calls for this long counts as disconnected, milliseconds. */
const GONE_AFTER = 15_000;

/** Refusals remembered per seat, and characters of each. */
const MAX_REFUSALS = 20;
const MAX_WHY = 500;

/** Time limit for a seat that missed its last question, where silence has no cost, seconds. */
const MUTE_SECONDS = 3;

/** From this size on, bytes, a member of a question becomes a block of its own. */
const LARGE = 512;

/**
 * Questions to external seats, and their answers. The first valid answer is stored before anything relies on it, and is final; the same
 * question asked again, by another run or after a restart, gets the same answer. Transports deliver calls and answers.
 */
export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #open = new Map<Hash, Open>();
  readonly #waiting = new Map<Address, Set<() => void>>();
  /** Seats that missed a question and have not been heard of since. */
  readonly #mute = new Set<Address>();
  /** Time of each seat's last request or answer, milliseconds. */
  readonly #seen = new Map<Address, number>();
  readonly #builds = new Map<Address, string>();
  readonly #readable = new Map<Address, Set<string>>();
  readonly #refusals = new Map<Address, readonly Refusal[]>();

  constructor(options: MailboxOptions) {
    this.#options = options;
  }

  get receiver(): Address {
    return this.#options.receiver.address;
  }

  get chainId(): number {
    return this.#options.chainId;
  }

  /** Asks, and waits as long as the kind allows plus `seconds`. Throws SeatAbsent. */
  async ask<Kind extends CallName>(
    who: { readonly name: string; readonly address: Address },
    kind: Kind,
    request: CallRequest<Kind>,
    check: (answer: CallAnswer<Kind>) => Promise<string | undefined> = async () => undefined,
    {
      seconds = 0,
      isOptional = false,
      hasDeadline = false,
      help = () => ({}),
    }: {
      readonly seconds?: number;
      /** Silence has no cost, whatever the kind says. */
      readonly isOptional?: boolean;
      /** The answer would be late after a jump of chain time, although silence has no cost. */
      readonly hasDeadline?: boolean;
      readonly help?: () => JsonObject;
    } = {},
  ): Promise<CallAnswer<Kind>> {
    const { calls, clock, patience = 1, closed = false, hold = (work) => work() } = this.#options;
    const { within, answer: schema, ...of }: CallKind = CALLS[kind];
    const optional = isOptional || of.optional === true;
    const parse = (answer: JsonValue) => schema.parse(answer) as CallAnswer<Kind>;
    const payload = z.record(z.string(), z.json()).parse(request);
    const id = keccak256(canonicalBytes(callIdParts(this.#options, who.address, kind, payload)));
    const before = await calls.answerTo(id, who.address);
    if (before !== undefined) return parse(before.answer);
    const scope = scopeOf(kind, payload);
    const asked = { id, to: who.address, kind, ...this.#parted(payload) };
    const absent = async (by: Silence["by"], why: string, answerBy: number | null = null) => {
      await this.#silent({ kept: { ...asked, answerBy }, scope }, by, why);
      return new SeatAbsent(who.name, kind, why);
    };
    if (closed) throw await absent("closed", "this city's seats are closed to agents elsewhere");
    if (optional && !this.isConnected(who.address)) throw await absent("gone", "it is not connected");
    const isMute = optional && this.#mute.has(who.address);
    const millis = 1_000 * (isMute ? MUTE_SECONDS : within + seconds) * patience;
    const call: Call = { id, to: who.address, kind, payload, answerBy: clock.millis() + millis };
    const kept = { ...asked, answerBy: Math.ceil(call.answerBy) };
    const over = new AbortController();
    try {
      const answered = new Promise<JsonValue>((settle, fail) => {
        this.#open.set(id, { call, kept, scope, settle, fail, check: (answer) => check(parse(answer)), help });
      });
      for (const wake of this.#waiting.get(who.address) ?? []) wake();
      const late = this.#patience(who.address, millis, optional, over.signal).then(async () => {
        const why = `no valid answer within ${millis / 1_000} s`;
        // A seat that answered or declined meanwhile is neither late nor absent.
        if (over.signal.aborted) throw new SeatAbsent(who.name, kind, why);
        this.#mute.add(who.address);
        this.#note(call, "time", why);
        throw await absent("time", why, kept.answerBy);
      });
      const waited = () => Promise.race([answered, late]);
      return parse(await (optional && !hasDeadline ? waited() : hold(waited)));
    } finally {
      over.abort();
      this.#open.delete(id);
    }
  }

  /** Records that a question was not answered, and why. */
  async #silent({ kept, scope }: Pick<Open, "kept" | "scope">, by: Silence["by"], why: string): Promise<void> {
    const { calls, clock } = this.#options;
    await calls.silent(kept, scope, { by, at: Math.floor(clock.millis()), why: why.slice(0, MAX_WHY) });
  }

  /** Splits a question into its small members and the blocks of its large ones. */
  #parted(payload: JsonObject): Pick<KeptCall, "payload" | "large"> {
    const members = Object.entries(payload).map(([name, value]) => ({ name, value, bytes: canonicalBytes(value) }));
    const [small, large] = [members.filter(({ bytes }) => bytes.length <= LARGE), members.filter(({ bytes }) => bytes.length > LARGE)];
    return {
      payload: Object.fromEntries(small.map(({ name, value }) => [name, value])),
      large: Object.fromEntries(large.map(({ name, bytes }) => [name, this.#options.blocks.put(bytes)])),
    };
  }

  /** Open calls of this address, oldest first; waits for the first until `signal` aborts. `build`: the program that asks. */
  async callsTo(address: Address, signal: AbortSignal, build?: string): Promise<readonly Call[]> {
    this.#saw(address);
    if (build !== undefined) this.#builds.set(address, build);
    const due = () => this.openTo(address);
    if (due().length > 0 || signal.aborted) return due();
    const waiting = this.#waiting.get(address) ?? new Set();
    this.#waiting.set(address, waiting);
    await new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
    this.#saw(address);
    return due();
  }

  /** Marks a seat as connected: answering many questions in a row counts as much as requesting calls. */
  #saw(address: Address): void {
    this.#seen.set(address, this.#options.clock.millis());
  }

  /** Open calls of this address right now. */
  openTo(address: Address): readonly Call[] {
    return [...this.#open.values()].flatMap(({ call }) => (call.to === address ? [call] : []));
  }

  /** Waits for an answer: as long as its kind allows, or until a seat that need not answer disconnects. */
  async #patience(address: Address, millis: number, optional: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const end = clock.millis() + millis;
    for (let left = millis; left > 0 && !signal.aborted; left = end - clock.millis()) {
      await clock.wait(optional ? Math.min(left, GONE_AFTER) : left, signal);
      if (optional && !this.isConnected(address)) return;
    }
  }

  /** What an open call of this address is about: a node's input, values to hash, a message to sign. Throws AnswerRefused. */
  helpWith(address: Address, id: Hash): { readonly call: Call; readonly help: JsonObject } {
    this.#saw(address);
    const open = this.#open.get(id);
    if (open === undefined || open.call.to !== address) throw new AnswerRefused("No open call has this id");
    return { call: open.call, help: open.help() };
  }

  /** Stores an answer with what its sender signed. Throws AnswerRefused for an invalid one; the call then stays open. */
  async answer(from: Address, id: Hash, answer: JsonValue, shown?: Shown): Promise<Received> {
    this.#saw(from);
    const kept = await this.#options.calls.answerTo(id, from);
    if (kept !== undefined) return kept.received ?? this.#receiptFor(id, kept.answer);
    const open = this.#open.get(id);
    if (open === undefined || open.call.to !== from) throw new AnswerRefused("No open call has this id");
    const parsed = CALLS[open.call.kind].answer.safeParse(answer);
    if (!parsed.success) {
      const details = z.prettifyError(parsed.error).slice(0, 1_000);
      this.#note(open.call, "city", details);
      throw new AnswerRefused("The answer does not match the schema of its kind", details);
    }
    const problem = await open.check(answer);
    if (problem !== undefined) {
      this.#note(open.call, "city", problem);
      throw new AnswerRefused(problem);
    }
    const received = await this.#receiptFor(id, answer);
    const given = { answer, received, ...(shown === undefined ? {} : { shown }) };
    const first = await this.#options.calls.answered(open.kept, open.scope, given);
    open.settle(first.answer);
    this.#mute.delete(from);
    return first.received ?? this.#receiptFor(id, first.answer);
  }

  /** Whether this address is waiting for calls, or was a moment ago. */
  isConnected(address: Address): boolean {
    if ((this.#waiting.get(address)?.size ?? 0) > 0) return true;
    const seen = this.#seen.get(address);
    return seen !== undefined && this.#options.clock.millis() - seen <= GONE_AFTER;
  }

  /** Records that a seat declines; the question is over. */
  async decline(from: Address, id: Hash, why: string): Promise<void> {
    this.#saw(from);
    const open = this.#open.get(id);
    if (open === undefined || open.call.to !== from) throw new AnswerRefused("No open call has this id");
    this.#mute.delete(from);
    this.#note(open.call, "agent", why);
    await this.#silent(open, "agent", why);
    open.fail(new SeatAbsent(from, open.call.kind, `it declined: ${why.slice(0, 500)}`));
  }

  /** A seat's standing, for its operator and for readers of the city. */
  standingOf(address: Address): SeatStanding {
    const open = this.openTo(address).map(({ id, kind, answerBy }) => ({ id, kind, answerBy }));
    return {
      isConnected: this.isConnected(address),
      seen: this.#seen.get(address) ?? null,
      build: this.#builds.get(address) ?? null,
      open,
      refusals: this.#refusals.get(address) ?? [],
    };
  }

  #note({ to, kind }: Call, by: Refusal["by"], why: string): void {
    const refusal = { kind, by, at: this.#options.clock.millis(), why: why.slice(0, MAX_WHY) };
    this.#refusals.set(to, [...(this.#refusals.get(to) ?? []), refusal].slice(-MAX_REFUSALS));
  }

  /** Allows an address to read blocks that it needs for an answer. */
  grant(address: Address, blocks: readonly string[]): void {
    const known = this.#readable.get(address) ?? new Set();
    for (const id of blocks) known.add(id);
    this.#readable.set(address, known);
  }

  mayRead(address: Address, block: string): boolean {
    return this.#readable.get(address)?.has(block) === true;
  }

  /** Whether this address has an open call for an output; otherwise it may not upload bytes. */
  mayWrite(address: Address): boolean {
    return [...this.#open.values()].some(({ call }) => call.to === address && call.kind === "perform");
  }

  /** Records that this address handed in a block: its answers may name no other. Survives a restart. */
  async brought(address: Address, block: ContentId): Promise<void> {
    await this.#options.answers.remember(broughtKey(address, block), z.literal(true), async () => true);
  }

  async hasBrought(address: Address, block: ContentId): Promise<boolean> {
    return (await this.#options.answers.recall(broughtKey(address, block), z.literal(true))) === true;
  }

  async #receiptFor(call: Hash, answer: JsonValue): Promise<Received> {
    const { receiver, chainId, clock } = this.#options;
    const at = Math.floor(clock.millis());
    const message = { call, answer: keccak256(canonicalBytes(answer)), at: BigInt(at) };
    const signature = await receiver.signTypedData({
      domain: mailboxDomain(chainId),
      types: mailboxTypes,
      primaryType: "Received",
      message,
    });
    return { call, answer: message.answer, at, signature };
  }
}

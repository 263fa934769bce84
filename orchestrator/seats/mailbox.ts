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

/** The machine's clock; `wait` ends early when it is aborted. */
export interface WallClock {
  readonly millis: () => number;
  readonly wait: (millis: number, signal: AbortSignal) => Promise<void>;
}

/** An answer that is not kept. */
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
  /** What an answer has to be beyond its schema; says why not. */
  readonly check: (answer: JsonValue) => Promise<string | undefined>;
  /** What the call is about, for whoever does not make it again itself. */
  readonly help: () => JsonObject;
}

/** A question of a seat's that came to nothing. */
export interface Refusal {
  readonly kind: CallName;
  /** Milliseconds of the city's clock. */
  readonly at: number;
  /** `city`: what came does not count; `agent`: it will not answer, and says why; `time`: nothing that counts came in time. */
  readonly by: "city" | "agent" | "time";
  readonly why: string;
}

/** How a seat elsewhere stands with this city, as long as this process lives. */
export interface SeatStanding {
  readonly isConnected: boolean;
  /** When it last asked for its calls, milliseconds; null: not since this city began to listen. */
  readonly seen: number | null;
  /** The program that asked, as it names itself; null: it did not say. */
  readonly build: string | null;
  readonly open: readonly Pick<Call, "id" | "kind" | "answerBy">[];
  /** The last ones, oldest first. */
  readonly refusals: readonly Refusal[];
}

export interface MailboxOptions {
  readonly chainId: number;
  /** Names the city in every call's id. */
  readonly city: Address;
  /** Which blocks each has handed in. */
  readonly answers: Answers;
  readonly calls: CallRecords;
  /** Takes large members of questions. */
  readonly blocks: { put(bytes: Uint8Array): ContentId };
  /** Signs for what was received. */
  readonly receiver: LocalAccount;
  readonly clock: WallClock;
  /** Keeps chain time from jumping while somebody has a question whose silence costs something. Default: it does not. */
  readonly hold?: WorkClock["hold"];
  /** Seconds of `CALLS` are multiplied by it: tests wait less. Default 1. */
  readonly patience?: number;
  /** No transport brings calls out: what was answered before is remembered, everything else is silence at once. */
  readonly closed?: boolean;
}

/** Where it is kept that somebody handed in a block. */
const broughtKey = (address: Address, block: ContentId) => ({ session: `blocks/${address}`, agent: address, step: block, round: 0 });

/** Milliseconds after which somebody who neither asks for calls nor answers any is not connected any more. */
const GONE_AFTER = 15_000;

/** Refusals remembered of a seat, and characters of each. */
const MAX_REFUSALS = 20;
const MAX_WHY = 500;

/** Seconds for somebody who let the last question pass, where silence costs nothing. */
const MUTE_SECONDS = 3;

/** Bytes from which on a member of a question is a block of its own. */
const LARGE = 512;

/**
 * Questions to seats elsewhere, and their answers. The first valid answer is stored before anything relies on it, and is final; the same question
 * asked again, by another run or after a restart, has the same answer. Transports bring calls out and answers in.
 */
export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #open = new Map<Hash, Open>();
  readonly #waiting = new Map<Address, Set<() => void>>();
  /** Who let a question pass, and has said nothing since. */
  readonly #mute = new Set<Address>();
  /** When each last asked for its calls or answered one, milliseconds. */
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

  /** Asks, and waits as long as the kind allows, and `seconds` more. Throws SeatAbsent. */
  async ask<Kind extends CallName>(
    who: { readonly name: string; readonly address: Address },
    kind: Kind,
    request: CallRequest<Kind>,
    check: (answer: CallAnswer<Kind>) => Promise<string | undefined> = async () => undefined,
    {
      seconds = 0,
      isOptional = false,
      help = () => ({}),
    }: { readonly seconds?: number; readonly isOptional?: boolean; readonly help?: () => JsonObject } = {},
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
        // Whoever has answered or declined meanwhile is neither late nor absent.
        if (over.signal.aborted) throw new SeatAbsent(who.name, kind, why);
        this.#mute.add(who.address);
        this.#note(call, "time", why);
        throw await absent("time", why, kept.answerBy);
      });
      const waited = () => Promise.race([answered, late]);
      return parse(await (optional ? waited() : hold(waited)));
    } finally {
      over.abort();
      this.#open.delete(id);
    }
  }

  /** Keeps that a question has no answer, and why. */
  async #silent({ kept, scope }: Pick<Open, "kept" | "scope">, by: Silence["by"], why: string): Promise<void> {
    const { calls, clock } = this.#options;
    await calls.silent(kept, scope, { by, at: Math.floor(clock.millis()), why: why.slice(0, MAX_WHY) });
  }

  /** A question's small members, and the blocks that its large ones are. */
  #parted(payload: JsonObject): Pick<KeptCall, "payload" | "large"> {
    const members = Object.entries(payload).map(([name, value]) => ({ name, value, bytes: canonicalBytes(value) }));
    const [small, large] = [members.filter(({ bytes }) => bytes.length <= LARGE), members.filter(({ bytes }) => bytes.length > LARGE)];
    return {
      payload: Object.fromEntries(small.map(({ name, value }) => [name, value])),
      large: Object.fromEntries(large.map(({ name, bytes }) => [name, this.#options.blocks.put(bytes)])),
    };
  }

  /** What this address is asked now, oldest first; waits for a first question until `signal` says that it is enough. `build`: what asks. */
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

  /** It asks, or works on what it was asked: whoever answers many questions one after the other is not gone. */
  #saw(address: Address): void {
    this.#seen.set(address, this.#options.clock.millis());
  }

  /** What this address is asked at this moment. */
  openTo(address: Address): readonly Call[] {
    return [...this.#open.values()].flatMap(({ call }) => (call.to === address ? [call] : []));
  }

  /** Waits for an answer: as long as its kind allows, or until whoever need not answer is gone. */
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
    if (open === undefined || open.call.to !== address) throw new AnswerRefused("There is no such open call");
    return { call: open.call, help: open.help() };
  }

  /** Keeps an answer, with what its sender signed of it. Throws AnswerRefused for one that does not count; the call stays open. */
  async answer(from: Address, id: Hash, answer: JsonValue, shown?: Shown): Promise<Received> {
    this.#saw(from);
    const kept = await this.#options.calls.answerTo(id, from);
    if (kept !== undefined) return kept.received ?? this.#receiptFor(id, kept.answer);
    const open = this.#open.get(id);
    if (open === undefined || open.call.to !== from) throw new AnswerRefused("There is no such open call");
    const parsed = CALLS[open.call.kind].answer.safeParse(answer);
    if (!parsed.success) {
      const details = z.prettifyError(parsed.error).slice(0, 1_000);
      this.#note(open.call, "city", details);
      throw new AnswerRefused("The answer has not the form of its kind", details);
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

  /** Whether this address waits for its calls, or has asked for them a moment ago. */
  isConnected(address: Address): boolean {
    if ((this.#waiting.get(address)?.size ?? 0) > 0) return true;
    const seen = this.#seen.get(address);
    return seen !== undefined && this.#options.clock.millis() - seen <= GONE_AFTER;
  }

  /** Takes note that a seat will not answer: nobody waits for it any longer. */
  async decline(from: Address, id: Hash, why: string): Promise<void> {
    this.#saw(from);
    const open = this.#open.get(id);
    if (open === undefined || open.call.to !== from) throw new AnswerRefused("There is no such open call");
    this.#mute.delete(from);
    this.#note(open.call, "agent", why);
    await this.#silent(open, "agent", why);
    open.fail(new SeatAbsent(from, open.call.kind, `it declined: ${why.slice(0, 500)}`));
  }

  /** How a seat stands: for whoever runs it, and for whoever looks at the city. */
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

  /** Lets an address read blocks that it needs for an answer. */
  grant(address: Address, blocks: readonly string[]): void {
    const known = this.#readable.get(address) ?? new Set();
    for (const id of blocks) known.add(id);
    this.#readable.set(address, known);
  }

  mayRead(address: Address, block: string): boolean {
    return this.#readable.get(address)?.has(block) === true;
  }

  /** Whether somebody is asked to hand in an output now: otherwise no bytes are taken. */
  mayWrite(address: Address): boolean {
    return [...this.#open.values()].some(({ call }) => call.to === address && call.kind === "perform");
  }

  /** Takes note that this address handed in a block: an answer of its may name no other. It survives a restart. */
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

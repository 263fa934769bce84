/** Twin of `contracts/libraries/Wire.sol`, which documents the layouts: packed bytes of a wave. */
import { type Address, concat, getAddress, type Hex, numberToHex, size, slice } from "viem";
import type { Opening } from "./commitments.ts";
import { RuleError } from "./rule-error.ts";

const SIGNATURE = 65;
/** The minimum pledge: a sealed one. */
const PLEDGE = 36;
/** Slot marker: an opening follows instead of a commitment. */
const OPENED = 0x80;
/** Size of a verdict without its order. */
const VERDICT = 27;
/** Marker instead of an order: only a hash follows. */
const ELSEWHERE = 0xff;
/** Maximum numbers of an evidence class, a question, a verdict's result. */
const [CLASSES, QUESTIONS, RESULTS] = [5, 1, 2];

/** The signer of a part of a wave; the signature covers its pledges in the order of the wave (`Commits`). */
export interface WireSigner {
  readonly agent: Address;
  readonly deadline: number;
  readonly signature: Hex;
}

interface Place {
  readonly node: number;
  readonly slot: number;
  readonly attempt: number;
}

export type WirePledge = Place & { /** Position among the signers. */ readonly signer: number } & (
    | { readonly commitment: Hex }
    | { readonly opening: Opening }
  );
export type WireReveal = Place & { readonly opening: Opening };

export interface CommitWave {
  readonly signers: readonly WireSigner[];
  readonly pledges: readonly WirePledge[];
}

/** A node's opened work: one opening per slot, zeros if nothing was committed. */
export interface WireOrder {
  readonly node: number;
  readonly openings: readonly Opening[];
}

/** `order`: position among the orders. */
export interface WireItem {
  readonly order: number;
  readonly slot: number;
  readonly index: number;
  readonly kind: number;
  readonly class: number;
  readonly payload: Hex;
  readonly proof: readonly Hex[];
}

export interface WireVerdict {
  readonly order: number;
  readonly question: number;
  readonly result: number;
  readonly confidence: number;
  readonly score: number;
  readonly agreeing: number;
  /** Bit 32·s + i: item i of slot s. */
  readonly basis: bigint;
}

/**
 * Submission about some nodes. Lists are in the order in which they were signed; entries about other nodes are represented by their hash.
 */
export interface ClearWave {
  readonly orders: readonly WireOrder[];
  readonly issuers: readonly { readonly issuer: Address; readonly signature: Hex; readonly items: readonly (WireItem | Hex)[] }[];
  readonly verifiers: readonly {
    readonly verifier: Address;
    readonly deadline: number;
    readonly signature: Hex;
    readonly verdicts: readonly (WireVerdict | Hex)[];
  }[];
}

/** The malformed part of a wave, from `offset` on. */
const malformed = (offset: number) => new RuleError("MalformedWave", offset);

const number = (value: number | bigint, bytes: number): Hex => numberToHex(value, { size: bytes });
const place = ({ node, attempt }: Place, slot: number): Hex => concat([number(node, 1), number(slot, 1), number(attempt, 1)]);

/** The address without its checksum. */
const plain = (text: Hex): Hex => `0x${text.slice(2).toLowerCase()}`;

function packOpening({ salt, outputHash, trailRoot, envelopeRoot, items, classes }: Opening): Hex {
  return concat([salt, outputHash, trailRoot, envelopeRoot, number(items, 1), number(classes, 12)]);
}

/** Argument of `commitWave`. At most 255 signers with 255 pledges each. */
export function encodeCommitWave({ signers, pledges }: CommitWave): Hex {
  const count = (signer: number) => pledges.filter((pledge) => pledge.signer === signer).length;
  return concat([
    number(signers.length, 1),
    ...signers.map(({ agent, deadline, signature }, at) => concat([plain(agent), number(deadline, 5), number(count(at), 1), signature])),
    number(pledges.length, 2),
    ...pledges.map((pledge) => {
      const isOpen = "opening" in pledge;
      const head = concat([place(pledge, isOpen ? pledge.slot | OPENED : pledge.slot), number(pledge.signer, 1)]);
      return concat([head, isOpen ? packOpening(pledge.opening) : pledge.commitment]);
    }),
  ]);
}

/** Argument of `revealWave`. */
export function encodeRevealWave(reveals: readonly WireReveal[]): Hex {
  return concat([number(reveals.length, 2), ...reveals.map((reveal) => concat([place(reveal, reveal.slot), packOpening(reveal.opening)]))]);
}

/** Argument of `clear`, `previewClear` and `post`. At most 255 orders, issuers and verifiers, with 255 entries each. */
export function encodeClearWave({ orders, issuers, verifiers }: ClearWave): Hex {
  return concat([
    number(orders.length, 1),
    ...orders.flatMap(({ node, openings }) => [number(node, 1), number(openings.length, 1), ...openings.map(packOpening)]),
    number(issuers.length, 1),
    ...issuers.flatMap(({ issuer, signature, items }) => [
      plain(issuer),
      number(items.length, 1),
      number(size(signature), 2),
      signature,
      ...items.map((item) => (typeof item === "string" ? concat([number(ELSEWHERE, 1), item]) : packItem(item))),
    ]),
    number(verifiers.length, 1),
    ...verifiers.flatMap(({ verifier, deadline, signature, verdicts }) => [
      plain(verifier),
      number(deadline, 5),
      number(verdicts.length, 1),
      signature,
      ...verdicts.map((verdict) => (typeof verdict === "string" ? concat([number(ELSEWHERE, 1), verdict]) : packVerdict(verdict))),
    ]),
  ]);
}

function packItem({ order, slot, index, kind, class: code, payload, proof }: WireItem): Hex {
  return concat([...[order, slot, index, kind, code].map((each) => number(each, 1)), payload, number(proof.length, 1), ...proof]);
}

function packVerdict({ order, question, result, confidence, score, agreeing, basis }: WireVerdict): Hex {
  const head = [order, question, result].map((each) => number(each, 1));
  return concat([...head, number(confidence, 2), number(score, 2), number(agreeing, 1), number(basis, 20)]);
}

/** Reads bytes from the front. Throws RuleError MalformedWave if they end too early, or too late. */
function reader(wave: Hex) {
  const length = size(wave);
  let at = 0;
  /** Requires this many remaining bytes. */
  const need = (count: number): void => {
    if (at + count > length) throw malformed(length);
  };
  const bytes = (count: number): Hex => {
    need(count);
    at += count;
    return slice(wave, at - count, at);
  };
  const read = (count: number): number => Number(bytes(count));
  return {
    need,
    bytes,
    read,
    at: () => at,
    opening: (): Opening => ({
      salt: bytes(32),
      outputHash: bytes(32),
      trailRoot: bytes(32),
      envelopeRoot: bytes(32),
      items: read(1),
      classes: BigInt(bytes(12)),
    }),
    end: () => {
      if (at !== length) throw malformed(at);
    },
  };
}

export function decodeCommitWave(wave: Hex): CommitWave {
  const from = reader(wave);
  const counts: { readonly at: number; readonly count: number }[] = [];
  const signers = Array.from({ length: from.read(1) }, (): WireSigner => {
    const agent = getAddress(from.bytes(20));
    const deadline = from.read(5);
    counts.push({ count: from.read(1), at: from.at() });
    return { agent, deadline, signature: from.bytes(SIGNATURE) };
  });
  const seen = signers.map(() => 0);
  const length = from.read(2);
  if (length * PLEDGE > size(wave) - from.at()) throw malformed(size(wave));
  const pledges = Array.from({ length }, (): WirePledge => {
    const [node, slot, attempt, signer] = [from.read(1), from.read(1), from.read(1), from.read(1)];
    const before = seen[signer];
    if (before === undefined) throw malformed(from.at() - 1);
    const isOpen = (slot & OPENED) !== 0;
    const head = { node, slot: slot & ~OPENED, attempt, signer };
    const pledge = isOpen ? { ...head, opening: from.opening() } : { ...head, commitment: from.bytes(32) };
    if (before === counts[signer]?.count) throw malformed(from.at());
    seen[signer] = before + 1;
    return pledge;
  });
  from.end();
  for (const [signer, { at, count }] of counts.entries()) if (seen[signer] !== count) throw malformed(at);
  return { signers, pledges };
}

export function decodeRevealWave(wave: Hex): readonly WireReveal[] {
  const from = reader(wave);
  const reveals = Array.from({ length: from.read(2) }, (): WireReveal => {
    const [node, slot, attempt] = [from.read(1), from.read(1), from.read(1)];
    return { node, slot, attempt, opening: from.opening() };
  });
  from.end();
  return reveals;
}

export function decodeClearWave(wave: Hex): ClearWave {
  const from = reader(wave);
  /** A byte that must not exceed `most`. */
  const code = (most: number): number => {
    const value = from.read(1);
    if (value > most) throw malformed(from.at() - 1);
    return value;
  };
  /** A length in one byte, then that many entries. */
  const list = <Entry>(length: number, read: () => Entry): Entry[] => Array.from({ length }, read);
  const nodes = new Set<number>();
  const orders = list(from.read(1), (): WireOrder => {
    const node = from.read(1);
    if (nodes.has(node)) throw malformed(from.at() - 1);
    nodes.add(node);
    return { node, openings: list(from.read(1), from.opening) };
  });
  const entry = <Entry>(read: (order: number) => Entry) => {
    const order = from.read(1);
    if (order === ELSEWHERE) return from.bytes(32);
    if (order >= orders.length) throw malformed(from.at() - 1);
    return read(order);
  };
  const item = (order: number): WireItem => {
    from.need(4);
    const [slot, index, kind] = [from.read(1), from.read(1), from.read(1)];
    return { order, slot, index, kind, class: code(CLASSES), payload: from.bytes(32), proof: list(from.read(1), () => from.bytes(32)) };
  };
  const verdict = (order: number): WireVerdict => {
    from.need(VERDICT);
    const [question, result, confidence, score, agreeing] = [code(QUESTIONS), code(RESULTS), from.read(2), from.read(2), from.read(1)];
    return { order, question, result, confidence, score, agreeing, basis: BigInt(from.bytes(20)) };
  };
  const issuers = list(from.read(1), () => {
    const [issuer, items, length] = [getAddress(from.bytes(20)), from.read(1), from.read(2)];
    return { issuer, signature: from.bytes(length), items: list(items, () => entry(item)) };
  });
  const verifiers = list(from.read(1), () => {
    const [verifier, deadline, verdicts] = [getAddress(from.bytes(20)), from.read(5), from.read(1)];
    return { verifier, deadline, signature: from.bytes(SIGNATURE), verdicts: list(verdicts, () => entry(verdict)) };
  });
  from.end();
  return { orders, issuers, verifiers };
}

/** One node before packing: each item and each verdict with the signature over its list. */
export interface ClearOrder extends WireOrder {
  readonly items: readonly (Omit<WireItem, "order"> & { readonly issuer: Address; readonly signature: Hex })[];
  readonly verdicts: readonly (Omit<WireVerdict, "order"> & {
    readonly verifier: Address;
    readonly deadline: number;
    readonly signature: Hex;
  })[];
}

/** Groups entries by signature; lists were signed in the order of the given nodes. */
export function clearWaveOf(orders: readonly ClearOrder[]): ClearWave {
  const items = orders.flatMap((one, order) => one.items.map((item) => ({ ...item, order })));
  const verdicts = orders.flatMap((one, order) => one.verdicts.map((verdict) => ({ ...verdict, order })));
  return {
    orders,
    issuers: bySignature(items, ({ issuer }) => issuer).map(([{ issuer, signature }, own]) => ({ issuer, signature, items: own })),
    verifiers: bySignature(verdicts, ({ verifier, deadline }) => `${verifier}/${deadline}`).map(
      ([{ verifier, deadline, signature }, own]) => ({ verifier, deadline, signature, verdicts: own }),
    ),
  };
}

function bySignature<Entry extends { readonly signature: Hex }>(
  entries: readonly Entry[],
  signerOf: (entry: Entry) => string,
): (readonly [Entry, readonly Entry[]])[] {
  const lists = new Map<string, [Entry, Entry[]]>();
  for (const entry of entries) {
    const key = `${signerOf(entry)}/${entry.signature}`;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [entry, [entry]]);
    else list[1].push(entry);
  }
  return [...lists.values()];
}

/** A place as one number, which an executor signs for in `Commits`. */
export function placeKey({ node, attempt, slot }: Place): bigint {
  return (BigInt(node) << 16n) | (BigInt(attempt) << 8n) | BigInt(slot);
}

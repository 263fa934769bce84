/** Twin of `contracts/libraries/Wire.sol`, which draws the layouts: packed bytes of a wave. */
import { type Address, concat, getAddress, type Hex, numberToHex, size, slice } from "viem";
import type { Opening } from "./commitments.ts";
import { RuleError } from "./rule-error.ts";

const SIGNATURE = 65;
/** The shortest pledge, which is sealed. */
const PLEDGE = 36;
/** In a pledge's slot: an opening follows, not a commitment. */
const OPENED = 0x80;

/** Who signed a part of a wave; the signature covers its pledges in the order of the wave (`Commits`). */
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

/** Bytes that are no wave, from `offset` on. */
const malformed = (offset: number) => new RuleError("MalformedWave", offset);

const number = (value: number | bigint, bytes: number): Hex => numberToHex(value, { size: bytes });
const place = ({ node, attempt }: Place, slot: number): Hex => concat([number(node, 1), number(slot, 1), number(attempt, 1)]);

/** Without the capitals that check an address. */
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

/** Reads bytes from the front. Throws RuleError MalformedWave where they end too early, or not where they should. */
function reader(wave: Hex) {
  const length = size(wave);
  let at = 0;
  const bytes = (count: number): Hex => {
    if (at + count > length) throw malformed(length);
    at += count;
    return slice(wave, at - count, at);
  };
  const read = (count: number): number => Number(bytes(count));
  return {
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

/** One number for a place: what an executor signs for, in `Commits`. */
export function placeKey({ node, attempt, slot }: Place): bigint {
  return (BigInt(node) << 16n) | (BigInt(attempt) << 8n) | BigInt(slot);
}

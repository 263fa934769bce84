import { InvalidValue } from "./errors.ts";
import { sha256Binary, sha256Bytes } from "./hash.ts";

/**
 * A seeded stream of choices. The same seed and names give the same choices on every platform: block i is sha256(key ‖ i), key = sha256
 * over the length-prefixed seed and names (decision 48: one stream per agent and purpose).
 */
export interface RandomStream {
  /** A double in [0, 1) with 53 random bits. */
  next(): number;
  /** An integer in [0, below), without bias. `below` is 1 … 2^53. */
  int(below: number): number;
  /** One element of a non-empty list. */
  pick<Item>(items: readonly Item[]): Item;
  /** A new list in random order. */
  shuffle<Item>(items: readonly Item[]): Item[];
  bytes(count: number): Uint8Array;
  /** An independent stream; drawing from it does not advance this one. */
  fork(...names: readonly (string | number)[]): RandomStream;
}

export type Seed = string | number | bigint;

const DOMAIN = "agentcity/random/1";

export function randomStream(seed: Seed, ...names: readonly (string | number)[]): RandomStream {
  return stream([String(seed), ...names.map(String)]);
}

function stream(path: readonly string[]): RandomStream {
  const input = new Uint8Array(40);
  input.set(streamKey(path));
  const view = new DataView(input.buffer);
  let counter = 0n;
  let block = "";
  let used = 0;

  function byte(): number {
    if (used === block.length) {
      view.setBigUint64(32, counter);
      block = sha256Binary(input);
      counter += 1n;
      used = 0;
    }
    const value = block.charCodeAt(used);
    used += 1;
    return value;
  }

  /** 53 bits, most significant first; the low 3 bits of the seventh byte are dropped. */
  function bits53(): number {
    let value = 0;
    for (let index = 0; index < 6; index += 1) value = value * 256 + byte();
    return value * 32 + (byte() >> 3);
  }

  function int(below: number): number {
    if (!Number.isSafeInteger(below) || below < 1)
      throw new InvalidValue("int", "the bound must be a positive integer", { details: String(below) });
    for (;;) {
      const value = bits53();
      // The remainder and the limit by division, which is several times as fast. It is exact: no quotient below 2^53 is rounded up to an integer.
      const start = Math.floor(value / below) * below;
      if (start <= 2 ** 53 - below) return value - start;
    }
  }

  return {
    next: () => bits53() / 2 ** 53,
    int,
    pick(items) {
      if (items.length === 0) throw new InvalidValue("pick", "the list is empty");
      return items[int(items.length)] as (typeof items)[number];
    },
    shuffle(items) {
      const rest = [...items];
      const shuffled: typeof rest = [];
      while (rest.length > 0) shuffled.push(...rest.splice(int(rest.length), 1));
      return shuffled;
    },
    bytes(count) {
      const out = new Uint8Array(count);
      for (let index = 0; index < count; index += 1) out[index] = byte();
      return out;
    },
    fork: (...names) => stream([...path, ...names.map(String)]),
  };
}

function streamKey(path: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = [DOMAIN, ...path].map((part) => encoder.encode(part));
  const input = new Uint8Array(parts.reduce((total, part) => total + 4 + part.length, 0));
  const view = new DataView(input.buffer);
  let offset = 0;
  for (const part of parts) {
    view.setUint32(offset, part.length);
    input.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return sha256Bytes(input);
}

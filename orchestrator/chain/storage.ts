/** Decodes changes of a contract's storage by the compiler's layout (`abi/layouts.ts`). */
import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, numberToHex } from "viem";

/** Name, word, byte offset from the word's right, and type; a member's word counts from the start of its struct. */
export type StoragePlace = readonly [name: string, slot: number, offset: number, type: string];

export interface StorageType {
  readonly encoding: "inplace" | "mapping" | "dynamic_array" | "bytes";
  readonly bytes: number;
  readonly key?: string;
  readonly value?: string;
  readonly base?: string;
  readonly members?: readonly StoragePlace[];
}

export interface Layout {
  readonly places: readonly StoragePlace[];
  /** By Solidity name. */
  readonly types: Readonly<Record<string, StorageType>>;
}

/** By word: old and new value. */
export type Changed = ReadonlyMap<bigint, readonly [from: Hex, to: Hex]>;

/** Possible keys of mappings: storage keeps only hashes of keys, so entries are found for known keys only. */
export interface Keys {
  readonly addresses: readonly Address[];
  readonly numbers: readonly bigint[];
  readonly words: readonly Hex[];
}

export interface Change {
  /** `head.state`, `_nonces[0x…]`; the word's number if its key is unknown. */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

/** Largest number of mapping entries to try per contract: each costs a hash. */
const MOST = 20_000;
/** Largest number of words of a list to decode. */
const MAX_WORDS = 4_096;

/** Every change by name and value, in the order of the layout; changes under unknown keys come last, as words. */
export function namedChanges({ places, types }: Layout, changed: Changed, keys: Keys): readonly Change[] {
  const found: Change[] = [];
  const open = new Set(changed.keys());
  let left = MOST;

  function value(name: string, slot: bigint, offset: number, type: string, bytes: number): void {
    const words = changed.get(slot);
    if (words === undefined) return;
    open.delete(slot);
    const [from, to] = words.map((word) => (BigInt(word) >> BigInt(8 * offset)) & ((1n << BigInt(8 * bytes)) - 1n));
    if (from !== to) found.push({ what: name, from: written(from ?? 0n, type, bytes), to: written(to ?? 0n, type, bytes) });
  }

  function visit(name: string, slot: bigint, offset: number, type: string): void {
    const { encoding, bytes, key, value: entry, base, members } = types[type] ?? { encoding: "inplace", bytes: 32 };
    if (key !== undefined && entry !== undefined) {
      for (const [said, word] of entriesOf(key, keys)) {
        if (open.size === 0 || left <= 0) return;
        left -= 1;
        visit(`${name}[${said}]`, placeOf(word, slot), 0, entry);
      }
    } else if (encoding === "dynamic_array" && base !== undefined) {
      value(`${name}.length`, slot, 0, "uint256", 32);
      elements(name, BigInt(keccak256(numberToHex(slot, { size: 32 }))), base, MAX_WORDS);
    } else if (members !== undefined) {
      for (const [member, at, within, of] of members) visit(`${name}.${member}`, slot + BigInt(at), within, of);
    } else if (base !== undefined) {
      elements(name, slot, base, bytes / 32);
    } else {
      value(name, slot, offset, type, bytes);
    }
  }

  /** Elements of a list in this many words, packed where several fit into one. */
  function elements(name: string, first: bigint, base: string, room: number): void {
    const bytes = types[base]?.bytes ?? 32;
    const [together, words] = bytes > 32 ? [1, bytes / 32] : [Math.floor(32 / bytes), 1];
    const changes = [...open].map((slot) => Number(slot - first)).filter((word) => word >= 0 && word < room);
    for (const place of new Set(changes.map((word) => Math.floor(word / words)))) {
      for (let index = place * together; index < (place + 1) * together; index += 1)
        visit(`${name}[${index}]`, first + BigInt(place * words), (index % together) * bytes, base);
    }
  }

  for (const [name, slot, offset, type] of places) visit(name.replace(/^_/, ""), BigInt(slot), offset, type);
  for (const slot of open) {
    const [from = "0x", to = "0x"] = changed.get(slot) ?? [];
    if (from !== to) found.push({ what: `word ${numberToHex(slot, { size: 32 })}`, from, to });
  }
  return found;
}

/** Known keys of a mapping, as displayed and as hashed. */
function* entriesOf(type: string, { addresses, numbers, words }: Keys): Generator<readonly [string, Hex]> {
  if (type === "address" || type.startsWith("contract ")) {
    for (const address of addresses) yield [address, encodeAbiParameters([{ type: "address" }], [address])];
  } else if (type.startsWith("bytes")) {
    for (const word of words) yield [word, word];
  } else {
    for (const number of numbers) yield [String(number), numberToHex(number, { size: 32 })];
  }
}

function placeOf(key: Hex, slot: bigint): bigint {
  return BigInt(keccak256(`${key}${numberToHex(slot, { size: 32 }).slice(2)}`));
}

function written(value: bigint, type: string, bytes: number): string {
  if (type === "bool") return value === 0n ? "no" : "yes";
  if (type === "address" || type.startsWith("contract ")) return getAddress(numberToHex(value, { size: 20 }));
  if (type.startsWith("bytes") || type === "string") return numberToHex(value, { size: bytes });
  const isBelowZero = type.startsWith("int") && value >> BigInt(8 * bytes - 1) === 1n;
  return String(isBelowZero ? value - (1n << BigInt(8 * bytes)) : value);
}

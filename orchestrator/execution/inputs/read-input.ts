import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { InputKind, Item } from "../../../services/shared/contract.ts";
import { sha256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { InputEmpty, InputNotFound, InputTooLarge, InputUnreadable } from "./errors.ts";
import { readCsv } from "./read-csv.ts";
import { readFiles } from "./read-files.ts";
import { readPackages } from "./read-packages.ts";
import { readUrls } from "./read-urls.ts";

/** A mission file's description of its input. `path` is relative to `from` unless absolute. */
export interface InputSource {
  readonly kind: InputKind;
  readonly path: string;
}

/** A part of an input that is not an item, and why. */
export interface Skipped {
  readonly id: string;
  readonly reason: string;
}

/** A reader's result. An item that could not be read fully says so in its `problem`. */
export interface ReadItems {
  readonly items: Item[];
  readonly skipped: readonly Skipped[];
  /** Remarks on the input as a whole: `read as windows-1252`. */
  readonly remarks: readonly string[];
}

/** A mission's input as read: items by id in code-unit order. */
export interface MissionInput {
  readonly kind: InputKind;
  readonly items: readonly Item[];
  readonly skipped: readonly Skipped[];
  readonly remarks: readonly string[];
  /** Content-id digest (sha2-256) of the items' RFC 8785 bytes. */
  readonly digest: Hash;
}

/** Maximum number of items: a mission has at most 256 nodes, and one node must finish within its timeout. */
export const MAX_ITEMS = 50_000;

/** Reads the input from disk. The same tree gives the same items and hash at any location. */
export function readInput(source: InputSource, from: string): MissionInput {
  const path = resolve(from, source.path);
  if (!existsSync(path)) throw new InputNotFound(source.path, from);
  const status = statSync(path);
  if (!status.isFile() && !status.isDirectory()) throw new InputUnreadable(source.path, "it is neither a file nor a folder");
  const read = { packages: allOf(readPackages), files: readFiles, csv: readCsv, urls: allOf(readUrls) }[source.kind];
  const { items, skipped, remarks } = read(realpathSync(path));
  items.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  if (items.length === 0) throw new InputEmpty(source.path, source.kind);
  if (items.length > MAX_ITEMS) throw new InputTooLarge(source.path, `${items.length} items; at most ${MAX_ITEMS}`);
  return { kind: source.kind, items, skipped, remarks, digest: digestOfItems(items) };
}

function allOf(read: (path: string) => Item[]): (path: string) => ReadItems {
  return (path) => ({ items: read(path), skipped: [], remarks: [] });
}

/** Number of names listed. */
const NAMED = 3;

/** Describes the input: number of items, what was left out, other encodings, and what could not be read fully. */
export function describeInput({ kind, items, skipped, remarks }: MissionInput): string {
  const odd = items.flatMap(({ id, problem }) => (typeof problem === "string" ? [`${id}: ${problem}`] : []));
  const other = items.flatMap(({ id, encoding }) => (typeof encoding === "string" && encoding !== "utf-8" ? [`${id}: ${encoding}`] : []));
  const left = skipped.map(({ id, reason }) => `${id}: ${reason}`);
  const listed = (lines: readonly string[]): string => `${lines.slice(0, NAMED).join("; ")}${lines.length > NAMED ? "; …" : ""}`;
  return [
    `input: ${items.length} items of kind ${kind}`,
    ...remarks,
    ...(left.length === 0 ? [] : [`${left.length} left out (${listed(left)})`]),
    ...(other.length === 0 ? [] : [`${other.length} in another encoding than UTF-8 (${listed(other)})`]),
    ...(odd.length === 0 ? [] : [`${odd.length} with a problem (${listed(odd)})`]),
  ].join(" · ");
}

/** The digest of these items; equal parts of different inputs have equal digests. */
export function digestOfItems(items: readonly Item[]): Hash {
  return sha256(canonicalBytes(items));
}

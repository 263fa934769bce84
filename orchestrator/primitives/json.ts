import canonicalize from "canonicalize";
import { AgentCityError } from "./errors.ts";
import { keepNewest } from "./recent.ts";

/** A value that JSON can hold without loss. Numbers are doubles; amounts travel as decimal text. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value or text is not strict JSON. `path` locates the problem, e.g. `$.nodes[2].budget`. */
export class NotJson extends AgentCityError {
  readonly path: string;
  constructor(path: string, problem: string, cause?: unknown) {
    super("NotJson", `Not strict JSON at ${path}: ${problem}`, { cause });
    this.path = path;
  }
}

/**
 * RFC 8785 text of a value. Everything a serializer would silently drop or convert (undefined, NaN, bigint, `toJSON`,
 * class instances, holes, lone surrogates) is refused, so that equal bytes mean equal values.
 */
export function canonicalJson(value: unknown): string {
  const written = textOf(value, 0);
  if (written !== undefined) return written;
  // Invalid, or nested unusually deep: the slow path reports the place or writes it.
  assertJson(value);
  const text = canonicalize(value);
  if (text === undefined) throw new NotJson("$", "nothing to serialize");
  return text;
}

const DEEP = 64;
/** Serialised member names: there are few, and they recur. */
const keyTexts = new Map<string, string>();
const MAX_KEYS = 4_096;

/** The text in one pass; undefined for everything that `assertJson` refuses, and for nesting too deep to be sure. */
function textOf(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return stringText(value);
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === DEEP) return undefined;
      return Array.isArray(value) ? listText(value, depth + 1) : objectText(value, depth + 1);
    default:
      return undefined;
  }
}

/** Text that needs no escaping: printable ASCII without quote and backslash, which most texts are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function stringText(text: string): string | undefined {
  if (PLAIN.test(text)) return `"${text}"`;
  return text.isWellFormed() ? JSON.stringify(text) : undefined;
}

function listText(list: readonly unknown[], depth: number): string | undefined {
  if (Object.keys(list).length !== list.length) return undefined;
  let text = "[";
  for (let index = 0; index < list.length; index += 1) {
    const item = textOf(list[index], depth);
    if (item === undefined) return undefined;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function objectText(value: object, depth: number): string | undefined {
  if (!isPlain(value)) return undefined;
  const { keys, starts } = layoutOf(Object.keys(value));
  let text = "{";
  for (let place = 0; place < keys.length; place += 1) {
    const start = starts[place];
    const child = start === undefined ? undefined : textOf((value as Readonly<Record<string, unknown>>)[keys[place] ?? ""], depth);
    if (child === undefined) return undefined;
    text += start + child;
  }
  return `${text}}`;
}

/** How objects with these member names are written: the names in order, and the text before each value; undefined for a name refused. */
interface Layout {
  readonly given: readonly string[];
  readonly keys: readonly string[];
  readonly starts: readonly (string | undefined)[];
}
/** The last layout by first name and number of names: objects of one kind list their members alike. Limited, since names come from outside. */
const layouts = new Map<string, Layout[]>();
const MAX_LAYOUTS = 256;
const MOST_MEMBERS = 32;
const LONGEST_NAME = 64;

function layoutOf(given: string[]): Layout {
  const [first = ""] = given;
  const recent = layouts.get(first);
  const known = recent?.[given.length];
  if (known !== undefined && isSameList(known.given, given)) return known;
  const keys = inOrder([...given]);
  const layout = { given, keys, starts: keys.map((key, place) => startText(key, place)) };
  if (given.length > MOST_MEMBERS || given.some((name) => name.length > LONGEST_NAME)) return layout;
  const kept = recent ?? [];
  kept[given.length] = layout;
  if (recent === undefined) keepNewest(layouts, first, kept, MAX_LAYOUTS);
  return layout;
}

function startText(key: string, place: number): string | undefined {
  const name = keyTexts.get(key) ?? keyText(key);
  return name === undefined ? undefined : `${place === 0 ? "" : ","}${name}:`;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return false;
  return one.length === other.length;
}

/** Sorts in place by UTF-16 code unit, as RFC 8785 requires. For few names insertion sort is faster. */
function inOrder(keys: string[]): readonly string[] {
  if (keys.length > FEW) return keys.sort();
  for (let place = 1; place < keys.length; place += 1) {
    const key = keys[place] ?? "";
    let at = place;
    for (let before = keys[at - 1] ?? ""; at > 0 && before > key; before = keys[at - 1] ?? "") {
      keys[at] = before;
      at -= 1;
    }
    keys[at] = key;
  }
  return keys;
}
const FEW = 16;

function keyText(key: string): string | undefined {
  if (!isName(key)) return undefined;
  const text = JSON.stringify(key);
  if (keyTexts.size < MAX_KEYS) keyTexts.set(key, text);
  return text;
}

const UTF_8 = new TextEncoder();

/** UTF-8 bytes of the RFC 8785 text, which are hashed and stored. */
export function canonicalBytes(value: unknown): Uint8Array {
  return UTF_8.encode(canonicalJson(value));
}

/** Parses JSON text; refuses duplicate keys, integers that lose digits, lone surrogates and `__proto__`. */
export function parseJson(text: string): JsonValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NotJson("$", cause instanceof Error ? cause.message : "syntax error", cause);
  }
  assertTokens(text);
  assertJson(value);
  return value;
}

/** Parses text that must already be canonical: any other spelling of the same value is refused. */
export function parseCanonicalJson(text: string): JsonValue {
  const value = parseJson(text);
  if (canonicalJson(value) !== text) throw new NotJson("$", "the text is valid JSON but not in RFC 8785 form");
  return value;
}

/** Decodes UTF-8 strictly, then parses. */
export function parseJsonBytes(bytes: Uint8Array): JsonValue {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NotJson("$", "the bytes are not UTF-8", cause);
  }
  return parseJson(text);
}

/** Narrows a value to plain JSON data. Throws NotJson. */
export function assertJson(value: unknown): asserts value is JsonValue {
  if (!isStrict(value, 0)) check(value, "$", []);
}

/** The same without a place for the error; false also for nesting too deep to be sure, such as of a value that contains itself. */
function isStrict(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "boolean":
      return true;
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (depth === DEEP) return false;
      return Array.isArray(value) ? isStrictList(value, depth + 1) : isStrictObject(value, depth + 1);
    default:
      return false;
  }
}

function isStrictList(list: readonly unknown[], depth: number): boolean {
  if (Object.keys(list).length !== list.length) return false;
  for (let index = 0; index < list.length; index += 1) if (!isStrict(list[index], depth)) return false;
  return true;
}

function isStrictObject(value: object, depth: number): boolean {
  if (!isPlain(value)) return false;
  for (const key of Object.keys(value)) {
    if (!isName(key) || !isStrict((value as Readonly<Record<string, unknown>>)[key], depth)) return false;
  }
  return true;
}

/** An object without a class and without symbols. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0;
}

/** Whether a member may have this name: one that `check` refuses would not be written as it is. */
function isName(key: string): boolean {
  return key !== "toJSON" && key !== "__proto__" && key.isWellFormed();
}

function check(value: unknown, path: string, parents: readonly object[]): void {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      if (!value.isWellFormed()) throw new NotJson(path, "a lone surrogate is not text");
      return;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson(path, `${value} is not a JSON number`);
      return;
    case "object":
      if (value === null) return;
      checkObject(value, path, parents);
      return;
    default:
      throw new NotJson(path, `a ${typeof value} is not JSON`);
  }
}

function checkObject(value: object, path: string, parents: readonly object[]): void {
  if (parents.includes(value)) throw new NotJson(path, "the value contains itself");
  const inside = [...parents, value];
  if (Array.isArray(value)) {
    if (Object.keys(value).length !== value.length) throw new NotJson(path, "an array with holes or extra keys is not JSON");
    for (let index = 0; index < value.length; index += 1) check(value[index], `${path}[${index}]`, inside);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotJson(path, `a ${value.constructor?.name ?? "class instance"} is not a plain object`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) throw new NotJson(path, "a symbol is not a JSON key");
  for (const [key, child] of Object.entries(value)) {
    if (key === "toJSON") throw new NotJson(path, "a toJSON key would change how the value is written");
    if (key === "__proto__") throw new NotJson(path, "__proto__ is not allowed as a key");
    if (!key.isWellFormed()) throw new NotJson(path, "a key holds a lone surrogate");
    check(child, `${path}.${key}`, inside);
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/** Finds what JSON.parse accepts silently. The text is known to be well-formed, so a scan over its tokens suffices. */
function assertTokens(text: string): void {
  const scopes: (Set<string> | undefined)[] = [];
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") scopes.push(new Set());
    else if (token === "[") scopes.push(undefined);
    else if (token === "}" || token === "]") scopes.pop();
    else if (token === ":") {
      const key = String(JSON.parse(previous));
      const keys = scopes.at(-1);
      if (keys?.has(key)) throw new NotJson("$", `the key ${previous} appears twice in one object`);
      keys?.add(key);
    } else if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
      throw new NotJson("$", `the integer ${token} loses digits as a JSON number; write it as text`);
    }
    previous = token;
  }
}

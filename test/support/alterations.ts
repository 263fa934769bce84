import { canonicalJson, isObject, type JsonValue } from "../../orchestrator/primitives/json.ts";

/** What a question says that no answer rests on: which nodes of a mission it is about (another node of the same terms is another question), facts for a mind, bounds of a run, and what others than the agent signed for. */
const FREE: Readonly<Record<string, RegExp>> = {
  bid: /^(producers|freeStake|nodes\/\d+(\/(node|services.*|barred.*))?$)/,
  perform: /^(seconds|tools|messages)$/,
  draft: /^(?!session|stage|round)/,
  // What others think and say, and what of a goal no document repeats.
  speak: /^(producers|failed|debate|goal|law\/failed|law\/shape\/tasks\/\d+\/weight)/,
  rank: /^(producers|failed|debate|goal\/(tasks|coverage)|laws\/\d+\/(failed|shape\/tasks\/\d+\/weight))/,
  sign: /^message\/turn$/,
  seal: /^document\/body\/items\/\d+\/(?!content|ref)/,
};

export const isFree = (kind: string, path: string) => FREE[kind]?.test(path) === true;

/** Fields that are moments: a later or an earlier one has to be refused, the next second need not be. */
const TIMES = /(deadline|since|attested_at|attestedAt|issuedAt|submitted_at)$/;

/** The same question with one leaf changed, for every leaf; and with one element of a list left out. */
export function alterations(value: JsonValue, path = ""): { readonly path: string; readonly value: JsonValue }[] {
  const at = (key: string | number) => (path === "" ? String(key) : `${path}/${key}`);
  if (Array.isArray(value)) {
    const each = value.flatMap((element: JsonValue, index) =>
      alterations(element, at(index)).map((one) => ({ ...one, value: value.with(index, one.value) as JsonValue })),
    );
    return value.length === 0 ? each : [...each, { path: at(0), value: value.slice(1) }];
  }
  if (isObject(value))
    return Object.entries(value).flatMap(([key, own]) =>
      alterations(own, at(key)).map((one) => ({ ...one, value: { ...value, [key]: one.value } })),
    );
  return [{ path, value: altered(path, value) }];
}

/** The same question with one of its fields as it is in another question of its kind: each is true somewhere. */
export function splices(value: JsonValue, other: JsonValue): { readonly path: string; readonly value: JsonValue }[] {
  if (!isObject(value) || !isObject(other)) return [];
  const isAsked = (spliced: JsonValue) => [value, other].some((own) => canonicalJson(own) === canonicalJson(spliced));
  return Object.keys(value).flatMap((path) => {
    if (TIMES.test(path)) return [];
    const spliced = { ...value, [path]: other[path] ?? null };
    return isAsked(spliced) ? [] : [{ path, value: spliced }];
  });
}

function altered(path: string, value: JsonValue): JsonValue {
  if (TIMES.test(path)) {
    if (typeof value === "number") return value * 2;
    return /^\d+$/.test(String(value)) ? String(2n * BigInt(String(value))) : String(value).replace(/^\d{4}/, "2001");
  }
  // A round that no debate has: an agent may have said the same in another one.
  if (/(^|\/)round$/.test(path)) return Number(value) + 100;
  if (typeof value === "number") return value === 0 ? 1 : value - 1;
  if (typeof value === "boolean") return !value;
  if (value === null) return "0x00000000000000000000000000000000000000aa";
  const text = String(value);
  // Of another account, and not one with a slip of the pen in its checksum.
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return `${text.slice(0, -1)}${text.endsWith("1") ? "2" : "1"}`.toLowerCase();
  if (/^0x[0-9a-fA-F]+$/.test(text)) return `${text.slice(0, -1)}${text.endsWith("1") ? "2" : "1"}`;
  return /^\d+$/.test(text) ? String(BigInt(text) + 1n) : `${text}x`;
}

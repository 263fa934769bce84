import { canonicalJson, isObject, type JsonValue, parseJsonBytes } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { type Agreement, sameIdentity } from "./schema.ts";
import type { CheckFinding, Checks } from "./verification.ts";

/** A delivery under another agreement, as its evaluator kept it. */
export interface EarlierDelivery {
  readonly agreement: Agreement;
  readonly content: Uint8Array;
}

/** The provider chooses what it states, so both say what none of its choices can raise. */
export interface Comparing {
  /** Earlier deliveries, oldest first; those of other providers or for other tasks do not count. */
  readonly earlier: readonly EarlierDelivery[];
  /** Statements in common with them that full marks require. */
  readonly least: number;
}

/** Earlier deliveries that are compared: the latest ones. */
export const MOST_EARLIER = 8;
/** Contradictions that the evidence names, and characters of each. A provider chooses the names, and could make a result too large to submit. */
const NAMED = 16;
const MOST_PATH = 200;

/**
 * Consistency across a provider's deliveries, for composite verification, as a check for `evaluateDelivery`: the percentage of statements
 * that say the same as in all its earlier deliveries for the same task, of those in common with any, or of `least`, if there are fewer. A
 * JSON deliverable states the value at each of its paths; items of a list are the same by their `id`, other lists are one value. Without an
 * earlier delivery nothing is contradicted. The evidence names paths, not values.
 */
export function consistency(
  agreement: Agreement,
  { earlier, least }: Comparing,
): (...of: Parameters<Checks[string]>) => Promise<Exclude<CheckFinding, number | boolean>> {
  const comparable = earlier.filter((each) => isOfTask(each.agreement, agreement)).slice(-MOST_EARLIER);
  const before = comparable.map(({ content }) => statementsIn(content));
  return async (content) => {
    if (before.length === 0) return { value: 100, evidence: "no earlier delivery for this task" };
    const common = [...statementsIn(content)].filter(([path]) => before.some((each) => each.has(path)));
    const contradicts = ([path, value]: readonly [string, string]) => before.some((each) => each.has(path) && each.get(path) !== value);
    const different = common.filter(contradicts).map(([path]) => path);
    const asked = Math.max(1, least, common.length);
    const same = common.length - different.length;
    const lines = different.slice(0, NAMED).map((path) => `contradicted: ${path.slice(0, MOST_PATH).toWellFormed() || "the whole"}`);
    const evidence = [`${same} of ${asked} statements as before; earlier deliveries: ${before.length}`, ...lines].join("\n");
    return { value: Math.floor((100 * same) / asked), evidence };
  };
}

/** Whether one was to do the same as the other, by the same provider, under other terms. */
function isOfTask(one: Agreement, other: Agreement): boolean {
  const taskOf = ({ service: { type, description, deliverable_format, deliverable_schema = {} } }: Agreement) =>
    canonicalJson([type, description, deliverable_format, deliverable_schema]);
  const isSame = sameIdentity(one.parties.provider.identity, other.parties.provider.identity) && taskOf(one) === taskOf(other);
  return isSame && agreementHash(one) !== agreementHash(other);
}

/** Values by path; none of what is not JSON, or nested more deeply than can be read. */
function statementsIn(content: Uint8Array): ReadonlyMap<string, string> {
  try {
    return new Map(statementsOf(parseJsonBytes(content), ""));
  } catch {
    return new Map();
  }
}

function statementsOf(value: JsonValue, path: string): readonly (readonly [string, string])[] {
  const members = membersOf(value);
  if (members === undefined) return [[path, canonicalJson(value)]];
  return members.flatMap(([name, member]) => statementsOf(member, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`));
}

/** Named parts of a value: an object's fields, or a list's items if each has an id of its own. */
function membersOf(value: JsonValue): readonly (readonly [string, JsonValue])[] | undefined {
  if (!Array.isArray(value)) return isObject(value) ? Object.entries(value) : undefined;
  const named = value.map((item: JsonValue) => [isObject(item) ? item["id"] : undefined, item] as const);
  const byId = new Map(named.flatMap(([id, item]) => (typeof id === "string" || typeof id === "number" ? [[String(id), item]] : [])));
  return value.length > 0 && byId.size === value.length ? [...byId] : undefined;
}

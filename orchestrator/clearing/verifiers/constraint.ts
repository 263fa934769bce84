import type { JsonValue } from "../../primitives/json.ts";
import type { AdmittedItem } from "../ingest.ts";
import { abstain, type CaseFile, type Check, conclude, type Finding, fieldOf, itemsOfType, type Seat, type Verifier } from "./verifier.ts";

/** A deterministic rule over the content of one artifact. */
export type Predicate = (content: JsonValue) => Check;

/** Checks by type of item. Every type must be present, so that leaving one out does not help. */
export type Rules = Readonly<Record<string, readonly Predicate[]>>;

/** Deterministic predicates over evidence: scope, dependencies, format (RAILS 5.6). */
export function constraintVerifier(seat: Seat & { readonly rules: Rules }): Verifier {
  return { ...seat, role: "constraint", examine: (file) => applyRules(seat, seat.rules, file, () => true) };
}

/** Applies the rules to their admissible items; abstains if a type has no item. */
export function applyRules(seat: Seat, rules: Rules, file: CaseFile, admissible: (item: AdmittedItem) => boolean): Finding {
  const basis: AdmittedItem[] = [];
  const checks: Check[] = [];
  for (const [type, predicates] of Object.entries(rules)) {
    const items = itemsOfType(file, [type], seat.answers).filter(admissible);
    if (items.length === 0) return abstain(`no ${type}`);
    for (const item of items) {
      const { content } = item.item;
      if (content === undefined) return abstain(`${item.item.id} does not travel with the envelope`);
      basis.push(item);
      checks.push(...predicates.map((holds) => holds(content)));
    }
  }
  return conclude(seat, basis, checks);
}

/** Every listed path is inside one of the permitted trees (`services/payments/*`). */
export function pathsWithin(path: string, trees: readonly string[]): Predicate {
  const roots = trees.map((tree) => tree.replace(/\*+$/, ""));
  return (content) => {
    const paths = stringsAt(content, path);
    if (paths === undefined) return { holds: false, why: `${path} lists no paths` };
    const outside = paths.filter((one) => one.split("/").includes("..") || !roots.some((root) => one.startsWith(root)));
    return {
      holds: outside.length === 0,
      why: outside.length === 0 ? `${path}: all inside ${trees.join(", ")}` : `outside: ${outside.join(", ")}`,
    };
  };
}

/** Everything listed is approved. */
export function onlyApproved(path: string, approved: readonly string[] = []): Predicate {
  return (content) => {
    const added = stringsAt(content, path);
    if (added === undefined) return { holds: false, why: `${path} is no list` };
    const foreign = added.filter((one) => !approved.includes(one));
    return {
      holds: foreign.length === 0,
      why: foreign.length === 0 ? `${path}: nothing unapproved` : `not approved: ${foreign.join(", ")}`,
    };
  };
}

export function equals(path: string, expected: string | number | boolean | null): Predicate {
  return (content) => {
    const found = fieldOf(content, path);
    return { holds: found === expected, why: `${path}: ${JSON.stringify(found ?? null)}, required ${JSON.stringify(expected)}` };
  };
}

export function atMost(path: string, limit: number): Predicate {
  return (content) => {
    const found = fieldOf(content, path);
    return { holds: typeof found === "number" && found <= limit, why: `${path}: ${JSON.stringify(found ?? null)}, at most ${limit}` };
  };
}

export function oneOf(path: string, allowed: readonly (string | number)[]): Predicate {
  return (content) => {
    const found = fieldOf(content, path);
    const holds = (typeof found === "string" || typeof found === "number") && allowed.includes(found);
    return { holds, why: `${path}: ${JSON.stringify(found ?? null)}, one of ${allowed.join(", ")}` };
  };
}

function stringsAt(content: JsonValue, path: string): readonly string[] | undefined {
  const list = fieldOf(content, path);
  if (!Array.isArray(list)) return undefined;
  const strings = list.filter((entry): entry is string => typeof entry === "string");
  return strings.length === list.length ? strings : undefined;
}

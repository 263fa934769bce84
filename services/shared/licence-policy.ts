import parse from "spdx-expression-parse";
import satisfies from "spdx-satisfies";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import type { ServiceInput } from "./contract.ts";
import { listOption } from "./options.ts";

/** What a policy says of a licence. */
export type Verdict = "allowed" | "unlisted" | "denied" | "unclear";

export interface Policy {
  /** SPDX ids or expressions; empty: whatever is not denied is allowed. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

const LICENCES = { type: "array", items: { type: "string", minLength: 1, maxLength: 200 }, maxItems: 200, default: [] };

/** Options of a service that has a policy. */
export const POLICY: JsonObject = {
  allow: { ...LICENCES, description: "SPDX ids that are allowed; empty: every licence that is not denied" },
  deny: { ...LICENCES, description: "SPDX ids that are denied; a choice (OR) with another licence is not" },
};

export function policyOf(input: ServiceInput): Policy {
  return { allow: listOption(input, "allow"), deny: listOption(input, "deny") };
}

type Expression = ReturnType<typeof parse>;

/** An SPDX expression as data, or undefined when it is none. */
export function expressionOf(text: string): Expression | undefined {
  try {
    return parse(text.trim());
  } catch {
    return undefined;
  }
}

/** Of a choice (`OR`) the best counts, of what binds together (`AND`) the worst. What is no SPDX expression is unclear. */
export function verdictOn(expression: string, policy: Policy): Verdict {
  const parsed = expressionOf(expression);
  return parsed === undefined ? "unclear" : judge(parsed, policy);
}

const BEST_FIRST: readonly Verdict[] = ["allowed", "unlisted", "denied", "unclear"];

function judge(expression: Expression, policy: Policy): Verdict {
  if (expression.conjunction !== undefined) {
    const [left, right] = [judge(expression.left, policy), judge(expression.right, policy)];
    const leftIsBetter = BEST_FIRST.indexOf(left) <= BEST_FIRST.indexOf(right);
    return leftIsBetter === (expression.conjunction === "or") ? left : right;
  }
  const name = textOf(expression);
  if (policy.deny.some((listed) => isMet(name, listed))) return "denied";
  return policy.allow.length === 0 || policy.allow.some((listed) => isMet(name, listed)) ? "allowed" : "unlisted";
}

function textOf({ license, plus, exception }: Extract<Expression, { readonly license: string }>): string {
  return `${license}${plus === true ? "+" : ""}${exception === undefined ? "" : ` WITH ${exception}`}`;
}

/** `GPL-2.0-or-later` is met by a list that names `GPL-3.0-only`. What SPDX does not know is compared as text. */
function isMet(name: string, listed: string): boolean {
  if (name.toLowerCase() === listed.trim().toLowerCase()) return true;
  try {
    return satisfies(name, [listed.trim()]);
  } catch {
    return false;
  }
}

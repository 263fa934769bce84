import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { labelled } from "./shared/labelled.ts";
import { FAMILIES, type Family, familyOfId } from "./shared/licences.ts";
import { LABELS_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "licence-by-spdx",
  title: "Licence family by the SPDX expression a package declares",
  description:
    "Says under which licence a package is, such as MIT, Apache or GPL, by the SPDX expression in its manifest. Use it to audit the licences of dependencies.",
  accepts: ["items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: LABELS_OUTPUT,
  capabilities: capabilities({ classification: 240, parsing: 120, law: 40 }),
  deterministic: true,
};

/** Believes the manifest: parses its licence expression and nothing else. */
const licenceBySpdx: Service = (input) => ({
  items: allItems(input).map((item) => labelled(item, familyOfExpression(textField(item, "licence")))),
});
export default licenceBySpdx;

/**
 * `OR` offers a choice, and the most permissive is taken; `AND` binds to all, and the strictest counts. `WITH` exceptions
 * leave the family as it is. An expression that does not parse is looked up as one plain name.
 */
export function familyOfExpression(expression: string): Family {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  if (tokens.length === 0) return "unknown";
  let next = 0;
  const take = (keyword: string): boolean => {
    if (tokens[next]?.toUpperCase() !== keyword) return false;
    next += 1;
    return true;
  };
  const operand = (): Family | undefined => {
    if (take("(")) {
      const inner = choice();
      return take(")") ? inner : undefined;
    }
    const id = tokens[next];
    if (id === undefined || /^(and|or|with|\))$/i.test(id)) return undefined;
    next += 1;
    if (take("WITH")) next += 1;
    return familyOfId(id);
  };
  const combined = (part: () => Family | undefined, keyword: string, pick: (a: Family, b: Family) => Family): Family | undefined => {
    let family = part();
    while (family !== undefined && take(keyword)) {
      const other = part();
      family = other === undefined ? undefined : pick(family, other);
    }
    return family;
  };
  const all = (): Family | undefined => combined(operand, "AND", stricter);
  const choice = (): Family | undefined => combined(all, "OR", (a, b) => (stricter(a, b) === a ? b : a));
  const family = choice();
  return family !== undefined && next === tokens.length ? family : familyOfId(expression.trim());
}

/** FAMILIES is ordered from permissive to strict. */
function stricter(a: Family, b: Family): Family {
  return FAMILIES.indexOf(a) >= FAMILIES.indexOf(b) ? a : b;
}

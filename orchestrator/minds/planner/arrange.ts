import { takes } from "./asks.ts";
import type { Chain, Gap, Search } from "./search.ts";
import type { Skill } from "./skills.ts";

/** Parallel chains that together use all chosen services, or the gap of one that cannot be placed. */
export type Arrangement = { readonly branches: readonly Chain[] } | { readonly lacking: Gap; readonly skill: Skill };

/**
 * Arranges chosen services. All orders are tried: the best is the one whose options answer most of the goal, then the one with the fewest
 * branches, then with the fewest services.
 */
export function arrange(skills: readonly Skill[], search: Search): Arrangement {
  const found = permutations(skills).map((order) => inOrder(order, search));
  const whole = found.flatMap((each) => ("branches" in each ? [each] : []));
  const [first] = found;
  return whole.sort((a, b) => byWorth(a, b))[0] ?? first ?? { branches: [] };
}

interface Arranged {
  readonly branches: readonly Chain[];
  readonly meant: number;
}

function byWorth(a: Arranged, b: Arranged): number {
  return b.meant - a.meant || early(a) - early(b) || a.branches.length - b.branches.length || lengthOf(a) - lengthOf(b);
}

/** Services that select a few items ahead of grouping, when a few of the groups are meant. */
function early({ branches }: Arranged): number {
  return branches.reduce((sum, { steps }) => {
    const asks = steps.map(({ skill }) => takes(skill.service.options));
    return sum + asks.filter((own, place) => own.includes("most") && asks.slice(place + 1).some((later) => later.includes("group"))).length;
  }, 0);
}

function lengthOf({ branches }: Arranged): number {
  return branches.reduce((sum, { steps }) => sum + steps.length, 0);
}

function inOrder(skills: readonly Skill[], search: Search): Arranged | Extract<Arrangement, { lacking: Gap }> {
  let branches: readonly Chain[] = [];
  let meant = 0;
  for (const skill of skills) {
    if (branches.some(({ steps }) => steps.some((step) => step.skill === skill))) continue;
    const alone = search.to(skill);
    const places = branches.flatMap((branch) => {
      const longer = search.append(skill, branch);
      return "steps" in longer && belongsAfter(skill, branch) ? [{ branch, longer }] : [];
    });
    const best = places.sort((a, b) => b.longer.meant - a.longer.meant)[0];
    if (best !== undefined && (!("steps" in alone) || best.longer.meant >= alone.meant)) {
      branches = branches.map((branch) => (branch === best.branch ? best.longer : branch));
      meant += best.longer.meant;
    } else if ("steps" in alone) {
      branches = [...branches, alone];
      meant += alone.meant;
    } else return { lacking: alone, skill };
  }
  return { branches, meant };
}

/** A service that examines items one by one is about the input's items: it is placed where they still have all their fields. */
function belongsAfter({ service }: Skill, { steps }: Chain): boolean {
  return !service.perItem || steps.every(({ skill }) => skill.service.keepsFields === true);
}

function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((first, place) => permutations(values.toSpliced(place, 1)).map((rest) => [first, ...rest]));
}

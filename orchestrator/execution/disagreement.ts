import { z } from "zod";
import { type AgreementTerms, itemsIn } from "../clearing/judgement.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { Disagreement } from "../protocol/disagreement.ts";
import { agreeOnItems, answersOf, closeShare, isSameAnswer, type Pair } from "../rules/consensus.ts";
import type { NodeView } from "./chain-view.ts";
import { termsOf } from "./consensus.ts";
import type { Ending } from "./ending.ts";
import { isRepeated } from "./repeat.ts";
import { attemptKey, readOutput, serviceById, workSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** What one executor of a node revealed, labelled with its service. */
export interface Revealed {
  readonly by: string;
  readonly output: JsonObject;
}

/**
 * Where the executors of a tier-2 node disagree, under the law's terms of agreement. Pure. Numbers disagree outside the panel's tolerance;
 * an item missing from one executor's output disagrees. `items` is empty if all agree.
 */
export function disagreementOf(revealed: readonly Revealed[], terms: AgreementTerms): Disagreement {
  const outputs = revealed.map(({ output }, slot) => ({ slot, items: itemsIn(output) }));
  const { pairs } = agreeOnItems(outputs, terms, { atLeastBps: terms.atLeastBps, quorum: terms.threshold });
  // The first answer to an id counts, as for the panel.
  const given = revealed.map(({ by }, slot) => ({
    by,
    values: new Map(
      answersOf(outputs[slot]?.items ?? [], terms)
        .toReversed()
        .map(({ id, value }) => [id, value]),
    ),
  }));
  const ids = [...new Set(given.flatMap(({ values }) => [...values.keys()]))].sort();
  const items = ids.flatMap((id) => {
    const answers = given.map(({ by, values }) => ({ by, value: values.get(id) ?? null }));
    const values = answers.map(({ value }) => value);
    return isUnanimous(values, terms.tolerance) ? [] : [{ id, answers }];
  });
  return {
    field: terms.on,
    share: closestShare(outputs.length, terms.threshold, (slots) =>
      terms.as === "spread"
        ? closeShare(
            given.flatMap(({ values }, slot) => (slots.includes(slot) ? [values] : [])),
            terms.tolerance,
          )
        : leastShare(pairs, slots),
    ),
    needed: terms.atLeastBps,
    compared: ids.length,
    items,
  };
}

/** The same for a node's current attempt, from the revealed works; undefined for a single executor, or before any reveal. */
export async function disagreementAt(world: World, mission: Mission, view: NodeView): Promise<Disagreement | undefined> {
  const terms = termsOf(view);
  if (terms === undefined) return undefined;
  const revealed = await revealedAt(world, mission, view);
  return revealed.length === 0 ? undefined : disagreementOf(revealed, terms);
}

async function revealedAt(world: World, mission: Mission, view: NodeView): Promise<readonly Revealed[]> {
  const revealed: Revealed[] = [];
  for (const { slot } of view.slots.filter(({ revealed: isOpen }) => isOpen)) {
    const work = await world.recall(["work", ...attemptKey(mission, view), slot], workSchema);
    if (work?.ok !== true) continue;
    revealed.push({ by: serviceById(world, work.service, view.law.services).name, output: await readOutput(world, work.outputId) });
  }
  return revealed;
}

/**
 * The ending of a mission whose services inherently disagree: on what, by how much, and what would help. `least`: the smallest agreement
 * that any node of the task reached, basis points.
 */
export function disagreeing(node: string, found: Disagreement, least: number): Ending {
  const { field, share, needed, compared, items } = found;
  const first = items.slice(0, 3).map(({ id, answers }) => `${id}: ${answers.map(({ by, value }) => `${by} ${shown(value)}`).join(", ")}`);
  return {
    code: "ServicesDisagree",
    node,
    reason:
      `the services of ${node} inherently disagree on "${field}": ${percent(share)} of ${compared} items agree, the law requires ${percent(needed)}. ` +
      `They differ on ${items.length} (${first.join("; ")}${items.length > first.length ? "; …" : ""}). ` +
      "Re-executed, they give the same answers, so no other law would help; no executor is at fault",
    action: `choose services that measure the same, or lower agree.atLeast to what you can accept (${(Math.floor(least / 100) / 100).toFixed(2)} was reached everywhere), or use one service in tier 1 or 3`,
    disagreement: { ...found, items: items.slice(0, MAX_ITEMS) },
  };
}

/** Maximum number of disagreeing items stored with the reason; all are in the executors' outputs. */
const MAX_ITEMS = 20;

const percent = (share: number) => `${(share / 100).toFixed(share % 100 === 0 ? 0 : 1)} %`;
const shown = (value: string | number | null) => (value === null ? "nothing" : String(value).slice(0, 40));

/**
 * Whether another law would end in the same disagreement: re-execution by an issuer reproduces what each executor revealed, and the task's
 * other nodes known so far do not compensate. An executor whose output differs from its code may be replaced under another law.
 */
export async function isIncurable(world: World, mission: Mission, view: NodeView, siblings: readonly NodeView[]): Promise<boolean> {
  const key = ["rerun", ...attemptKey(mission, view)];
  const { repeats } = await world.remember(key, z.strictObject({ repeats: z.boolean() }), async () => ({
    repeats: (await areRepeated(world, mission, view)) && !(await agreesTogether(world, mission, view, siblings)),
  }));
  return repeats;
}

async function areRepeated(world: World, mission: Mission, view: NodeView): Promise<boolean> {
  for (const { slot } of view.slots.filter(({ revealed }) => revealed)) {
    const work = await world.recall(["work", ...attemptKey(mission, view), slot], workSchema);
    if (work === undefined || !(await isRepeated(world, mission, view, work))) return false;
  }
  return true;
}

/** Another law may compare as a whole what this one compares in parts. */
async function agreesTogether(world: World, mission: Mission, view: NodeView, siblings: readonly NodeView[]): Promise<boolean> {
  const terms = termsOf(view);
  if (terms === undefined) return false;
  const together = new Map<string, JsonValue[]>();
  for (const each of [view, ...siblings.filter(({ law }) => law.task === view.law.task && law.number !== view.law.number)]) {
    for (const { by, output } of await revealedAt(world, mission, each))
      together.set(by, [...(together.get(by) ?? []), ...z.array(z.json()).catch([]).parse(output["items"])]);
  }
  const { share, needed } = disagreementOf(
    [...together].map(([by, items]) => ({ by, output: { items } })),
    terms,
  );
  return share >= needed;
}

function isUnanimous(values: readonly (string | number | null)[], tolerance: number | undefined): boolean {
  return values.every((a, place) => a !== null && values.slice(place + 1).every((b) => b !== null && isSameAnswer(a, b, tolerance)));
}

/** The best agreement of any `size` executors. */
function closestShare(slots: number, size: number, shareOf: (subset: readonly number[]) => number): number {
  let best = 0;
  for (let mask = 0; mask < 1 << slots; mask += 1) {
    const subset = Array.from({ length: slots }, (_, slot) => slot).filter((slot) => ((mask >> slot) & 1) === 1);
    if (subset.length === size) best = Math.max(best, shareOf(subset));
  }
  return best;
}

/** The lowest agreement of any two of them. */
function leastShare(pairs: readonly Pair[], slots: readonly number[]): number {
  return Math.min(BASIS_POINTS, ...pairs.filter(({ a, b }) => slots.includes(a) && slots.includes(b)).map(({ shareBps }) => shareBps));
}

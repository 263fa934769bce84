/**
 * Agreement of redundant executors (AgentCity 3.5 tier 2, B.3 type 2): which slots agree, their merged output, and their differences.
 * Integers decide (basis points), so the same outputs give the same verdict everywhere.
 */
import { BASIS_POINTS } from "../primitives/amounts.ts";

/** One answer of one executor. */
export interface Answer {
  readonly id: string;
  readonly value: string | number;
}

/** The answers of one slot's executor. A repeated id counts with its first answer. */
export interface SlotAnswers {
  readonly slot: number;
  readonly answers: readonly Answer[];
}

/** Share of equal answers of two slots, in basis points of all ids that either answered. */
export interface Pair {
  readonly a: number;
  readonly b: number;
  readonly shareBps: number;
}

/** Which slots agree with each other. */
export interface Agreement {
  /** Whether at least `quorum` slots agree pairwise. */
  readonly reached: boolean;
  /** The agreeing slots, ascending; the largest such set, even below quorum. */
  readonly slots: readonly number[];
  /** The other slots, ascending. */
  readonly dissenters: readonly number[];
  readonly pairs: readonly Pair[];
}

/** An item on which the slots differ. `value` is undefined for a slot without an answer. */
export interface Disagreement {
  readonly id: string;
  readonly chosen: string | number;
  readonly answers: readonly { readonly slot: number; readonly value: string | number | undefined }[];
}

/** Agreement by item, with the merged output. */
export interface ItemAgreement extends Agreement {
  /** One answer per id, ascending by id: the majority's label, or the median number. */
  readonly merged: readonly Answer[];
  readonly disagreements: readonly Disagreement[];
}

/** Required agreement. */
export interface Threshold {
  /** Pairwise share needed, in basis points (0.85 is 8,500). */
  readonly atLeastBps: number;
  /** Slots that must agree; the law requires at least ⌊r/2⌋ + 1 (decision 18). */
  readonly quorum: number;
}

/** Tolerance of laws that do not state one (AgentCity Table 19): 5 % of the mean. */
const CONSENSUS_DEFAULTS = { numericTolerance: 5 } as const;

/**
 * Item by item. Two labels are equal when they are the same text, two numbers when their standard deviation is at most `tolerancePct` of
 * their mean. The merged label is the majority's, the merged number the agreeing slots' median (the lower one of two).
 */
export function answerAgreement(
  outputs: readonly SlotAnswers[],
  threshold: Threshold,
  tolerancePct: number = CONSENSUS_DEFAULTS.numericTolerance,
): ItemAgreement {
  return itemAgreement(outputs, threshold, (a, b) => isSameAnswer(a, b, tolerancePct), medianValue);
}

/**
 * The same for all agreeing slots at once: the standard deviation of all their estimates of an item is at most `tolerancePct` of their
 * mean, for as many items as the threshold requires (AgentCity B.3, type 2, example c).
 */
function spreadAgreement(outputs: readonly SlotAnswers[], threshold: Threshold, tolerancePct: number): ItemAgreement {
  const same: Same = (a, b) => isSameAnswer(a, b, tolerancePct);
  const isClose: AgreesAs = (subset) =>
    closeShare(
      subset.map(({ of }) => of),
      tolerancePct,
    ) >= threshold.atLeastBps;
  return itemAgreement(outputs, threshold, same, medianValue, isClose);
}

/** Share of ids on which all of these slots are close at once, in basis points; the threshold of `spread` applies to it. */
export function closeShare(
  answers: readonly ReadonlyMap<string, string | number>[],
  tolerancePct: number = CONSENSUS_DEFAULTS.numericTolerance,
): number {
  const ids = [...new Set(answers.flatMap((each) => [...each.keys()]))];
  const close = ids.filter((id) => {
    const values = answers.map((each) => each.get(id));
    const numbers = values.filter((value) => typeof value === "number");
    return numbers.length === values.length ? withinTolerance(numbers, tolerancePct) : values.every((value) => value === values[0]);
  });
  return bps(close.length, ids.length);
}

/** Whether two numbers are within the tolerance of each other, or two texts are equal. */
export function isSameAnswer(a: string | number, b: string | number, tolerancePct: number = CONSENSUS_DEFAULTS.numericTolerance): boolean {
  return typeof a === "number" && typeof b === "number" ? withinTolerance([a, b], tolerancePct) : a === b;
}

/** The compared values of the items; an item without the field is compared as a whole. A set consists of its members in order. */
export function answersOf(items: readonly { readonly id: string }[], comparison: Comparison): Answer[] {
  return items.map((item) => ({ id: item.id, value: answerOf(item, comparison) }));
}

/**
 * How the outputs of a node's executors are compared: by item, two executors at a time (`answers`, the default); each executor's findings
 * as one set (`sets`); or by item, all agreeing executors at once by their standard deviation (`spread`).
 */
export interface Comparison {
  /** Field of the items. */
  readonly on: string;
  readonly as?: "answers" | "sets" | "spread" | undefined;
  /** Numbers agree up to this standard deviation, percent of their mean. Default: the constitution's default. */
  readonly tolerance?: number | undefined;
}

/**
 * Combines the outputs of a tier-2 node's executors: compares one field of items with the same id (texts must be equal, numbers within the
 * tolerance; an item without that field is compared as a whole) and merges the outputs by item. `items` holds, for each id, an agreeing
 * executor's item with the chosen value.
 */
export function agreeOnItems<Item extends { readonly id: string }>(
  outputs: readonly { readonly slot: number; readonly items: readonly Item[] }[],
  comparison: Comparison,
  threshold: Threshold,
): ItemAgreement & { readonly items: readonly Item[] } {
  const tolerancePct = comparison.tolerance ?? CONSENSUS_DEFAULTS.numericTolerance;
  if (comparison.as === "sets") return agreeOnSets(outputs, comparison, threshold);
  const answers = outputs.map(({ slot, items }) => ({ slot, answers: answersOf(items, comparison) }));
  const agree = comparison.as === "spread" ? spreadAgreement : answerAgreement;
  const agreement = agree(answers, threshold, tolerancePct);
  const rank = ({ slot }: { readonly slot: number }): number => (agreement.slots.includes(slot) ? 0 : 1);
  const inOrder = bySlot(outputs)
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(({ items }) => items);
  const chosen = new Map(agreement.merged.map(({ id, value }) => [id, value]));
  const found = new Map<string, Item>();
  for (const item of inOrder) {
    if (!found.has(item.id) && answerOf(item, comparison) === chosen.get(item.id)) found.set(item.id, item);
  }
  return { ...agreement, items: agreement.merged.flatMap(({ id }) => found.get(id) ?? []) };
}

/** One Jaccard similarity for all findings of two slots. The merged output is that of the slot closest to the others. */
function agreeOnSets<Item extends { readonly id: string }>(
  outputs: readonly { readonly slot: number; readonly items: readonly Item[] }[],
  comparison: Comparison,
  threshold: Threshold,
): ItemAgreement & { readonly items: readonly Item[] } {
  const found = outputs.map(({ slot, items }) => ({
    slot,
    members: items.flatMap((item) => membersOf(Reflect.get(item, comparison.on)).map((member) => stableText([item.id, member]))),
  }));
  const { merged: _, ...agreement } = jaccardAgreement(found, threshold);
  const candidates = bySlot(outputs).filter(({ slot }) => agreement.slots.length === 0 || agreement.slots.includes(slot));
  const nearness = (slot: number): number =>
    agreement.pairs.filter(({ a, b }) => a === slot || b === slot).reduce((sum, { shareBps }) => sum + shareBps, 0);
  const [nearest] = candidates.sort((a, b) => nearness(b.slot) - nearness(a.slot) || a.slot - b.slot);
  const items = [...new Map((nearest?.items ?? []).toReversed().map((item) => [item.id, item])).values()].sort((a, b) =>
    byText(a.id, b.id),
  );
  const merged = answersOf(items, comparison);
  const chosen = new Map(merged.map(({ id, value }) => [id, value]));
  const said = bySlot(outputs).map(({ slot, items: own }) => ({ slot, of: firstAnswers(answersOf(own, comparison)) }));
  const ids = [...new Set(said.flatMap(({ of }) => [...of.keys()]))].sort(byText);
  const disagreements = ids.flatMap((id): Disagreement[] => {
    const answers = said.map(({ slot, of }) => ({ slot, value: of.get(id) }));
    const choice = chosen.get(id) ?? "";
    return answers.some(({ value }) => value !== choice) ? [{ id, chosen: choice, answers }] : [];
  });
  return { ...agreement, merged, disagreements, items };
}

/** A list's entries, an object's entries by key, or the single value. */
function membersOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((entry) => (typeof entry === "string" ? entry : stableText(entry)));
  if (typeof value !== "object") return [String(value)];
  return Object.entries(value).flatMap(([key, child]) => membersOf(child).map((member) => `${key}: ${member}`));
}

/** Sets: two slots agree if the Jaccard similarity of their findings reaches the threshold. */
export function jaccardAgreement(
  outputs: readonly { readonly slot: number; readonly members: readonly string[] }[],
  threshold: Threshold,
): Agreement & { readonly merged: readonly string[] } {
  const sets = bySlot(outputs).map(({ slot, members }) => ({ slot, members: new Set(members) }));
  const pairs = pairsOf(sets, (a, b) => {
    const common = [...a.members].filter((member) => b.members.has(member)).length;
    return bps(common, a.members.size + b.members.size - common);
  });
  const agreement = agreementOf(
    sets.map(({ slot }) => slot),
    pairs,
    threshold,
  );
  const agreeing = sets.filter(({ slot }) => agreement.slots.includes(slot));
  const all = [...new Set(agreeing.flatMap(({ members }) => [...members]))].sort(byText);
  const merged = all.filter((member) => agreeing.filter(({ members }) => members.has(member)).length * 2 > agreeing.length);
  return { ...agreement, merged };
}

/** True when the population standard deviation is at most `tolerancePct` % of the mean's magnitude. */
export function withinTolerance(values: readonly number[], tolerancePct: number): boolean {
  if (values.some((value) => !Number.isFinite(value))) return false;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const bound = (mean * tolerancePct) / 100;
  return values.length > 0 && variance <= bound * bound;
}

function answerOf(item: { readonly id: string }, { on, as }: Comparison): string | number {
  const value: unknown = Reflect.get(item, on);
  if (as === "sets") return [...new Set(membersOf(value))].sort(byText).join(" · ");
  return typeof value === "string" || typeof value === "number" ? value : stableText(item);
}

type Same = (a: string | number, b: string | number) => boolean;
type Merge = (agreeing: readonly (string | number)[], all: readonly (string | number)[]) => string | number | undefined;

/** Whether these slots agree with each other; by default, if each pair of them does. */
type AgreesAs = (subset: readonly { readonly slot: number; readonly of: ReadonlyMap<string, string | number> }[]) => boolean;

function itemAgreement(
  outputs: readonly SlotAnswers[],
  threshold: Threshold,
  same: Same,
  merge: Merge,
  agreesAs?: AgreesAs,
): ItemAgreement {
  const slots = bySlot(outputs).map(({ slot, answers }) => ({ slot, of: firstAnswers(answers) }));
  const pairs = pairsOf(slots, (a, b) => {
    const ids = new Set([...a.of.keys(), ...b.of.keys()]);
    const equal = [...ids].filter((id) => {
      const left = a.of.get(id);
      const right = b.of.get(id);
      return left !== undefined && right !== undefined && same(left, right);
    }).length;
    return bps(equal, ids.size);
  });
  const agreement = agreementOf(
    slots.map(({ slot }) => slot),
    pairs,
    threshold,
    agreesAs === undefined ? undefined : (subset) => agreesAs(slots.filter(({ slot }) => subset.includes(slot))),
  );
  const merged: Answer[] = [];
  const disagreements: Disagreement[] = [];
  for (const id of [...new Set(slots.flatMap(({ of }) => [...of.keys()]))].sort(byText)) {
    const answers = slots.map(({ slot, of }) => ({ slot, value: of.get(id) }));
    const given = answers.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const agreeing = answers.flatMap(({ slot, value }) => (value !== undefined && agreement.slots.includes(slot) ? [value] : []));
    const chosen = merge(agreeing, given);
    if (chosen === undefined) continue;
    merged.push({ id, value: chosen });
    if (answers.some(({ value }) => value === undefined || !same(value, chosen))) disagreements.push({ id, chosen, answers });
  }
  return { ...agreement, merged, disagreements };
}

/** Most votes among the agreeing slots; then among all slots; then the answer of the lowest agreeing slot. */
function majorityValue(agreeing: readonly (string | number)[], all: readonly (string | number)[]): string | number | undefined {
  const order = agreeing.length > 0 ? agreeing : all;
  const votes = (value: string | number, among: readonly (string | number)[]): number => among.filter((other) => other === value).length;
  return order.reduce<string | number | undefined>((best, value) => {
    if (best === undefined) return value;
    const lead = votes(value, order) - votes(best, order) || votes(value, all) - votes(best, all);
    return lead > 0 ? value : best;
  }, undefined);
}

function medianValue(agreeing: readonly (string | number)[], all: readonly (string | number)[]): string | number | undefined {
  const values = agreeing.length > 0 ? agreeing : all;
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === values.length ? median(numbers) : majorityValue(agreeing, all);
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

function agreementOf(
  slots: readonly number[],
  pairs: readonly Pair[],
  threshold: Threshold,
  agreesAs?: (subset: readonly number[]) => boolean,
): Agreement {
  const share = (a: number, b: number): number => pairs.find((pair) => pair.a === a && pair.b === b)?.shareBps ?? 0;
  const shares = (subset: readonly number[]): number[] => subset.flatMap((a, index) => subset.slice(index + 1).map((b) => share(a, b)));
  const agreeing = largestSubset(
    slots,
    agreesAs ?? ((subset) => shares(subset).every((value) => value >= threshold.atLeastBps)),
    (subset) => shares(subset).reduce((sum, value) => sum + value, 0),
  );
  return {
    reached: agreeing.length >= Math.max(threshold.quorum, 1),
    slots: agreeing,
    dissenters: slots.filter((slot) => !agreeing.includes(slot)),
    pairs,
  };
}

/** Largest subset that passes; then the highest score; then the lowest members. A node has at most five slots. */
function largestSubset<T>(items: readonly T[], passes: (subset: T[]) => boolean, score: (subset: T[]) => number): T[] {
  if (items.length > 10) throw new RangeError(`consensus over ${items.length} slots; a node has at most 5`);
  let best: T[] = [];
  for (let mask = 1; mask < 1 << items.length; mask += 1) {
    const subset = items.filter((_, index) => ((mask >> index) & 1) === 1);
    if (subset.length < best.length || !passes(subset)) continue;
    if (subset.length > best.length || score(subset) > score(best)) best = subset;
  }
  return best;
}

function pairsOf<T extends { readonly slot: number }>(slots: readonly T[], shareBps: (a: T, b: T) => number): Pair[] {
  return slots.flatMap((a, index) => slots.slice(index + 1).map((b) => ({ a: a.slot, b: b.slot, shareBps: shareBps(a, b) })));
}

/** ⌊10⁴·part/whole⌋; two empty outputs agree fully. */
function bps(part: number, whole: number): number {
  return whole === 0 ? BASIS_POINTS : Math.floor((BASIS_POINTS * part) / whole);
}

function firstAnswers(answers: readonly Answer[]): ReadonlyMap<string, string | number> {
  const first = new Map<string, string | number>();
  for (const { id, value } of answers) if (!first.has(id)) first.set(id, value);
  return first;
}

function bySlot<T extends { readonly slot: number }>(outputs: readonly T[]): T[] {
  return [...outputs].sort((a, b) => a.slot - b.slot);
}

/** Text that is equal for equal data, independent of key order. */
function stableText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(stableText).join()}]`;
  const entries = Object.entries(value).sort(([a], [b]) => byText(a, b));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${stableText(child)}`).join()}}`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

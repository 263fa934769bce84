import type { Hash } from "../primitives/hex.ts";
import { type Answer, answerTo, average, ClearingResult, lowerMedian, overall, VerdictResult, weightOf } from "../rules/clearing.ts";
import { type Admissibility, type ClassName, joinAll, meetAll } from "./admissibility.ts";
import { QUESTIONS, type QuestionName, toBps } from "./fields.ts";
import type { AdmittedItem } from "./ingest.ts";
import { ItemAboveFloor, isDecided, type NonEmpty, type Verdict } from "./verdict.ts";
import type { AdmittedOutput } from "./verifier-output.ts";

/** The parts of an obligation that Γ reads. */
export interface AggregationTerms {
  readonly floors: Readonly<Record<QuestionName, ClassName>>;
  readonly questions: readonly QuestionName[];
  /** Clauses that require an answer. */
  readonly clauses: Readonly<Record<QuestionName, readonly string[]>>;
  /** Basis points. */
  readonly minConfidence: number;
  readonly confidenceForm: "mean" | "mass";
  /** With `arbiter` a clause on which survivors conflict is disputed, whichever side is heavier. */
  readonly conflict?: "majority" | "arbiter";
  /** Weight of the panel; a side needs more than half of it. */
  readonly drawn?: number;
  /** Members of the panel; a side needs more than half of them as well. */
  readonly members?: number;
  /** Sufficiently confident verdicts required before any counts. Default: none. */
  readonly quorum?: number;
  /** Types of required evidence that are missing, and criteria that the evidence does not meet: nothing passes then. */
  readonly missing?: readonly string[];
}

/** An output that counts for at least one question, with the reasons why it does not count for the others. */
export interface Aggregate {
  readonly verdicts: Readonly<Record<QuestionName, Verdict>>;
  /** By verifier name. */
  readonly survivors: readonly AdmittedOutput[];
  readonly excluded: readonly { readonly verifier: string; readonly reason: string }[];
  /** Basis points: with `mean` ⌊ΣW·c / ΣW⌋ over all survivors (A.4.2), with `mass` the lowest of the decided questions. */
  readonly confidence: number;
  /** Basis points: the weighted lower median of the PASS verdicts' scores, if everything passed and there is one. */
  readonly score: number | undefined;
  /** Parties whose work more than half of the weight finds to agree, if everything passed and a verdict names any. */
  readonly agreeing: readonly string[] | undefined;
  readonly quorum: { readonly required: number; readonly surviving: number };
  /** Union of the survivors' bases. */
  readonly basis: readonly AdmittedItem[];
  /** Join over the survivors' bases: reported, never relied on. */
  readonly class: ClassName;
}

/** An output with the meet of its basis, which limits its verdict (RAILS 5.1). */
interface Classed {
  readonly output: AdmittedOutput;
  readonly class: ClassName;
  /** Set once it counts for a question. */
  survives: boolean;
}

/** An output on a question, with the clauses that it answers. */
interface Answering {
  readonly output: AdmittedOutput;
  readonly clauses: readonly string[];
}

/** A verdict with every item at or above the floor of its question. */
interface Survivor extends Answering {
  readonly restsOn: NonEmpty<ItemAboveFloor>;
}

const NOT_ASKED: Verdict = { status: "NOT_ASKED", confidence: 0, conflicts: [] };

const DISPUTED: Answer = { result: ClearingResult.DISPUTED, confidence: 0 };

/** The clause of verdicts on a question as a whole. */
const WHOLE = "";

/**
 * Γ, admissibility-weighted majority (RAILS 5.3): weight = W · [cls(B) ⪰ φ], where cls(B) is the meet of the basis. Per clause the heavier
 * side wins, by the chain's rule; a question combines its clauses as the chain combines questions: any FAIL, any UNVERIFIABLE, any
 * DISPUTED, PASS. With one clause per question this is the paper's majority. The result does not depend on the order of outputs.
 */
export function aggregate(outputs: readonly AdmittedOutput[], terms: AggregationTerms, order: Admissibility): Aggregate {
  const sorted = byVerifier(outputs).map((output): Classed => ({ output, class: classOf(output, order), survives: false }));
  const found = { performance: verdictTo("performance", sorted, terms, order), policy: verdictTo("policy", sorted, terms, order) };
  const survivors: AdmittedOutput[] = [];
  const excluded: { verifier: string; reason: string }[] = [];
  const classes: ClassName[] = [];
  for (const each of sorted) {
    if (each.survives) {
      survivors.push(each.output);
      classes.push(each.class);
    } else excluded.push({ verifier: each.output.output.verifier, reason: exclusion(each, terms) });
  }
  const votes = survivors.map(voteOf);
  const quorum = { required: terms.quorum ?? 0, surviving: votes.filter((vote) => isSure(vote, terms)).length };
  const decided = quorum.surviving < quorum.required ? withoutQuorum(found) : withEvidence(found, terms);
  const asked = QUESTIONS.filter((question) => decided[question].status !== "NOT_ASKED");
  const passing = asked.every((question) => decided[question].status === "PASS")
    ? survivors.filter(({ output, vote }) => output.verdict === "PASS" && isSure(vote, terms))
    : [];
  return {
    verdicts: decided,
    score: scoreOf(passing),
    agreeing: agreeingIn(passing, asked[0], terms),
    quorum,
    survivors,
    excluded,
    confidence: terms.confidenceForm === "mean" ? average(votes, (vote) => vote.confidence) : leastOf(decided),
    basis: unionOf(survivors),
    class: joinAll(order, classes),
  };
}

/** In order of their verifiers' names, which they often are already. */
function byVerifier(outputs: readonly AdmittedOutput[]): readonly AdmittedOutput[] {
  let before = "";
  for (const { output } of outputs) {
    if (output.verifier < before) return outputs.toSorted((a, b) => (a.output.verifier < b.output.verifier ? -1 : 1));
    before = output.verifier;
  }
  return outputs;
}

/** The verdict on a question; marks the outputs that count for it. */
function verdictTo(question: QuestionName, outputs: readonly Classed[], terms: AggregationTerms, order: Admissibility): Verdict {
  if (!terms.questions.includes(question)) return NOT_ASKED;
  const about: Answering[] = [];
  const survivors: Survivor[] = [];
  for (const each of outputs) {
    const clauses = clausesOf(each.output, question);
    if (clauses.length === 0) continue;
    const answering = { output: each.output, clauses };
    about.push(answering);
    const restsOn = aboveFloor(each, terms.floors[question], order);
    if (!isSome(restsOn)) continue;
    survivors.push({ ...answering, restsOn });
    each.survives = true;
  }
  return verdictOn(question, survivors, about, terms);
}

function unionOf(outputs: readonly AdmittedOutput[]): AdmittedItem[] {
  const [only, ...others] = outputs;
  if (others.length === 0) return [...(only?.basis ?? [])];
  const items = new Map<Hash, AdmittedItem>();
  for (const { basis } of outputs) for (const item of basis) items.set(item.hash, item);
  return [...items.values()];
}

function scoreOf(passing: readonly AdmittedOutput[]): number | undefined {
  const scored: (AdmittedOutput["vote"] & { readonly score: number })[] = [];
  for (const { output, vote } of passing) if (output.score !== undefined) scored.push({ ...vote, score: toBps(output.score) });
  return scored.length === 0 ? undefined : lowerMedian(scored, ({ score }) => score);
}

function agreeingIn(
  all: readonly AdmittedOutput[],
  question: QuestionName | undefined,
  { drawn, members = 0 }: AggregationTerms,
): string[] | undefined {
  if (all.every(({ output }) => output.agreeing === undefined)) return undefined;
  // A verifier that answers two questions counts once for an executor's agreement.
  const passing = all.filter(({ output }) => output.answers.some((answer) => answer.question === question));
  if (passing.every(({ output }) => output.agreeing === undefined)) return undefined;
  const named = passing.flatMap(({ output }) => output.agreeing ?? []);
  const whole = drawn || weightOf(passing.map(voteOf));
  const isBacked = (agent: string) => {
    const backing = passing.filter(({ output }) => output.agreeing?.includes(agent)).map(voteOf);
    return 2 * weightOf(backing) > whole && 2 * backing.length > members;
  };
  return [...new Set(named)].sort().filter(isBacked);
}

/** Too few answers for the panel: every question that would have been decided is disputed. */
function withoutQuorum(verdicts: Aggregate["verdicts"]): Aggregate["verdicts"] {
  const open = (verdict: Verdict): Verdict =>
    isDecided(verdict) ? { status: "DISPUTED", confidence: 0, conflicts: verdict.conflicts } : verdict;
  return { performance: open(verdicts.performance), policy: open(verdicts.policy) };
}

/** Without required evidence nothing passes; a failure stands, since withholding would otherwise prevent it. */
function withEvidence(verdicts: Aggregate["verdicts"], { missing = [], questions }: AggregationTerms): Aggregate["verdicts"] {
  const question: QuestionName = questions.includes("performance") ? "performance" : "policy";
  const { status, conflicts } = verdicts[question];
  if (missing.length === 0 || status !== "PASS") return verdicts;
  return { ...verdicts, [question]: { status: "UNVERIFIABLE", confidence: 0, conflicts } };
}

function leastOf(verdicts: Aggregate["verdicts"]): number {
  const figures = QUESTIONS.flatMap((question) => (isDecided(verdicts[question]) ? [verdicts[question].confidence] : []));
  return figures.length === 0 ? 0 : Math.min(...figures);
}

function isSure({ confidence }: AdmittedOutput["vote"], { minConfidence }: AggregationTerms): boolean {
  return confidence >= minConfidence;
}

function classOf({ basis }: AdmittedOutput, order: Admissibility): ClassName {
  return meetAll(
    order,
    basis.map((item) => item.class),
  );
}

/** What an output rests on, if it counts under a floor; otherwise nothing. */
function aboveFloor({ output, class: held }: Classed, floor: ClassName, order: Admissibility): readonly ItemAboveFloor[] {
  const above: ItemAboveFloor[] = [];
  if (output.output.verdict === "ABSTAIN" || output.weight === 0 || !order.geq(held, floor)) return above;
  for (const basis of output.basis) {
    const item = ItemAboveFloor.of(basis, floor, order);
    if (item !== undefined) above.push(item);
  }
  return above;
}

function isSome<Item>(items: readonly Item[]): items is NonEmpty<Item> {
  return items.length > 0;
}

function verdictOn(question: QuestionName, survivors: readonly Survivor[], about: readonly Answering[], terms: AggregationTerms): Verdict {
  const required = terms.clauses[question];
  const names = clauseNames(survivors, required);
  const clauses = names.map((clause) => {
    // Each survivor answers at least one of them.
    const votes = names.length === 1 ? survivors : survivors.filter((survivor) => survivor.clauses.includes(clause));
    const isLeft = terms.conflict === "arbiter" && isContested(votes);
    const answer = isLeft ? DISPUTED : weigh(votes, () => about.filter(({ clauses }) => clauses.includes(clause)), terms);
    return { clause, votes, answer };
  });
  const { result, confidence } = combined(clauses, terms, question);
  const conflicts: string[] = [];
  for (const { clause, votes } of clauses) if (isContested(votes)) conflicts.push(clause === WHOLE ? question : clause);
  const status = STATUS[result];
  if (status !== "PASS" && status !== "FAIL") return { status, confidence, conflicts };
  const restsOn: ItemAboveFloor[] = [];
  for (const { answer, votes } of clauses) {
    if (answer.result !== result) continue;
    for (const vote of votes) if (vote.output.output.verdict === status) restsOn.push(...vote.restsOn);
  }
  // Unreachable otherwise: a winning side has weight, and weight requires a basis.
  return isSome(restsOn) ? { status, confidence, conflicts, restsOn } : { status: "UNVERIFIABLE", confidence: 0, conflicts };
}

/** Required clauses and those that survivors answer, in order; the whole question if there is none. */
function clauseNames(survivors: readonly Survivor[], required: readonly string[]): readonly string[] {
  if (required.length === 0 && survivors.every(({ clauses }) => clauses.length === 1 && clauses[0] === WHOLE)) return [WHOLE];
  return [...new Set([...required, ...survivors.flatMap(({ clauses }) => clauses)])].sort();
}

const STATUS = {
  [ClearingResult.NONE]: "UNVERIFIABLE",
  [ClearingResult.PASS]: "PASS",
  [ClearingResult.FAIL]: "FAIL",
  [ClearingResult.DISPUTED]: "DISPUTED",
  [ClearingResult.UNVERIFIABLE]: "UNVERIFIABLE",
} as const;

/**
 * Combines the clauses of a question, as the chain combines questions. With `mass` a PASS has the lowest confidence of the required
 * clauses: optional ones added by a verifier do not lower it when their evidence rises.
 */
function combined(
  clauses: readonly { readonly clause: string; readonly answer: Answer }[],
  { confidenceForm, clauses: required }: AggregationTerms,
  question: QuestionName,
): Answer {
  const all = overall(clauses.map(({ answer }) => answer));
  if (confidenceForm === "mean" || all.result !== ClearingResult.PASS) return all;
  const asked = clauses.filter(({ clause }) => required[question].includes(clause)).map(({ answer }) => answer.confidence);
  const figures = clauses.map(({ answer }) => answer.confidence);
  return { ...all, confidence: asked.length > 0 ? Math.min(...asked) : Math.max(...figures) };
}

/** A verifier that calls a clause disputed supports neither side and weighs against both. */
function weigh(
  votes: readonly Survivor[],
  about: () => readonly Answering[],
  { minConfidence, confidenceForm, drawn = 0, members = 0 }: AggregationTerms,
): Answer {
  let contested = 0;
  for (const { output } of votes) if (output.output.verdict === "DISPUTED") contested += output.weight;
  const decisive = votes.map(({ output }) => voteOf(output));
  const answer = answerTo(decisive, confidenceForm === "mean" ? minConfidence : 0, { contested, drawn, seats: members });
  if (confidenceForm === "mean" || (answer.result !== ClearingResult.PASS && answer.result !== ClearingResult.FAIL)) return answer;
  // The weight for the verdict over the weight of all answers, below the floor or not, so that raising a class never lowers it (RAILS 5.3).
  const side = answer.result === ClearingResult.PASS ? VerdictResult.PASS : VerdictResult.FAIL;
  const backing = decisive.filter((vote) => vote.result === side);
  const asked = weightOf(
    about()
      .filter(({ output }) => output.output.verdict !== "ABSTAIN")
      .map(({ output }) => voteOf(output)),
  );
  const confidence = Math.floor(backing.reduce((sum, vote) => sum + vote.weight * vote.confidence, 0) / asked);
  return { result: confidence < minConfidence ? ClearingResult.DISPUTED : answer.result, confidence };
}

function voteOf({ vote }: AdmittedOutput): AdmittedOutput["vote"] {
  return vote;
}

function clausesOf({ output }: AdmittedOutput, question: QuestionName): string[] {
  const clauses: string[] = [];
  for (const answer of output.answers) if (answer.question === question) clauses.push(answer.clause ?? WHOLE);
  return clauses;
}

function isContested(votes: readonly Survivor[]): boolean {
  let [passed, failed] = [false, false];
  for (const { output } of votes) {
    const { verdict } = output.output;
    if (verdict === "DISPUTED") return true;
    if (verdict === "PASS") passed = true;
    if (verdict === "FAIL") failed = true;
  }
  return passed && failed;
}

function exclusion({ output, class: held }: Classed, { floors, questions }: AggregationTerms): string {
  let below = "";
  for (const question of questions) {
    if (!output.output.answers.some((answer) => answer.question === question)) continue;
    below += `${below === "" ? "" : "; "}cls(B) = ${held} below the ${question} floor ${floors[question]}`;
  }
  if (below === "") return "answers no question of this obligation";
  if (output.output.verdict === "ABSTAIN") return "abstains";
  if (output.weight === 0) return "has no weight";
  return output.basis.length === 0 ? "rests on nothing" : below;
}

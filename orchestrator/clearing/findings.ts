import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { VerdictResultName } from "../protocol/evidence.ts";
import { PANEL_KINDS, type PanelKind, panelKinds } from "../protocol/verifier-kinds.ts";
import { digestSchema, nameSchema, shareSchema, toBps } from "./fields.ts";
import type { Obligation } from "./obligation.ts";
import { hashOf } from "./seal.ts";

/** A model's answers about the output of each slot, verbatim. */
export const saidSchema = z.strictObject({
  /** Its name at its provider. */
  model: z.string().min(1).max(200),
  answers: z.array(z.strictObject({ slot: z.int().min(0).max(7), answer: z.string().max(2_000) })).max(8),
});
export type Said = z.infer<typeof saidSchema>;

/** Digest of a model's answers in public documents. */
export function saidDigest({ answers }: Said): Hash {
  return hashOf(answers);
}

/** One verifier's finding by one kind of judging. Basis points; bit per item and per slot. */
export interface KindFinding {
  readonly kind: PanelKind;
  readonly result: VerdictResultName;
  readonly confidence: number;
  readonly score: number;
  readonly basis: bigint;
  readonly agreeing: number;
  /** What it examined (`groundsOf`). */
  readonly from: Hash;
  readonly said?: Said | undefined;
}

/** One verifier's finding by one kind of judging, in its output's form. */
export const findingSchema = z.strictObject({
  kind: z.enum(PANEL_KINDS),
  verdict: z.enum(["PASS", "FAIL", "ABSTAIN"]),
  confidence: shareSchema,
  score: shareSchema,
  basis: z.array(digestSchema).max(256).readonly(),
  /** Parties whose work it confirms. */
  agreeing: z.array(nameSchema).max(16).readonly(),
  /** `groundsOf`: what this verifier examined for this kind, unique per verifier and kind. */
  from: digestSchema,
  /**
   * The model, its rules (`JUDGE_RULES`; each question is in `from`), and the digest of its answers, since the answers may reveal the
   * output's content.
   */
  said: z.strictObject({ model: z.string().min(1).max(200), prompt: digestSchema, answers: digestSchema }).optional(),
});
export type DocumentedFinding = z.infer<typeof findingSchema>;

/** The verifier and its obligation. */
export interface By {
  readonly verifier: string;
  readonly obligation: Hash;
}

/** Work of one slot, as far as it identifies what was examined. */
export interface Seen {
  readonly slot: number;
  readonly outputHash: Hash;
  readonly exhibits: readonly { readonly slot: number; readonly index: number; readonly kind: number; readonly payload: Hash }[];
}

/**
 * Identifies what a verifier examined for one kind. It includes the verifier's name and the kind, so that a judgement cannot be reused by
 * another verifier or for another kind. `asked`: digests of the questions to a model.
 */
export function groundsOf(
  kind: PanelKind,
  by: By,
  works: readonly Seen[],
  asked: readonly { readonly slot: number; readonly question: Hash }[] = [],
): Hash {
  const seen = works.map(({ slot, outputHash, exhibits }) => ({
    ...{ slot, outputHash },
    exhibits: exhibits.map(({ index, kind: of, payload }) => ({ index, kind: of, payload })),
  }));
  return hashOf({ kind, verifier: by.verifier, obligation: by.obligation, works: seen, asked: asked.map((each) => ({ ...each })) });
}

interface Weighed {
  readonly result: VerdictResultName;
  readonly confidence: number;
  readonly score: number;
}

/**
 * Combines a verifier's findings: any failure fails, otherwise any abstention abstains; a PASS requires all kinds and has their lowest
 * confidence and score. `counted`: the findings that the answer rests on.
 */
export function concluded<Finding extends Weighed>(findings: readonly Finding[]): Weighed & { readonly counted: readonly Finding[] } {
  const failing = findings.filter(({ result }) => result === "FAIL");
  if (failing.length > 0)
    return { result: "FAIL", confidence: Math.max(...failing.map(({ confidence }) => confidence)), score: 0, counted: failing };
  if (findings.length === 0 || findings.some(({ result }) => result === "ABSTAIN"))
    return { result: "ABSTAIN", confidence: 0, score: 0, counted: [] };
  const least = (of: "confidence" | "score") => Math.min(...findings.map((finding) => finding[of]));
  return { result: "PASS", confidence: least("confidence"), score: least("score"), counted: findings };
}

/** A performance answer with its findings. */
export interface Founded {
  readonly verdict: string;
  readonly confidence: number;
  readonly score?: number | undefined;
  readonly basis: readonly Hash[];
  readonly agreeing?: readonly string[] | undefined;
  readonly findings?: readonly DocumentedFinding[] | undefined;
}

/** What is wrong with an answer's findings under an obligation, with the guard that rejects it. */
export function findingsProblem(
  answer: Founded,
  { verifier_policy: { kinds } }: Pick<Obligation, "verifier_policy">,
): { readonly guard: "KIND_MISSING" | "KINDS_CONTRADICT"; readonly details: string } | undefined {
  const wanted = panelKinds(kinds);
  const findings = answer.findings ?? [];
  const has = findings.map(({ kind }) => kind);
  if (has.length !== wanted.length || wanted.some((kind, place) => has[place] !== kind))
    return {
      guard: "KIND_MISSING",
      details: `it judges by ${has.join(", ") || "no kind"}, and is asked for ${wanted.join(", ") || "none"}`,
    };
  if (findings.length === 0) return undefined;
  if (new Set(findings.map(({ from }) => from)).size !== findings.length)
    return { guard: "KINDS_CONTRADICT", details: "two of its findings come from the same" };
  const all = findings.map((finding) => ({
    ...finding,
    ...{ result: finding.verdict, confidence: toBps(finding.confidence), score: toBps(finding.score) },
  }));
  const { counted, ...due } = concluded(all);
  const agreeing = due.result === "PASS" ? standingIn(counted.map((finding) => finding.agreeing)) : [];
  // A pass by every kind on work of no one confirms no one.
  const result = due.result === "PASS" && agreeing.length === 0 ? "ABSTAIN" : due.result;
  const basis = result === "ABSTAIN" ? [] : counted.flatMap((finding) => finding.basis);
  const follows =
    answer.verdict === result &&
    toBps(answer.confidence) === (result === "ABSTAIN" ? 0 : due.confidence) &&
    toBps(answer.score ?? 0) === (result === "ABSTAIN" ? 0 : due.score) &&
    isSameSet(answer.basis, basis) &&
    isSameSet(answer.agreeing ?? [], agreeing);
  return follows ? undefined : { guard: "KINDS_CONTRADICT", details: `its answer ${answer.verdict} does not follow from its findings` };
}

/** Parties whose work is confirmed by every kind. */
function standingIn([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((name) => others.every((each) => each.includes(name)));
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const [a, b] = [new Set(some), new Set(others)];
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/**
 * Effects of a mission's final clearings on the passports of those involved (RAILS 10.2; decision 82). Independent of Node and of the
 * chain.
 */
import { z } from "zod";
import type { Deployment } from "../clearing/deployment.ts";
import { flagDrift } from "../clearing/drift.ts";
import { itemHash } from "../clearing/evidence-envelope.ts";
import type { ExitRecord } from "../clearing/exit.ts";
import { digestSchema, nameSchema } from "../clearing/fields.ts";
import type { FinalityEvaluation } from "../clearing/finality.ts";
import {
  type AgreementTerms,
  type Judgement,
  judgeConsensus,
  judgePolicy,
  judgeReexecution,
  type Submission,
} from "../clearing/judgement.ts";
import { ruledFinding } from "../clearing/mesh.ts";
import { floorFor } from "../clearing/obligation.ts";
import {
  applyDelta,
  applyExit,
  audited,
  compared,
  newPassport,
  type Passport,
  type PassportDelta,
  passportSchema,
  priorWeight,
  subjectsOf,
} from "../clearing/passport.ts";
import type { Checked } from "../clearing/refusal.ts";
import type { VerifierOutput } from "../clearing/verifier-output.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { contentIdOfJson, digestOf, sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { field } from "../primitives/values.ts";
import { evidenceKinds, ITEMS_PER_SLOT } from "../protocol/evidence.ts";
import { PANEL_KINDS, type PanelKind } from "../protocol/verifier-kinds.ts";
import { type ClearingRecord, isAgainst } from "./clearing-record.ts";
import type { Facts } from "./judging.ts";

/** Passport digests by subject. */
export const passportIndexSchema = z.record(nameSchema, digestSchema).readonly();
export type PassportIndex = z.infer<typeof passportIndexSchema>;

/** One verdict compared with its final clearing. */
const comparedSchema = z.strictObject({
  decision: digestSchema,
  /** A seat: a verifier's account and the question. */
  seat: nameSchema,
  agreed: z.boolean(),
  /** Present if it was drawn for a basis audit: whether the verifier's declared result matches its recomputed one. */
  matches: z.boolean().optional(),
  /** Kinds of check in which it does not match. */
  differs: z.array(z.enum(PANEL_KINDS)).min(1).readonly().optional(),
});

/** Passports before and after a mission. The digest of all of them, `indexDigest`, is posted on chain. */
export const passportsSchema = z.strictObject({
  before: passportIndexSchema,
  changed: z.array(z.strictObject({ before: passportSchema, after: passportSchema })).readonly(),
  verdicts: z.array(comparedSchema).readonly(),
});
export type Passports = z.infer<typeof passportsSchema>;

/** A final clearing, by its panel's findings or by a human's ruling. */
export interface FinalClearing {
  readonly evaluation: FinalityEvaluation;
  readonly deltas: readonly PassportDelta[];
  readonly world: Deployment;
  /** What its panel judged; undefined if a human's ruling took the decision's place, with which no verdict is compared. */
  readonly judged: Judged | undefined;
}

/** What changes passports: a final clearing, or the end of an obligation without one. */
export type Concluded = FinalClearing | { readonly exit: ExitRecord; readonly world: Deployment };

/** What a panel judged. */
export interface Judged {
  readonly record: ClearingRecord;
  readonly world: Deployment;
  /** Executors' works, for the audits; undefined if not available. */
  readonly works: readonly Omit<Submission, "exhibits">[] | undefined;
  readonly terms: AgreementTerms | undefined;
  /** Rule-based findings about the works; undefined if the law requires none, or they are not available. */
  readonly facts?: Facts | undefined;
}

/** Share of verdicts whose basis is audited, basis points. The selection is unknown until the decision is signed. */
const AUDITED = 2_000;

/** Bounds of on-chain weights, and the largest step (`EvidenceRegistry.postPassports`). */
const [LEAST, MOST, STEP] = [100, 133, 3];

export function indexDigest(index: PassportIndex): Hash {
  return digestOf(contentIdOfJson(index));
}

/** The index after the changes. */
export function indexAfter({ before, changed }: Pick<Passports, "before" | "changed">): PassportIndex {
  return { ...before, ...Object.fromEntries(changed.map(({ after }) => [after.subject, digestOf(contentIdOfJson(after))])) };
}

/** Applies final clearings and exits to passports, in order. `passportOf`: the passport named by an index; a new one for a new subject. */
export function passportsAfter(
  before: PassportIndex,
  concluded: readonly Concluded[],
  passportOf: (subject: string, digest: Hash | undefined) => Passport,
): Passports {
  const first = new Map<string, Passport>();
  const now = new Map<string, Passport>();
  const change = (subject: string, next: (passport: Passport) => Passport) => {
    const known = now.get(subject) ?? passportOf(subject, before[subject]);
    if (!first.has(subject)) first.set(subject, known);
    now.set(subject, next(known));
  };
  const verdicts: z.infer<typeof comparedSchema>[] = [];
  for (const one of concluded) {
    for (const { subject, apply } of changesOf(one))
      change(subject, (passport) => {
        const applied = apply(passport);
        // Verdicts within one principal change no passport.
        return applied.ok ? applied.value : passport;
      });
    const judged = "judged" in one ? one.judged : undefined;
    if (judged === undefined) continue;
    const { record } = judged;
    const decision = record.decision.clearing_decision_hash;
    for (const output of record.outputs) {
      const agreed = isBorneOut(output, record);
      if (agreed === undefined) continue;
      const differs = isAudited(decision, output.verifier) ? differencesIn(output, judged) : undefined;
      const matches = differs && differs.length === 0;
      change(accountOf(output.verifier), (passport) => {
        const next = compared(passport, agreed);
        return flagDrift(matches === undefined ? next : audited(next, matches));
      });
      const found = differs === undefined ? {} : { matches: differs.length === 0, ...(differs.length === 0 ? {} : { differs }) };
      verdicts.push({ decision, seat: output.verifier, agreed, ...found });
    }
  }
  const changed = [...now].flatMap(([subject, after]) => {
    const was = first.get(subject);
    return was === undefined || was === after ? [] : [{ before: was, after }];
  });
  return { before, changed, verdicts };
}

/** What a final clearing or an exit says of those who performed, as steps that may not be due. */
function changesOf(one: Concluded): readonly { readonly subject: string; readonly apply: (passport: Passport) => Checked<Passport> }[] {
  if ("exit" in one)
    return subjectsOf(one.exit).map((subject) => ({ subject, apply: (passport) => applyExit(passport, one.exit, one.world) }));
  const { deltas, evaluation, world } = one;
  return deltas.map((delta) => ({ subject: delta.agent_id, apply: (passport) => applyDelta(passport, delta, evaluation, world) }));
}

/** The passport with a digest among these; a new one for a new subject. Throws RangeError if it is missing. */
export function passportAmong(known: readonly Passport[], subject: string, digest: Hash | undefined): Passport {
  if (digest === undefined) return newPassport(subject);
  const found = known.find((passport) => passport.subject === subject && digestOf(contentIdOfJson(passport)) === digest);
  if (found === undefined) throw new RangeError(`no passport of ${subject} with digest ${digest}`);
  return found;
}

/**
 * The weight's next value: a step towards the passport's worth; undefined if it stays. A verifier seated with less rises once its passport
 * is worth more than a newcomer's.
 */
export function nextWeight(weight: number, passport: Passport): number | undefined {
  const above = Math.max(0, 2 * priorWeight(passport) - BASIS_POINTS);
  if (weight > MOST || (weight < LEAST && above === 0)) return undefined;
  const wanted = LEAST + Math.floor(((MOST - LEAST) * above) / BASIS_POINTS);
  const next = Math.min(weight + STEP, Math.max(weight - STEP, wanted));
  return next === weight ? undefined : next;
}

/** Slots with evidence in an envelope. */
export function slotsIn({ envelope }: Pick<ClearingRecord, "envelope">): readonly number[] {
  const about = envelope.items.filter(({ id }) => !isAgainst(id));
  return [...new Set(about.map(({ id }) => Number.parseInt(id, 10)))].sort((a, b) => a - b);
}

const accountOf = (seat: string): string => seat.split("/")[0] ?? seat;

const BORNE_OUT: Readonly<Record<string, "PASS" | "FAIL">> = { cleared: "PASS", complied: "PASS", failed: "FAIL", violated: "FAIL" };

/** Whether the decision confirmed a verdict; undefined if one of them was undecided. */
function isBorneOut({ answers, verdict }: VerifierOutput, { decision }: ClearingRecord): boolean | undefined {
  const [answer] = answers;
  const found = answer === undefined ? undefined : BORNE_OUT[decision[answer.question]];
  return found === undefined || verdict === "ABSTAIN" ? undefined : found === verdict;
}

function isAudited(decision: Hash, seat: string): boolean {
  return Number.parseInt(sha256(`${decision}/${seat}`).slice(2, 6), 16) * BASIS_POINTS < AUDITED * 0x1_00_00;
}

/**
 * A basis audit: recomputes a verifier's work on the same envelope by every kind of check that needs no model, and returns the kinds with
 * other results. Kinds in which the verifier abstained, or that cannot be recomputed here, are skipped. Undefined if none can be.
 */
export function differencesIn(output: VerifierOutput, judged: Judged): readonly PanelKind[] | undefined {
  if (judged.works === undefined) return undefined;
  const placed = placedExhibits(judged.record.envelope);
  const works = judged.works.map((work) => ({
    ...work,
    exhibits: placed.flatMap(({ exhibit, item }) => (exhibit.slot === work.slot && !isAgainst(item.id) ? [exhibit] : [])),
  }));
  const said = output.findings ?? [{ ...output, kind: "replay" as const }];
  return said.flatMap((finding) => {
    // For a policy question without stored rules only the basis is compared.
    const isBasisAlone = isPolicy(output) && judged.facts === undefined;
    const again = findingAgain(isPolicy(output) ? "policy" : finding.kind, works, judged);
    if (again === undefined || (output.findings !== undefined && finding.verdict === "ABSTAIN")) return [];
    const wanted = placed.flatMap(({ item, exhibit }) => (isIn(again.basis, exhibit) ? [itemHash(item)] : []));
    const same = wanted.length === finding.basis.length && wanted.every((hash) => finding.basis.includes(hash));
    return same && (isBasisAlone || again.result === finding.verdict) ? [] : [finding.kind];
  });
}

function isPolicy({ answers: [answer] }: VerifierOutput): boolean {
  return answer?.question === "policy";
}

/** The result of a kind of check on these works; undefined if it needs a model, or rules that are not available. */
function findingAgain(
  kind: PanelKind | "policy",
  works: readonly Submission[],
  { record: { envelope, obligation }, terms, facts, world }: Judged,
): Pick<Judgement, "result" | "basis"> | undefined {
  switch (kind) {
    case "policy":
      return judgePolicy(works, facts?.broken ?? []);
    case "replay":
      return terms === undefined
        ? judgeReexecution(
            works[0],
            envelope.items.some(({ id }) => isAgainst(id)),
          )
        : judgeConsensus(works, terms);
    case "constraint": {
      if (facts === undefined || works.some(({ slot }) => facts.problemsOf(slot) === undefined)) return undefined;
      return ruledFinding(kind, works, ({ slot }) => facts.problemsOf(slot)?.length === 0, NOBODYS);
    }
    case "receipt": {
      const floor = floorFor(obligation, "fee_release", "performance");
      const strong = envelope.items.filter((item) => world.admissibility.geq(item.class, floor));
      const shown = placedExhibits({ ...envelope, items: strong }).map(({ exhibit }) => exhibit);
      const isVouched = ({ slot, handed }: Submission) =>
        shown.some((each) => each.slot === slot && each.payload === handed && each.kind !== evidenceKinds.REFUTATION) || undefined;
      return ruledFinding(kind, works, isVouched, NOBODYS);
    }
    case "semantic":
      return undefined;
  }
}

/** Grounds for a finding that is only compared, never submitted. */
const NOBODYS: Hash = `0x${"00".repeat(32)}`;

/** The evidence of an envelope in the form that verifiers judge. */
export function placedExhibits({ items }: ClearingRecord["envelope"]) {
  return items.flatMap((item) => {
    const payload = field(item.content, "payload");
    const [slot, index] = item.id.split("/").map(Number);
    if (item.type === "claim" || typeof payload !== "string" || slot === undefined || index === undefined) return [];
    const shown = item.type === "receipt" ? evidenceKinds.RECEIPT : evidenceKinds.REEXECUTION;
    const kind = isAgainst(item.id) ? evidenceKinds.REFUTATION : shown;
    return [{ item, exhibit: { slot, index, kind, payload: payload as Hash } }];
  });
}

function isIn(basis: bigint, { slot, index }: { readonly slot: number; readonly index: number }): boolean {
  return ((basis >> BigInt(ITEMS_PER_SLOT * slot + index)) & 1n) === 1n;
}

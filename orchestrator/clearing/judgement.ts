import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Hash } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import { type EvidenceKind, evidenceKinds, ITEMS_PER_SLOT, type QuestionName, type VerdictResultName } from "../protocol/evidence.ts";
import { REFUTED } from "../rules/admissibility.ts";
import { agreeOnItems, type Comparison, type ItemAgreement } from "../rules/consensus.ts";
import type { KindFinding } from "./findings.ts";

/** One item of evidence as a verifier sees it: identified by position, without its class. */
export interface Exhibit {
  readonly slot: number;
  readonly index: number;
  readonly kind: EvidenceKind;
  readonly payload: Hash;
}

/** One executor's submission. `output` is absent if the bytes behind its hash are unavailable. */
export interface Submission {
  readonly slot: number;
  readonly outputHash: Hash;
  /** Hash of the submission, which receipts refer to: sealed work, or the output itself. */
  readonly handed: Hash;
  readonly output: JsonObject | undefined;
  readonly exhibits: readonly Exhibit[];
}

/** How redundant outputs are compared, from the law's document. */
export interface AgreementTerms extends Comparison {
  readonly atLeastBps: number;
  readonly threshold: number;
}

/** One verifier's unsigned answer (decision 23). Basis points; bit per item and per slot. */
export interface Judgement {
  readonly question: QuestionName;
  readonly result: VerdictResultName;
  readonly confidence: number;
  readonly score: number;
  readonly basis: bigint;
  readonly agreeing: number;
  /** Its findings, if the law requires several kinds of judging (`mesh.ts`). */
  readonly findings?: readonly KindFinding[] | undefined;
}

/** One item of an output; other fields belong to the service. */
const itemSchema = z.looseObject({ id: z.string() });
const itemsSchema = z.array(itemSchema);
type Item = z.infer<typeof itemSchema>;

/**
 * Tiers 1 and 3: whether an independent re-execution gives the committed output. Without one the verifier abstains, unless issuers of two
 * principals refute work that has no evidence.
 */
export function judgeReexecution(work: Submission | undefined, isRefuted: boolean): Judgement {
  const exhibit = work?.exhibits.find(({ kind }) => kind === evidenceKinds.REEXECUTION);
  if (work === undefined || exhibit === undefined) return isRefuted ? failed(REFUTED) : abstain("PERFORMANCE");
  if (exhibit.payload !== work.outputHash) return failed(bitOf(exhibit));
  if (work.output === undefined) return abstain("PERFORMANCE");
  return {
    question: "PERFORMANCE",
    result: "PASS",
    confidence: BASIS_POINTS,
    score: BASIS_POINTS,
    basis: bitOf(exhibit),
    agreeing: 1 << work.slot,
  };
}

function failed(basis: bigint): Judgement {
  return { question: "PERFORMANCE", result: "FAIL", confidence: BASIS_POINTS, score: 0, basis, agreeing: 0 };
}

/**
 * Tier 2: which attested outputs agree by item. The score is the mean pairwise share of the agreeing slots. Below the law's threshold no
 * one is proven wrong, so the verifier abstains.
 */
export function judgeConsensus(works: readonly Submission[], terms: AgreementTerms): Judgement {
  const vouched = works.filter((work) => work.output !== undefined && vouchedFor(work) !== undefined);
  const agreement = agreementOf(vouched, terms);
  if (!agreement.reached) return abstain("PERFORMANCE");
  const agreeing = vouched.filter(({ slot }) => agreement.slots.includes(slot));
  const shares = agreement.pairs
    .filter(({ a, b }) => agreement.slots.includes(a) && agreement.slots.includes(b))
    .map(({ shareBps }) => shareBps);
  return {
    question: "PERFORMANCE",
    result: "PASS",
    confidence: BASIS_POINTS,
    score: shares.length === 0 ? BASIS_POINTS : Math.floor(shares.reduce((sum, share) => sum + share, 0) / shares.length),
    basis: agreeing.reduce((basis, work) => basis | bitOf(vouchedFor(work)), 0n),
    agreeing: agreeing.reduce((mask, { slot }) => mask | (1 << slot), 0),
  };
}

/** Agreement of outputs on one field of their items; the mission's merged output uses the same result. */
export function agreementOf(works: readonly Submission[], terms: AgreementTerms): ItemAgreement & { readonly items: readonly Item[] } {
  const outputs = works.map(({ slot, output }) => ({ slot, items: itemsIn(output) }));
  return agreeOnItems(outputs, terms, { atLeastBps: terms.atLeastBps, quorum: terms.threshold });
}

/** The policy question: whether the law's predicates are met. It rests on the same exhibits as the performance answer. */
export function judgePolicy(works: readonly Submission[], problems: readonly string[]): Judgement {
  const basis = works.reduce((bits, { exhibits }) => exhibits.reduce((sum, exhibit) => sum | bitOf(exhibit), bits), 0n);
  if (basis === 0n) return abstain("POLICY");
  const pass = problems.length === 0;
  return {
    question: "POLICY",
    result: pass ? "PASS" : "FAIL",
    confidence: BASIS_POINTS,
    score: pass ? BASIS_POINTS : 0,
    basis,
    agreeing: pass ? works.reduce((mask, { slot }) => mask | (1 << slot), 0) : 0,
  };
}

function abstain(question: QuestionName): Judgement {
  return { question, result: "ABSTAIN", confidence: 0, score: 0, basis: 0n, agreeing: 0 };
}

/** Evidence that exactly these bytes were submitted: a receipt, or a re-execution with the same result. */
const VOUCHING: readonly EvidenceKind[] = [evidenceKinds.RECEIPT, evidenceKinds.REEXECUTION];

function vouchedFor({ exhibits, handed }: Submission): Exhibit | undefined {
  return exhibits.find(({ kind, payload }) => VOUCHING.includes(kind) && payload === handed);
}

/** Bit of the item that proves a slot's bytes; undefined if there is none. */
export function standingExhibit(work: Submission): bigint | undefined {
  const exhibit = vouchedFor(work);
  return exhibit === undefined ? undefined : bitOf(exhibit);
}

function bitOf(exhibit: Exhibit | undefined): bigint {
  return exhibit === undefined ? 0n : 1n << BigInt(ITEMS_PER_SLOT * exhibit.slot + exhibit.index);
}

/** The comparable items of an output; empty if there are none. */
export function itemsIn(output: JsonObject | undefined): Item[] {
  return itemsSchema.safeParse(output?.["items"]).data ?? [];
}

import { type By, groundsOf, type Said, saidDigest } from "../../clearing/findings.ts";
import type { Submission } from "../../clearing/judgement.ts";
import { JUDGE_RULES, semanticFinding } from "../../clearing/mesh.ts";
import type { ClearingRecord } from "../../execution/clearing-record.ts";
import { placedExhibits, slotsIn } from "../../execution/passports.ts";
import { hashesOf, sealedSchema, workSchema } from "../../execution/work.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { isObject } from "../../primitives/json.ts";
import type { MissionNode } from "../../protocol/mission-document.ts";
import { panelKinds } from "../../protocol/verifier-kinds.ts";
import type { AuditContext } from "./context.ts";
import type { Inspection } from "./inspection.ts";

/** A clearing whose law asks for kinds of verifier, with what its findings came from. */
export interface FindingsToCheck {
  readonly subject: string;
  readonly file: string;
  readonly record: Pick<ClearingRecord, "obligation" | "envelope" | "outputs">;
  readonly law: Pick<MissionNode, "verifiers" | "rubric">;
  /** What a slot handed in; undefined where this copy does not have it. */
  readonly workOf: (slot: number) => Omit<Submission, "exhibits" | "slot"> | undefined;
  /** What a verifier's model answered, word for word. */
  readonly saidOf: (verifier: string) => Said | undefined;
}

/** What a slot handed in, from its records; undefined where one of them, or the output, is not in this copy. */
export function workIn(
  {
    of,
    block,
    hasBlock,
  }: Pick<AuditContext, "block" | "hasBlock"> & {
    readonly of: (kind: string, place: readonly string[]) => ContentId | undefined;
  },
  attempt: readonly string[],
  slot: number,
): Omit<Submission, "exhibits" | "slot"> | undefined {
  const place = [...attempt, String(slot)];
  const [done, sealed] = [of("execution.work", place), of("execution.sealed", place)].map((id) =>
    id !== undefined && hasBlock(id) ? block(id) : undefined,
  );
  const work = done === undefined ? undefined : workSchema.parse(done);
  if (work?.ok !== true) return undefined;
  const id = parseContentId(work.outputId);
  const output = hasBlock(id) ? block(id) : undefined;
  if (!isObject(output)) return undefined;
  return { ...hashesOf(work, sealed === undefined ? undefined : sealedSchema.parse(sealed)), output };
}

/**
 * That every verifier judged by each kind that the law asks for, from these works and for itself: what it looked at is computed again, and what
 * its model said read again. That the verdicts follow from the findings, clearing again tells; whether a finding is right, the passports.
 */
export function findingsAgain(seen: Inspection, { subject, file, record, law, workOf, saidOf }: FindingsToCheck): void {
  const { obligation, envelope, outputs } = record;
  const { kinds } = obligation.verifier_policy;
  seen.same(kinds, law.verifiers && ["replay", ...law.verifiers], `${subject}: kinds of verifier against the law's`, file);
  if (panelKinds(law.verifiers).length === 0) return;
  const slots = slotsIn(record);
  const placed = placedExhibits(envelope);
  const works = slots.flatMap((slot): Submission[] => {
    const work = workOf(slot);
    const exhibits = placed.flatMap(({ exhibit }) => (exhibit.slot === slot ? [exhibit] : []));
    return work === undefined ? [] : [{ slot, ...work, exhibits }];
  });
  // A public copy has no work of a mission that is for its parties.
  if (works.length !== slots.length) return;
  for (const { verifier: seat, findings = [] } of outputs) {
    const [verifier = seat] = seat.split("/");
    const by: By = { verifier, obligation: obligation.obligation_id };
    for (const finding of findings) {
      const about = `${subject}: ${finding.kind} finding of ${verifier}`;
      if (finding.kind !== "semantic") {
        seen.same(finding.from, groundsOf(finding.kind, by, works), `${about}, what it looked at`, file);
        continue;
      }
      const said = finding.said === undefined ? undefined : saidOf(verifier);
      const { from, result, score } = semanticFinding(works, { ...by, rubric: law.rubric ?? "", said });
      seen.same(finding.from, from, `${about}, what it asked`, file);
      seen.same(
        finding.said,
        said && { model: said.model, prompt: JUDGE_RULES, answers: saidDigest(said) },
        `${about}, what its model said`,
        file,
      );
      seen.same([finding.verdict, Math.round(finding.score * BASIS_POINTS)], [result, score], `${about}, read again`, file);
    }
  }
}

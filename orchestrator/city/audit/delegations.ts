/** Nodes that are missions, once more from their documents. Free of Node and of the chain, like `documents.ts`: a browser runs it as it is. */
import type { z } from "zod";
import { bindObligation } from "../../clearing/bind.ts";
import { secondsOf } from "../../clearing/fields.ts";
import { type Obligation, obligationSchema } from "../../clearing/obligation.ts";
import { bindSubdelegation, isDelegationSigned } from "../../clearing/subdelegation.ts";
import { cityDeployment, granted, standingsSaid } from "../../execution/clearing-record.ts";
import { BRANCH_RULE, type BranchEnd, branchSchema, concludeBranch, type DelegationRecords } from "../../execution/delegation.ts";
import { accountOfKey } from "../../primitives/recovery.ts";
import type { LogEntry } from "../../records/log.ts";
import { blockFile } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import { hexOf } from "./documents.ts";
import type { Inspection } from "./inspection.ts";
import { overridesIn, recordOf } from "./works.ts";

type Records = Pick<AuditContext, "log" | "block" | "hasBlock">;

/** What the bundle holds of who undertook what, and how it ended. */
function delegationsIn(records: Records): DelegationRecords {
  return {
    attempts: async (mission) => {
      const places = undertakenIn(records.log, mission).map(({ subjects: [, node, attempt] }) => ({
        node: Number(node),
        attempt: Number(attempt),
      }));
      return places.toSorted((one, other) => one.attempt - other.attempt);
    },
    recall: async <Value>(kind: string, subjects: readonly (string | number)[], schema: z.ZodType<Value>) =>
      recordOf(records, `execution.${kind}`, subjects, schema)?.value,
    overrides: async (mission, { node, attempt }) => overridesIn(records, [mission, node, attempt]).map(({ override }) => override),
  };
}

/** Entries of the log that keep a mission's obligations, the last of each attempt. */
function undertakenIn(log: readonly LogEntry[], mission: string): readonly LogEntry[] {
  const own = log.filter(({ kind, subjects }) => kind === "execution.obligation" && subjects[0] === mission);
  return [...new Map(own.map((entry) => [entry.subjects.join("/"), entry])).values()];
}

/** A branch, and what somebody knows of its end. */
export interface BranchToCheck {
  readonly subject: string;
  readonly place: readonly [mission: string, node: number, attempt: number];
  readonly obligation: Obligation;
  /** As the chain has it; where there is none at hand, as the record says it itself. */
  readonly end?: BranchEnd | undefined;
}

/**
 * The end of a branch, and whose fault it is, derived again from the documents of what was done below; whoever works there does so under an
 * obligation that names this one. The mission that the end follows from; undefined where it made none.
 */
export async function recomputeDelegation(
  records: Records,
  seen: Inspection,
  { subject, place, obligation, end }: BranchToCheck,
): Promise<string | undefined> {
  const found = recordOf(records, "execution.branch", place, branchSchema);
  if (!seen.holds(found !== undefined, subject, "has no record of how it ended") || found === undefined) return undefined;
  const file = blockFile(found.id);
  const { engine: key, delegation } = found.value;
  const { clearing_engine: id, clearing_engine_signature: signature, ended, performance } = delegation;
  seen.same(accountOfKey(hexOf(key)), id.split("/")[0], `${subject}: the engine's key`, file);
  const world = cityDeployment({ [id]: key }, standingsSaid({ keys: { [id]: key }, obligation }, id), { undertook: () => true });
  seen.holds(isDelegationSigned(delegation, world), `${subject}: its end`, "is not signed by the engine", file);
  const mission = ended === obligation.parties.provider ? undefined : ended;
  const said = { mission: mission ?? null, outcome: OUTCOMES[performance], at: BigInt(secondsOf(delegation.concluded_at)) };
  const again = await concludeBranch(delegationsIn(records), obligation, end ?? said, { id, key, sign: () => signature });
  seen.same(delegation.delegation_id, again.delegation_id, `${subject}: its end and whose fault it is, derived again`, file);
  if (mission !== undefined) await namedBelow(records, seen, { subject, obligation, mission });
  return mission;
}

const OUTCOMES = { cleared: "completed", failed: "failed", unverifiable: "left" } as const;

/** Every obligation of the mission below serves this one (RAILS 9.2). */
async function namedBelow(
  { log, block }: Records,
  seen: Inspection,
  { subject, obligation, mission }: Pick<BranchToCheck, "subject" | "obligation"> & { readonly mission: string },
): Promise<void> {
  const worldOf = (one: Obligation) => cityDeployment({}, standingsSaid({ keys: {}, obligation: one }, ""), { undertook: () => true });
  const parent = granted(bindObligation(obligation, worldOf(obligation)));
  for (const { subjects, content } of undertakenIn(log, mission)) {
    const name = `${subject}: the obligation of node ${subjects[1]} below, attempt ${Number(subjects[2]) + 1}`;
    await seen.part(name, () => {
      if (content === null) return void seen.holds(false, name, "is empty");
      const own = obligationSchema.parse(block(content));
      const bound = bindSubdelegation(own, parent, worldOf(own));
      const problem = bound.ok ? "" : bound.refusals.map(({ guard, details }) => `${guard}: ${details}`).join("; ");
      seen.holds(bound.ok, name, problem, blockFile(content));
    });
  }
}

/** Every branch of a mission and of those below it, from the documents alone. */
export async function recomputeBranches(records: Records, seen: Inspection, mission: string, isBelow = false): Promise<void> {
  for (const { subjects, content } of undertakenIn(records.log, mission)) {
    const [, node, attempt] = subjects;
    const subject = `node ${node} of ${mission}, attempt ${Number(attempt) + 1}`;
    let below: string | undefined;
    await seen.part(subject, async () => {
      if (content === null) return void seen.holds(false, subject, "has no obligation");
      const obligation = obligationSchema.parse(records.block(content));
      if (!isBelow)
        seen.holds(obligation.parent_obligation_hash === undefined, subject, "serves an obligation of nobody", blockFile(content));
      if (obligation.verifier_policy.drawn_by !== BRANCH_RULE) return;
      below = await recomputeDelegation(records, seen, { subject, place: [mission, Number(node), Number(attempt)], obligation });
    });
    if (below !== undefined) await recomputeBranches(records, seen, below, true);
  }
}

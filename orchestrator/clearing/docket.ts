import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import type { Hash } from "../primitives/hex.ts";
import { type AppealRecord, appealRecordSchema, isAppealReceived } from "./appeal.ts";
import { type BindingRecord, bindingRecordSchema, isBindingSigned } from "./binding.ts";
import type { Deployment } from "./deployment.ts";
import { engineProblem } from "./engine.ts";
import { type ExitRecord, exitRecordSchema, isExitSigned } from "./exit.ts";
import { digestSchema, nameSchema, read, secondsOf } from "./fields.ts";
import { evaluationId, type FinalityEvaluation, finalityEvaluationSchema, isEvaluationSigned } from "./finality.ts";
import { advance, IllegalTransition, type LifecycleEvent, type LifecycleState, type Stage } from "./lifecycle.ts";
import { isMarginSigned, isPauseSigned, type MarginRecord, marginRecordSchema, type PauseRecord, pauseRecordSchema } from "./margin.ts";
import type { Obligation } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, without } from "./seal.ts";
import { isInstructionSigned, type SettlementInstruction, settlementInstructionSchema } from "./settlement-instruction.ts";

const railAppealSchema = z.strictObject({
  obligation_hash: digestSchema,
  /** The instruction that it withdraws. */
  instruction_id: digestSchema,
  /** Where the rail says so. */
  receipt: nameSchema,
});
/** An appeal that the rail heard: a deployment must know of it (`Deployment.appealed`). */
export type RailAppeal = z.infer<typeof railAppealSchema>;

/** An appeal that the rail heard, or that a party filed here (`recordAppeal`). */
type DocketAppeal = RailAppeal | AppealRecord;

/** What moves an obligation on from its binding; each names the obligation, and what it follows from. */
export const docketRecordSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("binding"), record: bindingRecordSchema }),
  z.strictObject({ kind: z.literal("pause"), record: pauseRecordSchema }),
  z.strictObject({ kind: z.literal("margin"), record: marginRecordSchema }),
  z.strictObject({ kind: z.literal("instruction"), record: settlementInstructionSchema }),
  z.strictObject({ kind: z.literal("appeal"), record: z.union([railAppealSchema, appealRecordSchema]) }),
  z.strictObject({ kind: z.literal("exit"), record: exitRecordSchema }),
  z.strictObject({ kind: z.literal("finality"), record: finalityEvaluationSchema }),
]);
export type DocketRecord = z.infer<typeof docketRecordSchema>;
const KINDS = docketRecordSchema.options.map(({ shape }) => shape.kind.value);

/** The store holds something else than records. */
export class MalformedDocket extends AgentCityError {
  constructor(obligation: Hash, problems: string) {
    super("MalformedDocket", `The docket of ${obligation} cannot be read: ${problems}`, {
      action: "restore the store that it is read from",
    });
  }
}

/** Where an obligation is, as its records say. */
export interface DocketEntry {
  readonly state: LifecycleState;
  /** The last instruction, standing or withdrawn by an appeal, or the record of the exit; undefined if there is none yet. */
  readonly instruction: Hash | undefined;
  readonly margin: DocketMargin;
}

/** What pauses of its execution made of an obligation's collateral and window. */
export interface DocketMargin {
  /** What is at stake in place of the agreed collateral. */
  readonly posted?: number;
  /** The pause whose margin is not posted yet. */
  readonly owed?: PauseRecord | undefined;
  /** Seconds by which the execution window is longer. */
  readonly paused: number;
}

/** Storage of a docket's records by obligation hash, in their order: a Map, or a persistent store. What it returns is checked. */
export interface DocketStore {
  get(obligation: Hash): readonly DocketRecord[] | undefined;
  set(obligation: Hash, records: readonly DocketRecord[]): void;
}

/**
 * Records of an obligation as presented by those who received them: in any order, with anything else among them. The caller limits their
 * number. No store can vouch for its own end, but whoever a record favours has a signed copy.
 */
export type ShownRecords = (obligation: Hash) => readonly unknown[];

/**
 * The engine's memory: an obligation is settled once. A second decision replaces the first only after an appeal, and nothing follows
 * finality (RAILS 6). It keeps records and no stages: a stage is what the transitions of the lifecycle make of the records. Throws
 * MalformedDocket if the store has something else.
 */
export interface Docket {
  /** Undefined without records, and for records that do not follow from each other: nothing can be added to those. */
  entry(obligation: Hash): DocketEntry | undefined;
  /**
   * Why the records do not support the obligation's stage: one is not by its engine, an appeal is unknown to the rail, or one that somebody
   * shows is lacking. That a store left out the last ones is not noticed while nobody shows them.
   */
  problem(obligation: Obligation, deployment: Deployment): string | undefined;
  /** Records the binding. Idempotent: the first stays. */
  bind(record: BindingRecord): Checked<BindingRecord>;
  /** Pauses execution until its margin is posted (`recordPause`, `recordMargin`). */
  pause(record: PauseRecord): Checked<PauseRecord>;
  post(record: MarginRecord): Checked<MarginRecord>;
  margin(obligation: Hash): DocketMargin;
  /** Records an instruction. Idempotent. */
  settle(instruction: SettlementInstruction): Checked<SettlementInstruction>;
  /** Returns the obligation to verification: its instruction never becomes final. */
  appeal(appeal: DocketAppeal): Checked<DocketEntry>;
  /** Appeals filed here, in order. */
  appeals(obligation: Hash): readonly AppealRecord[];
  /** The instruction that stands. */
  standing(obligation: Hash): SettlementInstruction | undefined;
  /** The instruction that the last appeal withdrew, whether or not another one has taken its place. */
  withdrawn(obligation: Hash): SettlementInstruction | undefined;
  /** Ends it without a settlement. Idempotent. */
  exit(record: ExitRecord): Checked<ExitRecord>;
  /** Ends it with a signed evaluation that fired. */
  close(evaluation: FinalityEvaluation, deployment: Deployment): Checked<DocketEntry>;
}

/** Before its first record, an obligation is about to be bound. */
const UNBOUND: DocketEntry = {
  state: { stage: "OBLIGATION_BINDING", escalations: 0, appeals: 0 },
  instruction: undefined,
  margin: { paused: 0 },
};

/** Events from a stage to the panel's work. Who decided an obligation states that they happened: it names the envelope that was handed in. */
const BEFORE: Readonly<Partial<Record<Stage, readonly LifecycleEvent[]>>> = {
  OBLIGATION_BINDING: ["SIGNED", "MARGIN_POSTED", "WORK_DONE", "ENVELOPE_SUBMITTED"],
  PRE_CLEARANCE: ["MARGIN_POSTED", "WORK_DONE", "ENVELOPE_SUBMITTED"],
  EXECUTION: ["WORK_DONE", "ENVELOPE_SUBMITTED"],
};

/** The transitions that a record stands for. */
function eventsOf({ kind, record }: DocketRecord, stage: Stage): readonly LifecycleEvent[] {
  const worked = BEFORE[stage] ?? [];
  switch (kind) {
    case "binding":
      return ["SIGNED"];
    case "pause":
      return [...worked.slice(0, worked.indexOf("WORK_DONE")), "PAUSE"];
    case "margin":
      return ["MARGIN_POSTED"];
    case "instruction":
      return [
        ...worked,
        ...(record.override_id === undefined ? (["OUTPUTS_COMPLETE"] as const) : (["ESCALATE", "ARBITER_RULED"] as const)),
        "INSTRUCTION_EMITTED",
      ];
    case "appeal":
      return ["APPEAL", "REOPEN"];
    case "exit":
      if (record.exit === "CANCELLED") return ["CANCEL"];
      if (record.exit === "UNVERIFIABLE") return [...worked, "OUTPUTS_COMPLETE", "UNRESOLVED"];
      return stage === "OBLIGATION_BINDING" ? ["SIGNED", "DEADLINE_PASSED"] : ["DEADLINE_PASSED"];
    case "finality":
      return ["PHI_FIRED"];
  }
}

/** What a record says the standing instruction is; undefined if it is about none. */
function about({ kind, record }: DocketRecord): Hash | undefined {
  return kind === "appeal" || kind === "finality" ? record.instruction_id : undefined;
}

function idOf({ kind, record }: DocketRecord): Hash | undefined {
  return kind === "instruction" ? record.instruction_id : kind === "exit" ? record.exit_id : undefined;
}

/** The entry after one more record; undefined if it does not follow. */
function after(entry: DocketEntry, obligation: Hash, record: DocketRecord): DocketEntry | undefined {
  const named = about(record);
  if (record.record.obligation_hash !== obligation || (named !== undefined && named !== entry.instruction)) return undefined;
  if (record.kind === "instruction" && record.record.override_id === undefined && record.record.supersedes !== entry.instruction)
    return undefined;
  const margin = marginAfter(entry.margin, record);
  if (margin === undefined) return undefined;
  try {
    const state = eventsOf(record, entry.state.stage).reduce(advance, entry.state);
    return { state, instruction: idOf(record) ?? entry.instruction, margin };
  } catch (error) {
    if (error instanceof IllegalTransition) return undefined;
    throw error;
  }
}

/** The margin after one more record; undefined if it is owed before that, or another than that. */
function marginAfter(margin: DocketMargin, { kind, record }: DocketRecord): DocketMargin | undefined {
  const { owed, posted = 0, paused } = margin;
  if (kind === "pause") return owed === undefined && record.margin > posted ? { ...margin, owed: record } : undefined;
  if (kind === "margin") {
    const isDue = owed !== undefined && record.pause_id === owed.pause_id && record.amount >= owed.margin;
    const waited = isDue ? secondsOf(record.resumed_at) - secondsOf(owed.paused_at) : -1;
    return waited < 0 ? undefined : { posted: record.amount, paused: paused + waited };
  }
  // What is paused can be called off or expire, but nothing is decided about it.
  const isDecided = kind === "instruction" || (kind === "exit" && record.exit === "UNVERIFIABLE");
  return owed !== undefined && isDecided ? undefined : margin;
}

/** Opens a docket over its store. `shown`: records that others kept of it; those that an engine signed must be in the store. */
export function openDocket(store: DocketStore = new Map<Hash, readonly DocketRecord[]>(), shown: ShownRecords = () => []): Docket {
  /** Lists of records that were written here, or read before. */
  const known = new WeakSet<readonly DocketRecord[]>();
  const recordsOf = (obligation: Hash): readonly DocketRecord[] => {
    const records = store.get(obligation) ?? [];
    if (records.length === 0 || known.has(records)) return records;
    const parsed = read(z.array(docketRecordSchema), records);
    if (!parsed.ok) throw new MalformedDocket(obligation, parsed.problems);
    known.add(records);
    return records;
  };
  const entryOf = (obligation: Hash) =>
    recordsOf(obligation).reduce<DocketEntry | undefined>((entry, record) => entry && after(entry, obligation, record), UNBOUND);
  /** Adds a record that follows from the others. */
  const add = (record: DocketRecord): DocketEntry | undefined => {
    const { obligation_hash: obligation } = record.record;
    const before = entryOf(obligation);
    const entry = before && after(before, obligation, record);
    if (entry === undefined) return undefined;
    const records = [...recordsOf(obligation), record];
    known.add(records);
    store.set(obligation, records);
    return entry;
  };
  const instructionBefore = (records: readonly DocketRecord[]) => {
    const last = records.findLast(({ kind }) => kind === "instruction");
    return last?.kind === "instruction" ? last.record : undefined;
  };
  const where = (obligation: Hash) => {
    const entry = entryOf(obligation);
    if (entry === undefined) return "its records do not follow from each other";
    return `${entry.instruction === undefined ? "" : `by ${entry.instruction}, `}now in ${entry.state.stage}`;
  };
  const isLast = (obligation: Hash, id: Hash) => {
    const last = recordsOf(obligation).findLast(({ kind }) => kind !== "finality");
    return last !== undefined && idOf(last) === id && entryOf(obligation) !== undefined;
  };

  return {
    entry: (obligation) => (recordsOf(obligation).length === 0 ? undefined : entryOf(obligation)),

    problem(obligation, deployment) {
      const { obligation_hash: hash } = obligation;
      const entry = entryOf(hash);
      if (entry === undefined) return "its records do not follow from each other";
      const problem = recordsOf(hash)
        .map((record) => unsupported(record, obligation, deployment))
        .find((each) => each !== undefined);
      if (problem !== undefined) return problem;
      const lacking = lackingIn(recordsOf(hash), shown(hash), (record) => isOwed(record, entry, obligation, deployment));
      return lacking === undefined ? undefined : `it lacks a record of kind ${lacking} that an engine signed and somebody shows`;
    },

    bind(record) {
      const [first] = recordsOf(record.obligation_hash);
      if (first?.kind === "binding") return accept(first.record);
      return add({ kind: "binding", record }) === undefined
        ? refuse("SETTLED_ALREADY", record.obligation_hash, where(record.obligation_hash))
        : accept(record);
    },

    pause: (record) =>
      add({ kind: "pause", record }) === undefined
        ? refuse("MARGIN_NOT_DUE", record.obligation_hash, where(record.obligation_hash))
        : accept(record),

    post: (record) =>
      add({ kind: "margin", record }) === undefined
        ? refuse("MARGIN_NOT_DUE", record.obligation_hash, where(record.obligation_hash))
        : accept(record),

    margin: (obligation) => (entryOf(obligation) ?? UNBOUND).margin,

    settle(instruction) {
      const { obligation_hash: obligation, instruction_id } = instruction;
      if (isLast(obligation, instruction_id)) return accept(instruction);
      const owed = entryOf(obligation)?.margin.owed;
      if (owed !== undefined) return refuse("MARGIN_OWED", obligation, `it is paused until ${owed.margin} is posted`);
      return add({ kind: "instruction", record: instruction }) === undefined
        ? refuse("SETTLED_ALREADY", obligation, where(obligation))
        : accept(instruction);
    },

    appeal(appeal) {
      const entry = add({ kind: "appeal", record: appeal });
      return entry === undefined ? refuse("SETTLED_ALREADY", appeal.obligation_hash, where(appeal.obligation_hash)) : accept(entry);
    },

    appeals: (obligation) =>
      recordsOf(obligation).flatMap(({ kind, record }) => (kind === "appeal" && isFiledHere(record) ? [record] : [])),

    standing(obligation) {
      return entryOf(obligation)?.state.stage === "SETTLEMENT_INSTRUCTION" ? instructionBefore(recordsOf(obligation)) : undefined;
    },

    withdrawn(obligation) {
      const records = recordsOf(obligation);
      return instructionBefore(records.slice(0, records.findLastIndex(({ kind }) => kind === "appeal") + 1));
    },

    exit(record) {
      const { obligation_hash: obligation, exit_id, exit } = record;
      if (isLast(obligation, exit_id)) return accept(record);
      const entry = entryOf(obligation);
      if (entry?.state.stage === "SETTLEMENT_INSTRUCTION") return refuse("SETTLED_ALREADY", obligation, where(obligation));
      if (entry?.state.stage === "VERIFICATION" && exit === "EXPIRED")
        return refuse("EXIT_NOT_DUE", obligation, "after an appeal, evidence was handed in: it cannot expire");
      return add({ kind: "exit", record }) === undefined ? refuse("SETTLED_ALREADY", obligation, where(obligation)) : accept(record);
    },

    close(evaluation, deployment) {
      const { obligation_hash: obligation, phi_result } = evaluation;
      if (!phi_result || !isEvaluationSigned(evaluation, deployment))
        return refuse("NOT_FINAL", obligation, "ϕ has not fired, or no engine says so");
      const entry = add({ kind: "finality", record: evaluation });
      return entry === undefined
        ? refuse("NOT_FINAL", obligation, `${evaluationId(evaluation)} is about another instruction`)
        : accept(entry);
    },
  };
}

/** Why a record does not support a stage of the obligation; undefined if it does. */
function unsupported(of: DocketRecord, obligation: Obligation, deployment: Deployment): string | undefined {
  const { kind, record } = of;
  if (!("clearing_engine" in record))
    return deployment.appealed(obligation, record) ? undefined : `the rail knows of no appeal at ${record.receipt}`;
  const engine = engineProblem(record.clearing_engine, obligation, deployment);
  if (engine !== undefined) return `the ${kind} is by ${record.clearing_engine}: ${engine}`;
  return isSigned(of, deployment) ? undefined : `the ${kind} is not what an engine signed`;
}

/** The kind of the first shown record that is owed and is not among these; undefined if there is none. */
function lackingIn(
  records: readonly DocketRecord[],
  shown: readonly unknown[],
  isOwed: (record: DocketRecord) => boolean,
): DocketRecord["kind"] | undefined {
  if (shown.length === 0) return undefined;
  // Without its engine's signature, which can be spelled in several ways.
  const bodyOf = ({ record }: DocketRecord) => hashOf(without<Record<string, unknown>, string>({ ...record }, "clearing_engine_signature"));
  const present = new Set(records.map(bodyOf));
  const isLacking = (record: DocketRecord) => !present.has(bodyOf(record)) && isOwed(record);
  return shown.flatMap(readShown).find(isLacking)?.kind;
}

/** What a shown object is a record of. */
function readShown(shown: unknown): readonly DocketRecord[] {
  return KINDS.flatMap((kind) => {
    const parsed = read(docketRecordSchema, { kind, record: shown });
    return parsed.ok ? [parsed.value] : [];
  });
}

/** Whether a docket of the obligation with this entry must have the record. An evaluation of what stands may be recorded later. */
function isOwed(of: DocketRecord, entry: DocketEntry, obligation: Obligation, deployment: Deployment): boolean {
  const { kind, record } = of;
  if (record.obligation_hash !== obligation.obligation_hash || !("clearing_engine" in record)) return false;
  if (kind === "finality" && record.instruction_id === entry.instruction) return false;
  return unsupported(of, obligation, deployment) === undefined;
}

function isFiledHere(appeal: DocketAppeal): appeal is AppealRecord {
  return "appeal_id" in appeal;
}

function isSigned({ kind, record }: DocketRecord, deployment: Deployment): boolean {
  switch (kind) {
    case "appeal":
      return isFiledHere(record) && isAppealReceived(record, deployment);
    case "binding":
      return isBindingSigned(record, deployment);
    case "pause":
      return isPauseSigned(record, deployment);
    case "margin":
      return isMarginSigned(record, deployment);
    case "instruction":
      return isInstructionSigned(record, deployment);
    case "exit":
      return isExitSigned(record, deployment);
    case "finality":
      return record.phi_result && isEvaluationSigned(record, deployment);
  }
}

import type { Deployment } from "../clearing/deployment.ts";
import type { Multipliers } from "../clearing/distribution.ts";
import { timeOf } from "../clearing/fields.ts";
import type { Environment } from "../clearing/finality.ts";
import { obligationSchema } from "../clearing/obligation.ts";
import type { HumanDeed, OverrideRecord } from "../clearing/override.ts";
import type { SettlementInstruction } from "../clearing/settlement-instruction.ts";
import type { CityClient } from "../client/client.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { ACTION_NAMES, type ActionName } from "../protocol/actions.ts";
import { isBranch, isOver, missionStates, type NodeView } from "./chain-view.ts";
import {
  type ClearingRecord,
  cityDeployment,
  clearingRecordSchema,
  engineOf,
  sealerOf,
  standingsSaid,
  TRUSTED,
} from "./clearing-record.ts";
import { termsOf } from "./consensus.ts";
import { type EndingEvents, endOf, exitOf, exitSchema, type Happened, slashedIn } from "./exits.ts";
import { factsOf } from "./judging.ts";
import { type Concluded, type Judged, slotsIn } from "./passports.ts";
import { type ServiceSchemas, serviceSchemasSchema } from "./sandbox/run.ts";
import {
  type Attempt,
  deltasAfter,
  evaluationOf,
  exoneratedBy,
  exoneratedIn,
  finalitySchema,
  instructionOf,
  overrideOf,
  overrideSchema,
  type Settlement,
  settlementSchema,
  shownFor,
} from "./settlement-record.ts";
import { clearingKey } from "./stages/verify.ts";
import { attemptKey, hashesOf, inputOf, readOutput, sealedSchema, workSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Acts on a node; all others are on a mission, a member or the city. */
export const NODE_ACTS: readonly ActionName[] = [
  "FREEZE",
  "UNFREEZE",
  "APPROVE_POP",
  "REJECT_POP",
  "VETO_OUTPUT",
  "RELEASE_OUTPUT",
  "RESOLVE_APPEAL",
  "RESUME_WITH_AMENDMENT",
  "FAULT_SLOTS",
];
/** Acts that decide a node in place of the panel. */
const DECIDING: readonly string[] = ["APPROVE_POP", "RELEASE_OUTPUT", "REJECT_POP"];

/** Acts that nobody can appeal: a ruling on an appeal, and a rejection, which records nothing to be paid. */
const FINAL: readonly string[] = ["RESOLVE_APPEAL", "REJECT_POP"];

/** A human act on a node, as recorded on chain. */
interface Act {
  readonly name: ActionName;
  readonly node: number;
  readonly attempt: number;
  /** Orders it among the mission's events. */
  readonly at: bigint;
  readonly hash: Hash;
  readonly deed: Omit<HumanDeed, "ruling" | "decision" | "appealsUntil">;
}

/**
 * Records the settlement of every decided attempt: the human acts on it, and the instruction from its decision or the last deciding act
 * (RAILS 6.1, stage 9). The chain has settled by its own rule; this derives the same from the documents, for the audit to compare.
 */
export async function instruct(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const due = nodes.filter((view) => !isBranch(view) && (view.recorded || view.state === "FAILED"));
  if (due.length === 0) return;
  const acts = await actsOn(world.client, mission.address);
  for (const view of due)
    await instructNode(
      world,
      mission,
      view,
      acts.filter((act) => act.node === view.law.number && act.attempt === view.attempt),
    );
}

async function instructNode(world: World, mission: Mission, view: NodeView, acts: readonly Act[]): Promise<void> {
  const attempt = await attemptOf(world, mission, view);
  if (attempt === undefined) return;
  const { engine, record } = attempt;
  const multipliers = await multipliersOf(world.client, mission, view);
  const instructions: SettlementInstruction[] = [];
  const settleBy = async (override: OverrideRecord | undefined) => {
    const earlier = [...instructions];
    const key = settlementKey(mission, view, earlier.length);
    const known = await world.recall(key, settlementSchema);
    const instruction = known?.instruction ?? instructionOf(attempt, { override, earlier, multipliers });
    if (instruction === undefined) return;
    const drawBlock = known?.drawBlock ?? (record === undefined ? 0 : view.drawBlock);
    await world.remember(key, settlementSchema, async () => ({ engine: engine.key, drawBlock, instruction }));
    instructions.push(instruction);
  };
  const deciding = acts.findLast(({ name }) => DECIDING.includes(name));
  if (deciding !== undefined)
    await settleBy(await writeAct(world, mission, view, attempt, deciding, await decided(world.client, mission, view, deciding, attempt)));
  else if (isDecidedSo(view, record)) await settleBy(undefined);
  for (const act of acts.filter(({ name }) => name === "RESOLVE_APPEAL")) {
    const ruling = await ruledOn(world.client, mission, act, instructions.at(-1));
    if (ruling !== undefined) await settleBy(await writeAct(world, mission, view, attempt, act, ruling));
  }
  if (instructions.length === 0) await leave(world, mission, view, attempt);
}

/** Records how an attempt that nothing settled ended (RAILS 6.3); nothing while it runs. `view`: of the attempt, with the block of its clearing. */
async function leave(world: World, mission: Mission, view: NodeView, attempt: Attempt, isCurrent = true): Promise<void> {
  const isOpen = isCurrent && view.state !== "COMPLETED" && view.state !== "FAILED";
  const end = endOf(await endingsOf(world.client, mission.address), { node: view.law.number, attempt: view.attempt }, isOpen);
  if (end === undefined) return;
  await world.remember(["exit", ...attemptKey(mission, view)], exitSchema, async () => ({
    engine: attempt.engine.key,
    drawBlock: attempt.record === undefined ? 0 : view.drawBlock,
    exit: exitOf(attempt, end, await timeAt(world.client, end.block)),
  }));
}

/** Records a human act once, with its ruling if it has one. */
async function writeAct(
  world: World,
  mission: Mission,
  view: Pick<NodeView, "law" | "attempt">,
  attempt: Attempt,
  { name, deed, hash }: Act,
  ruling?: HumanDeed["ruling"],
): Promise<OverrideRecord> {
  const { override } = await world.remember(overrideKey(mission, view, deed.receipt), overrideSchema, async () => {
    const hours = FINAL.includes(name) ? 0 : attempt.obligation.deadlines.appeal_window_hours;
    const decision = attempt.record?.decision.clearing_decision_hash;
    const appealsUntil = deed.at + BigInt(Math.round(hours * 3600));
    const exonerated = name === "RESOLVE_APPEAL" ? await exoneratedOn(world.client, mission, { ...view, hash }, attempt) : [];
    const done = { ...deed, decision, appealsUntil, exonerated, ...(ruling === undefined ? {} : { ruling }) };
    return { engine: attempt.engine.key, override: overrideOf(attempt, done) };
  });
  return override;
}

/** Whether the node ended as its panel decided: work that passed but then expired in review earned nothing. */
function isDecidedSo({ state }: NodeView, record: ClearingRecord | undefined): boolean {
  if (record === undefined || !record.decision.floor_met) return false;
  const { performance, policy } = record.decision;
  const passed = performance !== "failed" && policy !== "violated";
  return passed === (state === "COMPLETED");
}

/** The payment determined by an act in place of the panel. */
async function decided(client: CityClient, mission: Mission, view: NodeView, act: Act, attempt: Attempt): Promise<HumanDeed["ruling"]> {
  const slashed = slashedIn(await endingsOf(client, mission.address), act, act);
  if (act.name === "REJECT_POP") return { score: 0, payees: [], basis: [], slashed };
  const approved = (await client.mission(mission.address).history("ReviewApproved")).find(
    ({ transactionHash }) => transactionHash === act.hash,
  );
  const { share, agreeing } = approved?.args ?? view;
  const payees = view.slots.flatMap(({ slot, agent }) => (((agreeing >> slot) & 1) === 1 ? [agent] : []));
  return { ...shownFor(attempt, payees), score: share / BASIS_POINTS, slashed };
}

/** The instruction after a ruling on appeals; undefined if the ruling leaves it, or there was none: a failed attempt earns nothing. */
async function ruledOn(
  client: CityClient,
  mission: Mission,
  act: Act,
  standing: SettlementInstruction | undefined,
): Promise<HumanDeed["ruling"]> {
  const resolved = (await client.mission(mission.address).history("AppealResolved")).find(
    ({ transactionHash }) => transactionHash === act.hash,
  );
  const action = standing?.fee_action;
  if (resolved === undefined || resolved.args.upheld === 0 || action?.type !== "partial_release") return undefined;
  const payees = (action.distribution ?? []).filter(({ multiplier }) => multiplier !== undefined).map(({ payee }) => payee);
  const slashed = slashedIn(await endingsOf(client, mission.address), act, act);
  return { score: resolved.args.share / BASIS_POINTS, payees, basis: [], slashed };
}

/** Whom a ruling on the appeals of an attempt frees of its failure. */
async function exoneratedOn(
  client: CityClient,
  mission: Mission,
  { law, attempt, hash }: Pick<NodeView, "law" | "attempt"> & Pick<Act, "hash">,
  { obligation }: Attempt,
): Promise<readonly string[]> {
  const contract = client.mission(mission.address);
  const resolved = (await contract.history("AppealResolved")).find(({ transactionHash }) => transactionHash === hash);
  const waits = (await contract.history("SlashPending", { node: law.number })).filter(({ args }) => args.attempt === attempt);
  const waiting = waits.reduce((mask, { args }) => mask | args.mask, 0);
  return resolved === undefined ? [] : exoneratedBy(resolved.args, waiting, obligation);
}

/**
 * Evaluates ϕ for every instruction of a mission whose windows are over, and records the resulting changes of passports (RAILS 4.7), and how
 * attempts without an instruction ended.
 */
export async function finalise(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const acts = await actsOn(world.client, mission.address);
  for (const current of nodes.filter((view) => !isBranch(view))) {
    for (let number = 0; number <= current.attempt; number += 1) {
      const own = acts.filter((act) => act.node === current.law.number && act.attempt === number);
      await finaliseAttempt(world, mission, { ...current, attempt: number }, own, number === current.attempt);
    }
  }
}

async function finaliseAttempt(world: World, mission: Mission, view: NodeView, acts: readonly Act[], isCurrent: boolean): Promise<void> {
  const settlements = await settlementsOf(world, mission, view);
  const last = settlements.at(-1);
  const attempt = await attemptOf(world, mission, { ...view, drawBlock: last?.drawBlock ?? view.drawBlock });
  if (attempt === undefined) return;
  // Acts without payment are recorded too: the record of human acts is complete.
  const overrides: OverrideRecord[] = [];
  for (const act of acts) overrides.push(await writeAct(world, mission, view, attempt, act));
  if (last === undefined) return leave(world, mission, view, attempt, isCurrent);
  await world.remember(["finality", ...attemptKey(mission, view)], finalitySchema, async () => {
    const instructions = settlements.map(({ instruction }) => instruction);
    const override = overrides.find(({ override_id }) => override_id === last.instruction.override_id);
    const environment = await environmentOf(world.client, mission, view);
    const evaluation = evaluationOf(attempt, { override, instructions }, environment, world.client.chain.clock.now());
    const deltas = evaluation.phi_result ? deltasAfter(attempt, last.instruction, overrides) : [];
    return { engine: attempt.engine.key, evaluation, deltas };
  });
}

/**
 * Clearings of a mission that became final by what their panels found or an appeal made of it, and attempts that ended without, in the order of
 * nodes and attempts.
 */
export async function finalClearings(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly Concluded[]> {
  const found: Concluded[] = [];
  const acts = await actsOn(world.client, mission.address);
  for (const current of nodes.filter((view) => !isBranch(view))) {
    for (let number = 0; number <= current.attempt; number += 1) {
      const own = acts.filter((act) => act.node === current.law.number && act.attempt === number);
      found.push(...(await concludedIn(world, mission, { ...current, attempt: number }, own)));
    }
  }
  return found;
}

/** What an attempt came to: its end, its final clearing, both, or nothing yet. `acts`: on it. */
async function concludedIn(world: World, mission: Mission, view: NodeView, acts: readonly Act[]): Promise<readonly Concluded[]> {
  const final = await world.recall(["finality", ...attemptKey(mission, view)], finalitySchema);
  const left = await world.recall(["exit", ...attemptKey(mission, view)], exitSchema);
  const last = (await settlementsOf(world, mission, view)).at(-1);
  const isFinal = final?.evaluation.phi_result === true && last !== undefined;
  if (left === undefined && !isFinal) return [];
  const attempt = await attemptOf(world, mission, { ...view, drawBlock: last?.drawBlock ?? 0 });
  if (attempt === undefined) return [];
  const { record, world: deployment } = attempt;
  const ended = left === undefined ? [] : [{ exit: left.exit, world: deployment }];
  if (!isFinal) return ended;
  const { evaluation, deltas } = final;
  const isRuled = last.instruction.override_id !== undefined || (await isExonerated(world, mission, view, acts));
  const judged = record === undefined || isRuled ? undefined : await judgedIn(world, mission, view, record, deployment);
  return judged === undefined && deltas.length === 0 ? ended : [...ended, { evaluation, deltas, world: deployment, judged }];
}

/** Whether a ruling on appeals freed somebody of an attempt's failure. */
async function isExonerated(world: World, mission: Mission, view: NodeView, acts: readonly Act[]): Promise<boolean> {
  const kept = await Promise.all(acts.map(({ deed }) => world.recall(overrideKey(mission, view, deed.receipt), overrideSchema)));
  return exoneratedIn(kept.flatMap((one) => one?.override ?? [])).length > 0;
}

/** What the panel of an attempt judged, as far as the city has it. */
async function judgedIn(world: World, mission: Mission, view: NodeView, record: ClearingRecord, deployment: Deployment): Promise<Judged> {
  const works = await Promise.all(
    slotsIn(record).map(async (slot) => {
      const place = [...attemptKey(mission, view), slot];
      const work = await world.recall(["work", ...place], workSchema);
      const output = work?.ok === true ? await readOutput(world, work.outputId) : undefined;
      return { slot, ...hashesOf(work, await world.recall(["sealed", ...place], sealedSchema)), output };
    }),
  );
  const schemas = new Map(
    await Promise.all(slotsIn(record).map(async (slot) => [slot, await schemasKept(world, mission, view, slot)] as const)),
  );
  const isRuled = view.law.verifiers?.includes("constraint") === true || view.law.questions.includes("POLICY");
  const by = { schemasOf: async (slot: number) => schemas.get(slot), input: () => inputOf(world, mission, view) };
  const facts = isRuled ? await factsOf(mission, view, works, by) : undefined;
  return { record, world: deployment, works, terms: termsOf(view), facts };
}

/** Records the schemas of the service that did a slot's work, for later re-checks; undefined if unknown here. */
async function schemasKept(
  world: World,
  mission: Mission,
  view: Pick<NodeView, "law" | "attempt">,
  slot: number,
): Promise<ServiceSchemas | undefined> {
  const work = await world.recall(["work", ...attemptKey(mission, view), slot], workSchema);
  const schemas = work && world.services.find(({ id }) => id === work.service)?.schemas;
  if (work === undefined || schemas === undefined) return undefined;
  return world.remember(["schemas", mission.address, work.service], serviceSchemasSchema, async () => schemas);
}

/** In order: each replaced the previous one. */
async function settlementsOf(world: World, mission: Mission, view: NodeView): Promise<readonly Settlement[]> {
  const found: Settlement[] = [];
  for (;;) {
    const next = await world.recall(settlementKey(mission, view, found.length), settlementSchema);
    if (next === undefined) return found;
    found.push(next);
  }
}

/** Unanswered appeals that have not expired. All others were upheld and settled again, or block nothing. */
async function environmentOf(client: CityClient, mission: Mission, { law, attempt }: NodeView): Promise<Environment> {
  const contract = client.mission(mission.address);
  const [open, until] = await contract.appealsOf(law.number, attempt);
  if (open === 0 || client.chain.clock.now() >= BigInt(until)) return { appealsFiledAt: [], resolvedConflicts: [] };
  const filed = await contract.history("AppealFiled", { node: law.number });
  const blocks = filed.filter(({ args }) => args.attempt === attempt).map(({ blockNumber }) => blockNumber);
  const times = await Promise.all(blocks.map((block) => timeAt(client, block)));
  return { appealsFiledAt: times.map(timeOf), resolvedConflicts: [] };
}

/** The events that say how a mission's attempts ended. */
async function endingsOf(client: CityClient, mission: Address): Promise<EndingEvents> {
  const contract = client.mission(mission);
  const [bound, signalled, amended, faulted, moved] = await Promise.all([
    contract.history("ExecutorBound"),
    contract.history("FaultSignalled"),
    contract.history("NodeAmended"),
    contract.history("ExecutorFaulted"),
    contract.history("MissionStateChanged"),
  ]);
  const over = moved.find(({ args }) => isOver(missionStates[args.to] ?? "PENDING"));
  return {
    bound: bound.map(placed),
    signalled: signalled.map(placed),
    amended: amended.map(placed),
    faulted: faulted.map(placed),
    over: over && placed(over),
  };
}

/** Room for a trillion events per block. */
function placed<Args>({
  args,
  blockNumber,
  logIndex,
  transactionHash,
}: {
  readonly args: Args;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly transactionHash: Hash;
}): Happened<Args> {
  return { at: (blockNumber << 40n) + BigInt(logIndex), block: blockNumber, hash: transactionHash, args };
}

async function timeAt({ chain }: CityClient, blockNumber: bigint): Promise<bigint> {
  return (await chain.publicClient.getBlock({ blockNumber })).timestamp;
}

function settlementKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, place: number): readonly (string | number)[] {
  return ["settlement", ...attemptKey(mission, view), place];
}

function overrideKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, receipt: string): readonly (string | number)[] {
  return ["override", ...attemptKey(mission, view), receipt];
}

/** The facts of an attempt; undefined if it was not awarded. */
async function attemptOf(world: World, mission: Mission, view: NodeView): Promise<Attempt | undefined> {
  const obligation = await world.recall(["obligation", ...attemptKey(mission, view)], obligationSchema);
  if (obligation === undefined) return undefined;
  const record = await world.recall(clearingKey(mission, view), clearingRecordSchema);
  const engine = sealerOf(engineOf(world.runner.account.address), world.runner.seal());
  const keys = { ...record?.keys, [engine.id]: engine.key };
  const deployment = cityDeployment(keys, standingsSaid({ keys, obligation, envelope: record?.envelope }, engine.id), TRUSTED);
  return { obligation, record, world: deployment, engine };
}

/** ψ of every executor at the time of the award (decision 88). */
async function multipliersOf(client: CityClient, mission: Mission, { law, slots }: NodeView): Promise<Multipliers> {
  const contract = client.mission(mission.address);
  const known = await Promise.all(slots.map(async ({ slot, agent }) => [agent, (await contract.slotOf(law.number, slot)).psi] as const));
  return Object.fromEntries(known);
}

/** Human acts on a mission's nodes, oldest first, with the attempt that each was about. */
async function actsOn(client: CityClient, mission: Address): Promise<readonly Act[]> {
  const executed = await client.adjudication.history("OverrideExecuted", { mission });
  if (executed.length === 0) return [];
  const contract = client.mission(mission);
  const [reopened, amended] = await Promise.all([contract.history("Reopened"), contract.history("NodeAmended")]);
  const begun = [...reopened, ...amended];
  const acts: Act[] = [];
  for (const event of executed) {
    const { args, blockNumber, logIndex, transactionHash } = event;
    const name = ACTION_NAMES[args.action - 1];
    if (name === undefined || !NODE_ACTS.includes(name)) continue;
    const before = begun.filter(
      (each) =>
        each.args.node === args.node && (each.blockNumber < blockNumber || (each.blockNumber === blockNumber && each.logIndex < logIndex)),
    );
    const about = name === "RESOLVE_APPEAL" ? await resolvedAttempt(client, mission, transactionHash) : undefined;
    const attempt = about ?? Math.max(0, ...before.map((each) => each.args.attempt));
    const { adjudicators, justification, digest } = args;
    const deed = { act: name, acted_by: adjudicators, justification, receipt: digest, at: await timeAt(client, blockNumber) };
    acts.push({ name, node: args.node, attempt, at: placed(event).at, hash: transactionHash, deed });
  }
  return acts;
}

async function resolvedAttempt(client: CityClient, mission: Address, hash: Hash): Promise<number | undefined> {
  const resolved = await client.mission(mission).history("AppealResolved");
  return resolved.find(({ transactionHash }) => transactionHash === hash)?.args.attempt;
}

import type { DistributionLine } from "../../clearing/distribution.ts";
import { secondsOf, toBps } from "../../clearing/fields.ts";
import { obligationHash, obligationSchema } from "../../clearing/obligation.ts";
import { isOver, missionStates, nodeStates } from "../../execution/chain-view.ts";
import { clearingRecordSchema } from "../../execution/clearing-record.ts";
import { type EndingEvents, endOf, exitSchema, failedBy, slashedIn } from "../../execution/exits.ts";
import { type NodeTerms, termsOfNode } from "../../execution/obligation.ts";
import {
  exoneratedBy,
  finalitySchema,
  type Override,
  overrideSchema,
  type Settlement,
  settlementSchema,
} from "../../execution/settlement-record.ts";
import { NODE_ACTS } from "../../execution/settlements.ts";
import { ACTION_NAMES } from "../../protocol/actions.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { claimedPayments } from "../../rules/payments.ts";
import { multiplier, points } from "../../rules/reputation.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import { standingsAt } from "./decisions.ts";
import type { Check, Inspection } from "./inspection.ts";
import { faultyIn, recomputeSettlement } from "./settled-again.ts";
import { slashesByDocuments } from "./slashes.ts";
import { recordOf } from "./works.ts";

/** After everything that happened. */
export const END = 2n ** 255n;

/**
 * Every unit that the chain paid, derived a second time: from the obligation that law and awards come to, the evidence, the verdicts and the
 * humans' acts, through the library's own settlement (decision 80). `PAYOUTS` derives it from the chain's state; the two must agree.
 */
export const settlements: Check = {
  name: "SETTLEMENTS",
  what: "obligation of every award, record of every human act and of every end without a settlement, every instruction derived again from the documents; its every unit, and every stake that it takes, against the chain's",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const { history, law, label, client, mission } = context;
    const totals = { paid: 0n, fees: 0n, insurance: 0n, discount: 0n };
    const attempts = new Map(history.slots.map(({ node, attempt }) => [`${node}/${attempt}`, { node, attempt }]));
    for (const { node, attempt } of attempts.values()) {
      const subject = `settlement of ${label(node)}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
      const isStaffed = history.executors(node, attempt).length === law.nodes[node]?.redundancy;
      if (!isStaffed) continue;
      await seen.part(subject, async () => {
        for (const line of await settled(context, seen, { node, attempt, subject })) {
          totals.paid += BigInt(line.paid);
          totals.fees += BigInt(line.fee);
          totals.insurance += BigInt(line.insurance);
          totals.discount += BigInt(line.discount);
        }
      });
    }
    const books = await client.mission(mission).ledger();
    if (books.entitled > 0n) return;
    for (const name of ["paid", "fees", "insurance", "discount"] as const)
      seen.same(books[name], totals[name], `${name} in the books against the documents`);
  },
};

interface Place {
  readonly node: number;
  readonly attempt: number;
  readonly subject: string;
}

/** The lines of an attempt's last instruction; none where nothing was settled. */
async function settled(context: AuditContext, seen: Inspection, { node, attempt, subject }: Place): Promise<readonly DistributionLine[]> {
  const { mission } = context;
  const place = [mission, node, attempt];
  const found = recordOf(context, "execution.obligation", place, obligationSchema);
  if (!seen.holds(found !== undefined, subject, "has no obligation in the log") || found === undefined) return [];
  const { terms, standings } = await standingsAt(context, { at: END, node, attempt });
  const undertaken = obligationHash(termsOfNode(terms));
  const file = blockFile(found.id);
  seen.same(found.value.obligation_hash, undertaken, `${subject}: the obligation against law and awards`, file);
  const overrides = await overridesOf(context, seen, { node, attempt, subject }, terms);
  const instructions = settlementsOf(context, place);
  const finality = recordOf(context, "execution.finality", place, finalitySchema)?.value;
  if (instructions.length > 0)
    slashesByDocuments(context, seen, { node, attempt, subject }, { settlements: instructions, overrides, finality });
  const lines = recomputeSettlement(seen, {
    subject,
    file,
    obligation: found.value,
    recordOf: (drawBlock) => recordOf(context, "execution.clearing", [...place, drawBlock], clearingRecordSchema)?.value,
    overrides,
    settlements: instructions,
    finality,
    exit: recordOf(context, "execution.exit", place, exitSchema)?.value,
    standings: () => standings,
    undertook: ({ obligation_hash }) => obligation_hash === undertaken,
  });
  onChain(context, seen, { node, attempt, subject }, { terms, lines });
  if (instructions.length === 0) await leftAs(context, seen, { node, attempt, subject });
  finalAsPaid(context, seen, { node, attempt, subject }, lines);
  return lines ?? [];
}

/** An attempt that nothing settled was not decided, and has a record of its end, as the chain ended it: why, who was at fault and what each lost. */
async function leftAs(context: AuditContext, seen: Inspection, { node, attempt, subject }: Place): Promise<void> {
  const { client, mission, record, chain } = context;
  const found = recordOf(context, "execution.exit", [mission, node, attempt], exitSchema);
  const current = await client.mission(mission).nodeOf(node);
  const isOpen = current.attempt === attempt && !DECIDED.includes(nodeStates[current.state] ?? "");
  const events = endingsIn(record);
  const decided = failedBy(events, { node, attempt });
  seen.holds(decided === undefined, subject, `failed on chain by ${decided}, and no instruction in the log follows from that`);
  const end = endOf(events, { node, attempt }, isOpen);
  const file = found === undefined ? BUNDLE_FILES.log : blockFile(found.id);
  if (!seen.same(found !== undefined, end !== undefined, `${subject}: whether it has a record of an end without finality`, file)) return;
  if (found === undefined || end === undefined) return;
  const { exit } = found.value;
  const { timestamp } = await chain.publicClient.getBlock({ blockNumber: end.block });
  const { reason, receipt, atFault, slashed } = end.end;
  seen.same(
    [exit.exit, exit.ended_by, faultyIn(exit).toSorted(), exit.slashed ?? {}, BigInt(secondsOf(exit.closed_at))],
    [end.exit, { reason, receipt }, atFault.toSorted(), slashed, timestamp],
    `${subject}: its end against the chain's`,
    file,
  );
}

const DECIDED: readonly string[] = ["COMPLETED", "FAILED"];

function endingsIn(record: AuditContext["record"]): EndingEvents {
  const [bound, signalled] = [
    record.events("CollaborationContract", "ExecutorBound"),
    record.events("CollaborationContract", "FaultSignalled"),
  ];
  const [amended, faulted] = [
    record.events("CollaborationContract", "NodeAmended"),
    record.events("CollaborationContract", "ExecutorFaulted"),
  ];
  const over = record
    .events("CollaborationContract", "MissionStateChanged")
    .find(({ args }) => isOver(missionStates[args.to] ?? "PENDING"));
  return { bound, signalled, amended, faulted, over };
}

function settlementsOf(context: AuditContext, place: readonly (string | number)[]): Settlement[] {
  const found: Settlement[] = [];
  for (;;) {
    const next = recordOf(context, "execution.settlement", [...place, found.length], settlementSchema);
    if (next === undefined) return found;
    found.push(next.value);
  }
}

/** What each slot was entitled to in the end, line by line, with the multiplier that its agent's reputation came to. */
function onChain(
  { record, mission, session, history, roles, nameOf }: AuditContext,
  seen: Inspection,
  { node, attempt, subject }: Place,
  { terms, lines = [] }: { readonly terms: NodeTerms; readonly lines?: readonly DistributionLine[] | undefined },
): void {
  const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  if (opened === undefined) throw new RangeError("the session was never opened");
  const alpha = BigInt(unpackMissionParams(opened.args.params).reputationMultiplierAlpha);
  const isThis = (each: { readonly at: bigint; readonly args: { readonly node: number; readonly slot: number } }, slot: number) =>
    each.args.node === node && each.args.slot === slot && history.attemptAt(node, each.at) === attempt;
  for (const { slot, agent } of terms.executors) {
    const name = `${subject}: ${nameOf(agent as `0x${string}`)}`;
    const line = lines.find(({ payee }) => payee === agent);
    const first = record.events("CollaborationContract", "Recorded").findLast((each) => isThis(each, slot));
    const later = record.events("CollaborationContract", "Reassessed").findLast((each) => isThis(each, slot));
    const { paid = 0n, premium = 0n, fee = 0n, insurance = 0n, discount = 0n } = (later ?? first)?.args ?? {};
    const said = [line?.paid ?? 0, line?.premium ?? 0, line?.fee ?? 0, line?.insurance ?? 0, line?.discount ?? 0].map(BigInt);
    seen.same(said, [paid, premium, fee, insurance, discount], `${name}: instruction against entitlement`);
    // What a human passed at a score of nothing is on record with nothing on chain, and a refund in the documents.
    const isCounted = line?.multiplier === undefined ? said.every((units) => units === 0n) : first !== undefined;
    seen.holds(isCounted, name, "is paid without a multiplier, or only in the documents");
    if (first === undefined || line?.multiplier === undefined) continue;
    const psi = multiplier(points(roles.reputationAtAward(first.args.agent, mission, node, first.at)), alpha);
    seen.same(BigInt(line.multiplier), psi, `${name}: multiplier against the ledger of reputation`);
  }
}

/** What was credited is the last instruction's, and only once ϕ fired. */
function finalAsPaid(
  context: AuditContext,
  seen: Inspection,
  { node, attempt, subject }: Place,
  lines: readonly DistributionLine[] | undefined,
): void {
  const { record, history, mission } = context;
  const finality = recordOf(context, "execution.finality", [mission, node, attempt], finalitySchema)?.value;
  for (const { at, args } of record.events("CollaborationContract", "Claimed")) {
    const own = claimedPayments(args).executors.filter((one) => one.node === node && history.attemptAt(node, at) === attempt);
    for (const { agent, paid } of own) {
      const line = lines?.find(({ payee }) => payee === agent);
      seen.same(paid, BigInt(line?.paid ?? 0), `${subject}: what was credited, against the instruction`);
      seen.holds(finality?.evaluation.phi_result === true, subject, "was paid, though its documents say it is not final");
    }
  }
}

/** Every human act on the attempt is on record as the chain has it, and nothing else is. */
async function overridesOf(
  context: AuditContext,
  seen: Inspection,
  { node, attempt, subject }: Place,
  terms: NodeTerms,
): Promise<readonly Override[]> {
  const { record, mission, history, log, chain } = context;
  const resolved = record.events("CollaborationContract", "AppealResolved");
  const approved = record.events("CollaborationContract", "ReviewApproved");
  const waiting = record
    .events("CollaborationContract", "SlashPending")
    .reduce((mask, { args }) => (args.node === node && args.attempt === attempt ? mask | args.mask : mask), 0);
  const acts = record
    .events("AdjudicationProcedure", "OverrideExecuted")
    .filter(({ args }) => args.mission === mission && args.node === node)
    .flatMap((event) => {
      const name = ACTION_NAMES[event.args.action - 1];
      return name === undefined || !NODE_ACTS.includes(name) ? [] : [{ ...event, name }];
    })
    .filter(({ at, hash, name }) => {
      const about = name === "RESOLVE_APPEAL" ? resolved.find((each) => each.hash === hash)?.args.attempt : undefined;
      return (about ?? history.attemptAt(node, at)) === attempt;
    });
  const wanted = [mission, node, attempt].map(String);
  const written = log.flatMap(({ kind, subjects }) =>
    kind === "execution.override" && wanted.every((part, place) => subjects[place] === part) ? [subjects[3] ?? ""] : [],
  );
  const found: Override[] = [];
  const events = {
    bound: record.events("CollaborationContract", "ExecutorBound"),
    faulted: record.events("CollaborationContract", "ExecutorFaulted"),
  };
  for (const { at, args, hash, block, name } of acts) {
    const about = `${subject}: ${name}`;
    const kept = recordOf(context, "execution.override", [mission, node, attempt, args.digest], overrideSchema);
    if (!seen.holds(kept !== undefined, about, "is not on record") || kept === undefined) continue;
    const { override } = kept.value;
    const { timestamp } = await chain.publicClient.getBlock({ blockNumber: block });
    seen.same(
      [override.act, override.acted_by, override.justification, BigInt(secondsOf(override.acted_at))],
      [name, args.adjudicators, args.justification, timestamp],
      `${about}: record against the chain`,
      blockFile(kept.id),
    );
    const granted = approved.find((each) => each.hash === hash)?.args ?? resolved.find((each) => each.hash === hash)?.args;
    if (override.ruling !== undefined && granted !== undefined)
      seen.same(toBps(override.ruling.score), granted.share, `${about}: share`, blockFile(kept.id));
    // Records of earlier versions say nothing of it.
    if (override.ruling?.slashed !== undefined)
      seen.same(
        override.ruling.slashed,
        slashedIn(events, { node, attempt }, { at, hash }),
        `${about}: what the chain had taken of whom`,
        blockFile(kept.id),
      );
    if (override.ruling !== undefined && granted !== undefined && "agreeing" in granted)
      seen.same(
        override.ruling.payees,
        terms.executors.flatMap(({ slot, agent }) => (((granted.agreeing >> slot) & 1) === 1 ? [agent] : [])),
        `${about}: whom it pays`,
        blockFile(kept.id),
      );
    const ruled = resolved.find((each) => each.hash === hash)?.args;
    const freed = ruled === undefined ? [] : exoneratedBy(ruled, waiting, termsOfNode(terms));
    seen.same(override.exonerated ?? [], freed, `${about}: whom it frees of the failure`, blockFile(kept.id));
    found.push(kept.value);
  }
  seen.same(
    written.filter((digest) => !acts.some(({ args }) => args.digest === digest)),
    [],
    `${subject}: acts on record that the chain does not know`,
  );
  return found;
}

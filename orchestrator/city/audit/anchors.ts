import { zeroHash } from "viem";
import { liveSchema, waveSchema } from "../../execution/stages/checkpoint.ts";
import { numbersIn } from "../../primitives/bitmap.ts";
import type { Hash } from "../../primitives/hex.ts";
import { checkpointHeadOf, workHashOf } from "../../rules/commitments.ts";
import { type Taken, waveOf } from "../bundle/anchoring.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import { commitmentFor } from "./commits.ts";
import type { AuditContext, ChainContext } from "./context.ts";
import { passedOver } from "./handed-in.ts";
import type { SlotHistory } from "./history.ts";
import type { Check, Inspection } from "./inspection.ts";
import { isSignedBy } from "./signatures.ts";
import { recordOf } from "./works.ts";

/**
 * Hybrid mode: each checkpoint follows the one before, is signed by a registered runner of no executor's principal, comes within the law's
 * interval, and names a head of the log at which all the work that it takes is written (AgentCity B.11.6, SP-1h to SP-3h).
 */
export const anchors: Check = {
  name: "ANCHORS",
  what: "hybrid mode: each checkpoint's runner, chain, interval and place in the log, and that all its work was in the log by then",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, roles, history, document, label } = context;
    const events = record.events("CollaborationContract", "Checkpointed");
    const calls = record.calls("CollaborationContract", "checkpoint");
    seen.same(calls.length, events.length, "checkpoints sent and taken");
    let head: Hash = zeroHash;
    for (const { at, hash, args } of calls) {
      const [{ previous, root, runner, deadline, signature, pledges }] = args;
      const subject = `checkpoint of ${pledges.map(({ node }) => label(node)).join(", ")}`;
      // A runner signs for the whole wave, whatever of it the chain takes.
      const worked = pledges.flatMap(({ node, openings }) =>
        history.executors(node, history.attemptAt(node, at)).map((slot, k) => ({ slot, opening: openings[k] })),
      );
      const slots = worked.map(({ slot }) => slot).filter(({ node }) => !passedOver(context, hash, node));
      seen.same(previous, head, `${subject}: checkpoint before`);
      const work = workHashOf(
        worked.flatMap(({ slot, opening }) => [slot.service, opening === undefined ? zeroHash : commitmentFor(context, slot, opening)]),
      );
      const signed = await isSignedBy(context, runner, "Checkpoint", { runner, previous, root, work, deadline }, signature);
      seen.holds(signed, subject, "is not signed by its runner");
      const principal = roles.before(at).runners.get(runner);
      const own = slots.filter(({ agent }) => principal === undefined || roles.principalOf(agent) === principal);
      seen.same(own.length, 0, `${subject}: executors whose principal is the runner's, or a runner that is none`);
      head = checkpointHeadOf(previous, root, work);
      inLog(context, seen, subject, root, slots);
    }
    seen.same(events.at(-1)?.args.head ?? zeroHash, head, "chain of checkpoints");
    const waves = wavesIn(context);
    for (const taken of await checkpointsIn(context)) {
      const wave = waveOf(waves, taken);
      const subject = `checkpoint of ${numbersIn(taken.nodes).map(label).join(", ")}`;
      if (!seen.holds(wave !== undefined, subject, "takes work whose beginning is not in the log", BUNDLE_FILES.log) || wave === undefined)
        continue;
      const within = taken.time - wave.since <= (document.document.anchorInterval ?? 0);
      seen.holds(within, subject, "came later than the law's interval");
    }
  },
};

/** All work of a checkpoint is written before the entry that its root names. */
function inLog(context: AuditContext, seen: Inspection, subject: string, root: Hash, slots: readonly SlotHistory[]): void {
  const { log, mission, label } = context;
  const entry = log.find(({ hash }) => hash === root);
  if (!seen.holds(entry !== undefined, subject, "names a root that no entry of the log has", BUNDLE_FILES.log) || entry === undefined)
    return;
  const before = (kind: string, ...subjects: number[]) => {
    const wanted = [mission, ...subjects].map(String);
    return log.some((each) => each.seq <= entry.seq && each.kind === kind && each.subjects.join() === wanted.join());
  };
  for (const { node, attempt, slot } of slots) {
    const name = `${label(node)}, slot ${slot}`;
    const isWorked = before("execution.sealed", node, attempt, slot) || before("execution.work", node, attempt, slot);
    seen.holds(isWorked, name, "worked after its checkpoint's root", BUNDLE_FILES.log);
    seen.holds(before("execution.evidence", node, attempt, slot), name, "has evidence from after its checkpoint's root", BUNDLE_FILES.log);
    seen.holds(before("execution.live", node, attempt), name, "has its code attested after its checkpoint's root", BUNDLE_FILES.log);
  }
}

/** What runners saw live in the slots that checkpoints took; the log has it, the chain their signature over all of it. */
export function attestedIn(context: ChainContext) {
  const { record, history, mission } = context;
  return record.calls("CollaborationContract", "checkpoint").flatMap(({ at, hash, args: [{ pledges, runner }] }) =>
    pledges.flatMap(({ node }) => {
      if (passedOver(context, hash, node)) return [];
      const attempt = history.attemptAt(node, at);
      const live = recordOf(context, "execution.live", [mission, node, attempt], liveSchema);
      return (live?.value ?? []).map((each) => ({ at, by: runner, live: { ...each, mission, node, attempt } }));
    }),
  );
}

/** Every wave that the log says was begun off chain. */
export function wavesIn({ log, mission, block, hasBlock }: AuditContext) {
  return log
    .filter(({ kind, subjects }) => kind === "execution.wave" && subjects[0] === mission)
    .flatMap(({ content }) => (content !== null && hasBlock(content) ? [waveSchema.parse(block(content))] : []));
}

export async function checkpointsIn({ record, chain }: AuditContext): Promise<readonly Taken[]> {
  return Promise.all(
    record.events("CollaborationContract", "Checkpointed").map(async ({ block, args: { previous, nodes } }) => {
      const { timestamp } = await chain.publicClient.getBlock({ blockNumber: block });
      return { previous, nodes, time: Number(timestamp) };
    }),
  );
}

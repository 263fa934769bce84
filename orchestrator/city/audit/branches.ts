import { obligationHash, obligationSchema } from "../../clearing/obligation.ts";
import { nodeStates } from "../../execution/chain-view.ts";
import { engineOf } from "../../execution/clearing-record.ts";
import { branchEnd, branchSchema, termsOfBranch } from "../../execution/delegation.ts";
import { faultSchema, faultsOf } from "../../execution/faults.ts";
import { branchTermsAt } from "../../execution/obligations.ts";
import { parseContentId } from "../../primitives/hash.ts";
import { planRecordSchema } from "../../protocol/mission-plan.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { type Child, statusOf } from "../missions/family.ts";
import type { AuditContext } from "./context.ts";
import { recomputeDelegation } from "./delegations.ts";
import { followsPlan } from "./follows-plan.ts";
import type { Check, Inspection } from "./inspection.ts";
import { END } from "./settlements.ts";
import { recordOf } from "./works.ts";

/** Every mission below is the node it says, is bound to the plan in its parent's law, and decided that node with its money (decision 4). */
export const branches: Check = {
  name: "BRANCHES",
  what: "session, plan, loan and return of every mission below, and the node that it decided; what it undertook, how it ended and whose fault that is",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    for (const [number, { leaf }] of context.law.nodes.entries()) {
      const below = context.family.some(({ parent, node }) => parent === context.mission && node === number);
      seen.holds(!leaf || !below, context.label(number), "is a leaf of the law, and has a mission below it");
    }
    for (const child of context.family.filter(({ parent }) => parent === context.mission)) {
      const subject = `${context.label(child.node)}, attempt ${child.attempt + 1}`;
      await seen.part(subject, () => opened(context, seen, child, subject));
      await seen.part(subject, () => planned(context, seen, child, subject));
      await seen.part(subject, () => concluded(context, seen, child, subject));
      await seen.part(subject, () => undertaken(context, seen, child, subject));
    }
    await faultsOnRecord(context, seen);
  },
};

async function opened(
  { client, mission, record }: AuditContext,
  seen: Inspection,
  { session, node, lent }: Child,
  subject: string,
): Promise<void> {
  const { parent, child, node: of } = await client.legislation.sessionOf(session);
  seen.same([child, parent, of], [true, mission, node], `${subject}: the node its session is of`);
  const begun = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  seen.same(begun?.args.deposit, lent, `${subject}: what it was lent`);
}

/** The law of a child names the node it is, does the plan's tasks with the plan's services, and leaves none out. */
function planned({ document, block, mission }: AuditContext, seen: Inspection, child: Child, subject: string): void {
  if (child.enacted === null) return;
  const { law, documentId } = child.enacted;
  const { parent, goal } = law.document;
  const named = document.document.nodes[child.node]?.mission;
  const file = blockFile(documentId);
  seen.same(parent, { mission, node: child.node, attempt: child.attempt }, `${subject}: the node its law names`, file);
  if (!seen.holds(named !== undefined, subject, "is below a node that its law calls a leaf") || named === undefined) return;
  const plan = planRecordSchema.parse(block(parseContentId(named.plan)));
  seen.same(goal, named.goal, `${subject}: goal against the plan`, file);
  seen.same(plan.goal, named.goal, `${subject}: goal of the plan`, blockFile(parseContentId(named.plan)));
  followsPlan(seen, law.document, plan, `${subject}: `, file);
}

async function concluded({ client, mission, record }: AuditContext, seen: Inspection, child: Child, subject: string): Promise<void> {
  const { node, attempt, lent, enacted } = child;
  const ledger = enacted === null ? undefined : await client.mission(enacted.mission).ledger();
  const done = enacted !== null && (await statusOf(client, enacted.mission)) === "completed";
  const reported = record
    .events("CollaborationContract", "ChildConcluded")
    .find(({ args }) => args.node === node && args.attempt === attempt)?.args;
  seen.same(reported?.returned, ledger === undefined ? lent : ledger.refunded, `${subject}: what came back`);
  seen.same(reported?.completed, done, `${subject}: how its mission ended, as its parent recorded it`);
  const now = await client.mission(mission).nodeOf(node);
  // A node of a mission that ended meanwhile is left as it was.
  if (now.attempt === attempt && nodeStates[now.state] === "COMPLETED") seen.holds(done, subject, "is completed, but its mission is not");
}

/** Its obligation against law and chain; its end, and whose fault that is, from the documents, against how the chain ended it. */
async function undertaken(context: AuditContext, seen: Inspection, { node, attempt }: Child, subject: string): Promise<void> {
  const { client, mission, record, roles, chain } = context;
  const place = [mission, node, attempt] as const;
  const found = recordOf(context, "execution.obligation", place, obligationSchema);
  if (!seen.holds(found !== undefined, subject, "has no obligation in the log", BUNDLE_FILES.log) || found === undefined) return;
  const due = obligationHash(termsOfBranch(await branchTermsAt(client, { mission, node, attempt })));
  seen.same(found.value.obligation_hash, due, `${subject}: its obligation against law and loan`, blockFile(found.id));
  const isThis = ({ args }: { readonly args: { readonly node: number; readonly attempt: number } }) =>
    args.node === node && args.attempt === attempt;
  const reported = record.events("CollaborationContract", "ChildConcluded").find(isThis);
  if (reported === undefined) return;
  const isFault = record.events("CollaborationContract", "FaultSignalled").some(isThis);
  const { timestamp } = await chain.publicClient.getBlock({ blockNumber: reported.block });
  const end = branchEnd(reported.args, { isFault, at: timestamp });
  await recomputeDelegation(context, seen, { subject, place, obligation: found.value, end });
  const engine = recordOf(context, "execution.branch", place, branchSchema)?.value.delegation.clearing_engine;
  const engines = [...roles.before(END).runners.keys()].map(engineOf);
  seen.holds(engine === undefined || engines.includes(engine), `${subject}: its end`, "is signed by nobody registered as a runner");
}

/** Why an attempt failed is on record as the chain has it, and no other fault is: whose fault it is follows from there. */
async function faultsOnRecord(context: AuditContext, seen: Inspection): Promise<void> {
  const { client, mission, log, label } = context;
  const faults = await faultsOf(client, mission);
  for (const { node, attempt, ...fault } of faults) {
    const found = recordOf(context, "execution.fault", [mission, node, attempt], faultSchema);
    const subject = `fault of ${label(node)}, attempt ${attempt + 1}`;
    seen.same(found?.value ?? null, { node, attempt, ...fault }, subject, found === undefined ? BUNDLE_FILES.log : blockFile(found.id));
  }
  const written = log.filter(({ kind, subjects }) => kind === "execution.fault" && subjects[0] === mission);
  const known = faults.map(({ node, attempt }) => `${node}/${attempt}`);
  seen.same(
    written.map(({ subjects }) => subjects.slice(1).join("/")).filter((place) => !known.includes(place)),
    [],
    "faults on record that the chain does not know",
    BUNDLE_FILES.log,
  );
}

import { nodeStates } from "../../execution/chain-view.ts";
import { parseContentId } from "../../primitives/hash.ts";
import { planRecordSchema } from "../../protocol/mission-plan.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { type Child, statusOf } from "../missions/family.ts";
import type { AuditContext } from "./context.ts";
import { followsPlan } from "./follows-plan.ts";
import type { Check, Inspection } from "./inspection.ts";

/** Every mission below is the node it says, is bound to the plan in its parent's law, and decided that node with its money (decision 4). */
export const branches: Check = {
  name: "BRANCHES",
  what: "session, plan, loan and return of every mission below, and the node that it decided",
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
    }
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

import { justificationBytes } from "../../client/sign/codification.ts";
import { contentIdOf } from "../../primitives/hash.ts";
import type { Hex } from "../../primitives/hex.ts";
import { actionNumber, decodeActionData } from "../../protocol/actions.ts";
import { classAt, geq, meetOver } from "../../rules/admissibility.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import type { ChainCheck, Inspection } from "./inspection.ts";
import { isAppealOf, isOrderSignedBy, isSignedBy } from "./signatures.ts";
import { provenClasses } from "./verdicts.ts";

/** Seated humans signed every action on the mission, and their reasons are here; no approval lies below the floor (decisions 23, 28). */
export const overrides: ChainCheck = {
  name: "OVERRIDES",
  what: "signature and seat of every adjudicator, the justification, the evidence that an approval rests on; signature of every appeal",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, mission, roles, nameOf, label, hasBlock } = context;
    const executed = record.events("AdjudicationProcedure", "OverrideExecuted").filter(({ args }) => args.mission === mission);
    const acts = record.calls("AdjudicationProcedure", "act").filter(({ args }) => args[0].mission === mission);
    seen.same(acts.length, executed.length, "actions signed and actions executed");
    for (const { at, args } of acts) {
      const [action, signatures] = args;
      const subject = `action ${action.action} on ${label(action.node)}`;
      seen.holds(signatures.length > 0, subject, "has no signature");
      seen.holds(new Set(signatures.map(({ adjudicator }) => adjudicator)).size === signatures.length, subject, "counts somebody twice");
      for (const { adjudicator, signature } of signatures) {
        const name = `${subject} by ${nameOf(adjudicator)}`;
        seen.holds(await isOrderSignedBy(context, adjudicator, action, signature), name, "is not signed by the adjudicator");
        seen.holds(roles.isSeatedBefore(adjudicator, at), name, "is by nobody with a seat");
      }
      const justification = contentIdOf(justificationBytes(action.because));
      seen.holds(hasBlock(justification), `justification of ${subject}`, "is missing", blockFile(justification));
      if (action.action === actionNumber("APPROVE_POP"))
        await seen.part(subject, () => approval(context, seen, { at, node: action.node, data: action.data, subject }));
    }
    for (const { from, args } of record.calls("CollaborationContract", "appeal")) {
      const [node, attempt, evidence, { agent: appellant, deadline, signature }] = args;
      const isOwn = await isAppealOf(context, from, { appellant, node, attempt, evidence, deadline }, signature);
      seen.holds(isOwn, `appeal of ${nameOf(appellant)} on ${label(node)}`, "is not signed by its party");
    }
  },
};

/** What a human approved rests on items that pass the law's floor. */
async function approval(
  context: ChainContext,
  seen: Inspection,
  { at, node, data, subject }: { readonly at: bigint; readonly node: number; readonly data: Hex; readonly subject: string },
): Promise<void> {
  const [basis, , openings, items] = decodeActionData("APPROVE_POP", data);
  const attempt = context.history.attemptAt(node, at);
  const obligation = context.history.obligation(node, attempt);
  const shown = await Promise.all(
    items.map(async ({ signature, issuer, ...item }) => {
      const list = { issuer, items: [{ ...item, obligation }] };
      return { ...item, order: 0, issuer, isSigned: await isSignedBy(context, issuer, "Evidences", list, signature) };
    }),
  );
  const words = await provenClasses(context, seen, { at, node, attempt, subject, openings, items: shown });
  const floor = classAt(BigInt(context.law.nodes[node]?.floor ?? 0), 0);
  seen.holds(geq(meetOver(basis, words), floor), subject, "rests on evidence below the law's floor");
}

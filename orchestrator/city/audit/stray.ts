import { signedItemSchema } from "../../execution/evidence.ts";
import type { Hash } from "../../primitives/hex.ts";
import { EvidenceClass, REFUTATION } from "../../rules/admissibility.ts";
import { evidenceLeafOf } from "../../rules/commitments.ts";
import { merkleRoot } from "../../rules/ordered-merkle.ts";
import type { ChainContext } from "./context.ts";
import { handedIn } from "./handed-in.ts";
import type { SlotHistory } from "./history.ts";
import { recordOf } from "./works.ts";

/**
 * Whether an executor committed, by itself, to something else than it handed in, if it handed in anything: the evidence on record is not what its
 * commitment names, nothing of it was heard, and nothing was paid for it. What is on record of its work then is nothing that the chain knows.
 */
export async function strayCommitments(context: ChainContext): Promise<(executor: SlotHistory) => boolean> {
  const { record, history } = context;
  const heard = new Set(
    (await handedIn(context)).flatMap(({ node, at, items }) =>
      items.flatMap(({ slot, index }) => (index === REFUTATION ? [] : [placeOf({ node, attempt: history.attemptAt(node, at), slot })])),
    ),
  );
  const passed = [...record.events("CollaborationContract", "Cleared"), ...record.events("CollaborationContract", "ReviewApproved")];
  const isPaid = ({ node, attempt, slot }: Place) =>
    passed.some(({ args }) => args.node === node && args.attempt === attempt && ((args.agreeing >> slot) & 1) === 1);
  return (executor) =>
    executor.revealed !== undefined &&
    rootOnRecord(context, executor) !== executor.revealed.envelopeRoot &&
    !heard.has(placeOf(executor)) &&
    !isPaid(executor);
}

type Place = Pick<SlotHistory, "node" | "attempt" | "slot">;

const placeOf = ({ node, attempt, slot }: Place) => `${node}/${attempt}/${slot}`;

function rootOnRecord(context: ChainContext, { node, attempt, slot }: Place): Hash | undefined {
  const found = recordOf(context, "execution.evidence", [context.mission, node, attempt, slot], signedItemSchema.array());
  const obligation = context.history.obligation(node, attempt);
  return found && merkleRoot(found.value.map((item) => evidenceLeafOf(obligation, { ...item, class: EvidenceClass[item.class] })));
}

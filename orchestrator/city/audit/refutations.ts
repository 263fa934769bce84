import { classAt, EvidenceClass, geq, ITEMS_PER_SLOT, REFUTATION, REFUTED, raise } from "../../rules/admissibility.ts";
import { temper, type WeighedVerdict } from "../../rules/clearing.ts";
import type { ChainContext } from "./context.ts";
import type { HandedIn } from "./handed-in.ts";
import type { Inspection } from "./inspection.ts";

type Known = Pick<ChainContext, "record" | "history" | "roles" | "mission"> & { readonly law: Pick<ChainContext["law"], "nodes"> };

/** One clearing of a node. */
interface Judged {
  readonly at: bigint;
  readonly node: number;
  readonly attempt: number;
  readonly subject: string;
  readonly items: HandedIn["items"];
  /** As far as items of the envelopes are proven. */
  readonly classWords: readonly bigint[];
}

/** Verdicts and classes of a clearing with what issuers say against the work of an only executor (decision 57). */
export function withRefutations(
  context: Known,
  seen: Inspection,
  judged: Judged,
  verdicts: readonly WeighedVerdict[],
): { readonly verdicts: readonly WeighedVerdict[]; readonly classWords: readonly bigint[] } {
  const { floor = EvidenceClass.SELF } = context.law.nodes[judged.node] ?? {};
  const shown = isShown(context, judged);
  const refuted = isRefuted(context, seen, judged);
  return {
    verdicts: verdicts.map((verdict) => temper(verdict, { shown })),
    classWords: refuted ? raise(judged.classWords, REFUTED, classAt(BigInt(floor), 0)) : judged.classWords,
  };
}

/** Whether issuers of two principals, none of whom bid in the mission, refute the work: here, or posted before. */
function isRefuted({ record, history, law, roles, mission }: Known, seen: Inspection, judged: Judged): boolean {
  const { at, node, attempt, subject, items } = judged;
  const { redundancy = 0, floor = EvidenceClass.SELF } = law.nodes[node] ?? {};
  const [commitment] = history.commitmentsAt(node, attempt, redundancy, at);
  const bidders = record
    .events("ExecutionProcedure", "BidPlaced")
    .filter((each) => each.at < at && each.args.mission === mission)
    .map(({ args }) => roles.principalOf(args.agent));
  const principals = new Set<string>();
  for (const { index, slot, payload, issuer: signer, class: code, isSigned } of items) {
    if (index !== REFUTATION) continue;
    const name = `${subject}: refutation by ${signer}`;
    const issuer = roles.before(at).issuers.get(signer);
    const kind = classAt(BigInt(code), 0);
    seen.holds(isSigned, name, "is not signed by its issuer");
    seen.holds(((issuer?.classes ?? 0) >> code) % 2 === 1, name, "is by nobody registered for its class");
    seen.holds(slot === 0 && redundancy === 1 && payload === commitment, name, "is of other work");
    seen.holds(kind !== EvidenceClass.PROOF && geq(kind, classAt(BigInt(floor), 0)), name, "is a proof, or below the floor");
    if (issuer !== undefined && !bidders.includes(issuer.principal)) principals.add(issuer.principal);
  }
  return principals.size > 1 || record.events("CollaborationContract", "Refuted").some((each) => isBefore(judged, each));
}

/** Whether the first slot has an item at the floor, here or posted before. */
function isShown({ record, law }: Known, judged: Judged): boolean {
  const floor = classAt(BigInt(law.nodes[judged.node]?.floor ?? 0), 0);
  const [word = 0n] = judged.classWords;
  const reaches = Array.from({ length: ITEMS_PER_SLOT }, (_, item) => classAt(word, item)).some((kind) => geq(kind, floor));
  return reaches || record.events("CollaborationContract", "Posted").some((each) => isBefore(judged, each) && each.args.shown % 2 === 1);
}

function isBefore(
  judged: Judged,
  event: { readonly at: bigint; readonly args: { readonly node: number; readonly attempt: number } },
): boolean {
  return event.at < judged.at && event.args.node === judged.node && event.args.attempt === judged.attempt;
}

import { type Judgement, judgeConsensus, judgePolicy, judgeReexecution, type Submission } from "../clearing/judgement.ts";
import { brokenPredicates } from "../clearing/predicates.ts";
import type { Hash } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import { field, listOf } from "../primitives/values.ts";
import { questions, verdictResults } from "../protocol/evidence.ts";
import type { NodeView } from "./chain-view.ts";
import { termsOf } from "./consensus.ts";
import type { Mission } from "./world.ts";

type Judged = Pick<Mission, "document" | "items">;

/** What follows from a node's works by the law that is judged by: for a verifier in this process, or in its owner's. */
export async function judgementsOn(
  mission: Judged,
  view: Pick<NodeView, "law">,
  works: readonly Submission[],
  input: () => Promise<JsonObject>,
): Promise<readonly Judgement[]> {
  const terms = termsOf(view);
  const [single] = works;
  const judgements = [
    terms !== undefined ? judgeConsensus(works, terms) : single === undefined ? judgePolicy([], []) : judgeReexecution(single),
  ];
  if (view.law.questions.includes("POLICY")) judgements.push(judgePolicy(works, await policyProblems(mission, view, works, input)));
  return judgements;
}

/** The predicates of the mission's document, asked of the node that makes its output. */
async function policyProblems(
  { document, items }: Judged,
  { law }: Pick<NodeView, "law">,
  works: readonly Submission[],
  given: () => Promise<JsonObject>,
): Promise<string[]> {
  if (law.task !== document.output.task) return [];
  const input = await given();
  const coveredIds = new Set([
    ...idsIn(input["items"]),
    ...listOf(input["upstream"]).flatMap((upstream) => idsIn(field(upstream, "items"))),
  ]);
  const inputIds = items.map(({ id }) => id);
  return works.flatMap(({ output }) =>
    output === undefined ? [] : brokenPredicates(document.predicates, { output, inputIds, coveredIds }),
  );
}

function idsIn(items: unknown): string[] {
  return listOf(items).flatMap((item) => {
    const id = field(item, "id");
    return typeof id === "string" ? [id] : [];
  });
}

/** A judgement as `Verdict` carries it; numbers are positions in the enums. */
export function verdictOf(judgement: Judgement, about: { readonly obligation: Hash; readonly commitment: Hash; readonly draw: number }) {
  return {
    ...about,
    question: questions.indexOf(judgement.question),
    result: verdictResults.indexOf(judgement.result),
    confidence: judgement.confidence,
    score: judgement.score,
    basis: judgement.basis,
    agreeing: judgement.agreeing,
  };
}

import type { By, Said } from "../clearing/findings.ts";
import { type Judgement, judgeConsensus, judgePolicy, judgeReexecution, type Submission } from "../clearing/judgement.ts";
import { type Asked, judgeByKinds, meshProblem, questionsAbout } from "../clearing/mesh.ts";
import { brokenPredicates } from "../clearing/predicates.ts";
import type { Hash } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import { field, listOf } from "../primitives/values.ts";
import type { CallAnswer } from "../protocol/calls.ts";
import { questions, verdictResults } from "../protocol/evidence.ts";
import { panelKinds } from "../protocol/verifier-kinds.ts";
import type { NodeView } from "./chain-view.ts";
import { termsOf } from "./consensus.ts";
import { outputProblem } from "./sandbox/items-problem.ts";
import type { ServiceSchemas } from "./sandbox/run.ts";
import type { Mission } from "./world.ts";

type Judged = Pick<Mission, "document" | "items">;
type Under = Pick<NodeView, "law">;

/** What a panel member needs in addition to the works if the law requires several kinds of check. */
export interface Member extends By {
  /** Schemas of the service that a slot's executor bound; undefined if unknown here. */
  readonly schemasOf: (slot: number) => Promise<ServiceSchemas | undefined>;
  readonly isVouched: (work: Submission) => Promise<boolean>;
  /** Queries its model; undefined if it has none, or none that answers. */
  readonly ask: (questions: readonly Asked[]) => Promise<Said | undefined>;
}

/**
 * Judgements that follow from a node's works under its law, computed by a verifier in this process or by an external one. `isRefuted`: the
 * only work has no evidence, and issuers of two principals got another result.
 */
export async function judgementsOn(
  mission: Judged,
  view: Under,
  works: readonly Submission[],
  input: () => Promise<JsonObject>,
  { isRefuted, member }: { readonly isRefuted: boolean; readonly member?: Member },
): Promise<readonly Judgement[]> {
  const terms = termsOf(view);
  const replay = terms === undefined ? judgeReexecution(works[0], isRefuted) : judgeConsensus(works, terms);
  const judgements = [member === undefined ? replay : await performance(mission, view, works, input, { member, replay })];
  if (view.law.questions.includes("POLICY")) judgements.push(judgePolicy(works, await policyProblems(mission, view, works, input)));
  return judgements;
}

async function performance(
  mission: Judged,
  view: Under,
  works: readonly Submission[],
  input: () => Promise<JsonObject>,
  { member, replay }: { readonly member: Member; readonly replay: Judgement },
): Promise<Judgement> {
  const { verifiers, rubric = "" } = view.law;
  const kinds = panelKinds(verifiers);
  if (kinds.length === 0) return replay;
  const { verifier, obligation, isVouched } = member;
  const asked = kinds.includes("semantic") ? questionsAbout(works, { verifier, obligation, rubric }) : [];
  return judgeByKinds(works, {
    ...{ verifier, obligation, kinds, replay, rubric, isVouched },
    problemsOf: async (work) => problemsWith(mission, view, work, { schemas: await member.schemasOf(work.slot), input }),
    said: asked.length === 0 ? undefined : await member.ask(asked),
  });
}

/** Rule-based findings about works: the same for every judge, and for an auditor. */
export interface Facts {
  /** Violations by a slot's output; undefined if it, or the schema of its service, is unknown here. */
  readonly problemsOf: (slot: number) => readonly string[] | undefined;
  /** Violations of the mission's predicates. */
  readonly broken: readonly string[];
}

export async function factsOf(
  mission: Judged,
  view: Under,
  works: readonly Pick<Submission, "slot" | "output">[],
  of: { readonly schemasOf: (slot: number) => Promise<ServiceSchemas | undefined>; readonly input: () => Promise<JsonObject> },
): Promise<Facts> {
  const { input, schemasOf } = of;
  const found = works.map(async (work) => {
    const schemas = await schemasOf(work.slot);
    return [work.slot, await problemsWith(mission, view, work, { schemas, input })] as const;
  });
  const problems = new Map(await Promise.all(found));
  return { problemsOf: (slot) => problems.get(slot), broken: await policyProblems(mission, view, works, input) };
}

async function problemsWith(
  mission: Judged,
  view: Under,
  work: Pick<Submission, "output">,
  { schemas, input }: { readonly schemas: ServiceSchemas | undefined; readonly input: () => Promise<JsonObject> },
): Promise<readonly string[] | undefined> {
  if (schemas === undefined || work.output === undefined) return undefined;
  const problem = outputProblem(schemas, await input(), work.output);
  return [...(problem === undefined ? [] : [problem]), ...(await policyProblems(mission, view, [work], input))];
}

/** Checks an external verifier's findings: for every kind that the law requires, they must be its own, on these works. */
export function problemOfFindings(view: Under, works: readonly Submission[], judgements: readonly Judgement[], by: By): string | undefined {
  const { verifiers, rubric = "" } = view.law;
  const kinds = panelKinds(verifiers);
  for (const judgement of judgements) {
    const asked = judgement.question === "PERFORMANCE" ? kinds : [];
    const problem = meshProblem(works, judgement, { ...by, kinds: asked, rubric });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The predicates of the mission's document, which apply to the node that makes its output. */
async function policyProblems(
  { document, items }: Judged,
  { law }: Under,
  works: readonly Pick<Submission, "output">[],
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

/** Converts a judgement to and from a call's answer, where bitmaps are decimal text. */
export function judgementOut({ basis, findings, ...rest }: Judgement): CallAnswer<"judge">[number] {
  const found = findings?.map(({ said, ...finding }) => ({
    ...{ ...finding, basis: String(finding.basis) },
    ...(said === undefined ? {} : { said }),
  }));
  return { ...rest, basis: String(basis), ...(found === undefined ? {} : { findings: found }) };
}

export function judgementIn({ basis, findings, ...rest }: CallAnswer<"judge">[number]): Judgement {
  const found = findings?.map((finding) => ({ ...finding, basis: BigInt(finding.basis) }));
  return { ...rest, basis: BigInt(basis), ...(found === undefined ? {} : { findings: found }) };
}

/** A judgement in the form of `Verdict`; numbers are positions in the enums. */
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

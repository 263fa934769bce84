import { type Agreement, type Dimension, readAgreement, type Slo } from "./schema.ts";

/** Default terms by type of service; all of them can be negotiated. */
export interface Template {
  readonly type: string;
  readonly dimensions: readonly Dimension[];
  readonly composite_threshold: number;
  readonly quality_gates: readonly { readonly condition: string; readonly type: "boolean" | "threshold" }[];
}

const atLeast = (value: number): Slo => ({ operator: "gte", value });
const percentage = (name: string, weight: number, slo?: Slo): Dimension =>
  slo === undefined ? { name, weight, metric: "percentage" } : { name, weight, metric: "percentage", slo };
/** A yes-or-no dimension. */
const COUNTED = (name: string, weight: number, slo: Slo): Dimension => ({ name, weight, metric: "count", slo });
const ON_TIME = (weight: number): Dimension => ({ name: "timeliness", weight, metric: "boolean", slo: { operator: "eq", value: true } });
const template = (type: string, dimensions: readonly Dimension[], quality_gates: Template["quality_gates"] = []): Template => ({
  type,
  dimensions,
  composite_threshold: 75,
  quality_gates,
});

/** The six of ASA. Dimensions and SLOs are the paper's; weights that it does not give are this project's. */
export const TEMPLATES: readonly Template[] = [
  template("research", [
    percentage("accuracy", 0.25, atLeast(85)),
    percentage("completeness", 0.2),
    percentage("relevance", 0.2),
    COUNTED("sources", 0.15, atLeast(5)),
    percentage("writing", 0.2),
  ]),
  template(
    "code_generation",
    [
      percentage("correctness", 0.3, atLeast(95)),
      percentage("performance", 0.2),
      percentage("security", 0.2),
      percentage("maintainability", 0.15),
      percentage("test_coverage", 0.15),
    ],
    [{ condition: "all_tests_pass", type: "boolean" }],
  ),
  template("data_analysis", [
    percentage("accuracy", 0.3, atLeast(90)),
    percentage("methodology", 0.3),
    percentage("visualization", 0.15),
    percentage("insight_quality", 0.25),
  ]),
  template("translation", [
    percentage("accuracy", 0.3, atLeast(90)),
    percentage("fluency", 0.3, atLeast(85)),
    percentage("cultural_appropriateness", 0.2),
    percentage("terminology", 0.2),
  ]),
  template("review", [
    percentage("thoroughness", 0.3, atLeast(80)),
    percentage("accuracy", 0.3),
    percentage("actionability", 0.25),
    percentage("tone", 0.15),
  ]),
  template("general", [
    percentage("accuracy", 0.3, atLeast(80)),
    percentage("completeness", 0.25),
    percentage("relevance", 0.25),
    ON_TIME(0.2),
  ]),
];

/** The template of a type of service; the general one for an unknown type. */
export function templateOf(type: string): Template {
  const found = TEMPLATES.find((each) => each.type === type) ?? TEMPLATES.find((each) => each.type === "general");
  if (found === undefined) throw new Error("unreachable: there is a general template");
  return found;
}

const weighed = (names: readonly string[], weights: readonly number[]): readonly Dimension[] =>
  names.map((name, index) =>
    name === "timeliness" ? ON_TIME((weights[index] ?? 0) / 100) : percentage(name, (weights[index] ?? 0) / 100),
  );

/** Dimensions by type of deliverable, for a deliverable without an agreement. */
export const DEFAULT_DIMENSIONS: Readonly<Record<string, readonly Dimension[]>> = {
  "text/research": weighed(["accuracy", "completeness", "relevance", "sources", "writing"], [25, 20, 20, 15, 20]),
  "text/analysis": weighed(["accuracy", "methodology", "depth", "clarity", "actionability"], [25, 20, 20, 15, 20]),
  code: weighed(["correctness", "performance", "security", "maintainability", "documentation"], [30, 20, 20, 15, 15]),
  data: weighed(["accuracy", "completeness", "consistency", "format_compliance", "metadata"], [25, 25, 20, 15, 15]),
  translation: weighed(["accuracy", "fluency", "terminology", "cultural_fit", "completeness"], [25, 25, 20, 15, 15]),
  general: weighed(["accuracy", "completeness", "relevance", "clarity", "timeliness"], [25, 20, 20, 20, 15]),
};

/** Fields that a template leaves to its user. */
export type TemplateTerms = Pick<Agreement, "agreement_id" | "created_at" | "expires_at" | "parties"> & {
  readonly description: string;
  readonly deliverable_format: string;
  readonly verification?: Agreement["verification"];
  readonly escrow?: Agreement["escrow"];
  readonly dispute?: Agreement["dispute"];
};

/** Makes a proposal from a template. Throws as `readAgreement`. */
export function proposalFrom({ type, dimensions, composite_threshold, quality_gates }: Template, terms: TemplateTerms): Agreement {
  const { description, deliverable_format, verification = { strategy: "optimistic", depth: "semantic" }, escrow, dispute, ...rest } = terms;
  return readAgreement({
    asa_version: "1.0.0",
    status: "proposed",
    ...rest,
    service: { type, description, deliverable_format },
    quality_criteria: {
      dimensions,
      composite_threshold,
      composite_method: "weighted_average",
      guarantee_type: "deterministic",
      ...(quality_gates.length === 0 ? {} : { quality_gates }),
    },
    verification,
    ...(escrow === undefined ? {} : { escrow }),
    ...(dispute === undefined ? {} : { dispute }),
  });
}

/** Suggested verification depth, and whether an agreement of this value is worth its verification; amounts in dollars. */
export function advise(
  value: number,
  verificationCost: number,
): { readonly depth: "none" | "structural" | "semantic"; readonly agree: boolean } {
  const depth = value > 5 ? "semantic" : value > 0.5 ? "structural" : "none";
  return { depth, agree: value > 10 * verificationCost };
}

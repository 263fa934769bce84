import type { InputKind } from "../../../services/shared/contract.ts";

/**
 * Goals as people write them who have not read the docs, and what a plan for each may do. Written before the planner; the words here are
 * no source for the services' descriptions. A step is something the catalogue can do; `capability-names.ts` says which services do it.
 */
export type Step =
  | "word-counts"
  | "keywords"
  | "summary"
  | "language"
  | "near-duplicates"
  | "secrets"
  | "personal-data"
  | "profile"
  | "schema"
  | "clean"
  | "validate"
  | "aggregate-rows"
  | "outliers"
  | "join"
  | "links"
  | "structured-data"
  | "lines"
  | "dependency-graph"
  | "sbom"
  | "filter"
  | "rank"
  | "top"
  | "group"
  | "licences"
  | "topics"
  | "entities"
  | "estimates"
  | "sort"
  | "hash"
  | "csv"
  | "count";

/** Steps that follow each other. A plan does one way when it has a path through the steps of each of its branches, and no other step. */
export type Branch = readonly Step[];

export interface PlannableGoal {
  readonly goal: string;
  readonly kind: InputKind;
  /** Columns, for a table. */
  readonly columns?: readonly string[];
  /** Any of these ways is good. */
  readonly ways: readonly (readonly Branch[])[];
  /** Steps that hurt in none of the ways. */
  readonly harmless?: readonly Step[];
  /** Values that must stand in some task's options. */
  readonly options?: readonly (string | number)[];
  /** The service that makes the output, and how it is written; the report otherwise. */
  readonly output?: { readonly service: string; readonly format: "markdown" | "json" | "csv" };
}

export interface HopelessGoal {
  readonly goal: string;
  readonly kind: InputKind;
  readonly columns?: readonly string[];
  /** One of these, or its stem, is named as what nothing covers; or `kind` or `field` is the missing link. */
  readonly missing: readonly string[];
}

export const PLANNABLE: readonly PlannableGoal[] = [
  {
    goal: "Could any of our dependencies get us into legal trouble? I want to know what licence each one is under, copyleft first.",
    kind: "packages",
    ways: [[["licences"]], [["sbom"]], [["licences"], ["sbom"]]],
    harmless: ["rank", "sort", "group", "count"],
  },
  {
    goal: "These are the minutes of our board meetings. Tell me what each of them is about and which people, dates and sums of money come up.",
    kind: "files",
    ways: [
      [["topics"], ["entities"]],
      [["keywords"], ["entities"]],
      [["summary"], ["entities"]],
    ],
    harmless: ["topics", "keywords", "summary", "count"],
  },
  {
    goal: "find the ten longest essays in this folder",
    kind: "files",
    ways: [
      [["word-counts", "rank"]],
      [["word-counts", "top"]],
      [["word-counts", "rank", "top"]],
      [["lines", "top"]],
      [["lines", "rank", "top"]],
    ],
    options: [10],
  },
  {
    goal: "Has somebody copied from somebody else? Flag application letters that are almost the same.",
    kind: "files",
    ways: [[["near-duplicates"]]],
    harmless: ["group", "count", "filter"],
  },
  {
    goal: "We are about to open-source this repository. Make sure there are no passwords, API keys or customers' e-mail addresses in it!",
    kind: "files",
    ways: [[["secrets"], ["personal-data"]], [["secrets"]], [["secrets"], ["entities"]]],
    harmless: ["count", "filter", "group"],
  },
  {
    goal: "Which source files will be the hardest to maintain? Order them by how complicated they are, worst at the beginning.",
    kind: "files",
    ways: [[["lines", "rank"]], [["lines", "top"]], [["lines", "rank", "top"]]],
  },
  {
    goal: "what imports what in my project, and are there any cycles",
    kind: "files",
    ways: [[["dependency-graph"]]],
    harmless: ["count", "lines"],
  },
  {
    goal: "The export from accounting is a mess. Tidy up the blanks and the odd formats and then give me the total amount per region.",
    kind: "csv",
    columns: ["date", "region", "customer", "amount"],
    ways: [[["clean", "aggregate-rows"]], [["clean", "group"]]],
    options: ["region", "amount"],
  },
  {
    goal: "Are there invoices that look wrong, far bigger or smaller than usual?",
    kind: "csv",
    columns: ["invoice", "supplier", "total"],
    ways: [[["outliers"]], [["clean", "outliers"]]],
    harmless: ["rank", "profile"],
  },
  {
    goal: "I was sent this spreadsheet and know nothing about it. What columns has it got, what's in them, how much is missing?",
    kind: "csv",
    columns: ["a", "b", "c"],
    ways: [[["profile"]], [["profile"], ["schema"]]],
    harmless: ["count"],
  },
  {
    goal: "Go through these web pages and list every link on them",
    kind: "urls",
    ways: [[["links"]]],
    harmless: ["count", "group", "sort"],
  },
  {
    goal: "Customers wrote to us in all sorts of languages. Which letters are in which language, and how many of each?",
    kind: "files",
    ways: [[["language", "group"]], [["language", "count"]], [["language"]]],
    harmless: ["group", "count"],
  },
];

export const HOPELESS: readonly HopelessGoal[] = [
  { goal: "Translate all these articles into French", kind: "files", missing: ["translate", "french"] },
  {
    goal: "Translate the names and dates into Klingon poetry and set it to music.",
    kind: "files",
    missing: ["translate", "klingon", "poetry", "music"],
  },
  { goal: "Paint a picture for the cover of each of these stories", kind: "files", missing: ["paint", "picture", "cover"] },
  {
    goal: "Phone everybody on this list and remind them to pay",
    kind: "csv",
    columns: ["name", "phone", "owed"],
    missing: ["phone", "remind"],
  },
  { goal: "Book me the cheapest flight to Lisbon next Friday", kind: "urls", missing: ["book", "flight", "lisbon"] },
  {
    goal: "Give me a CycloneDX bill of materials for everything we have installed",
    kind: "csv",
    columns: ["month", "sales"],
    missing: ["kind", "field"],
  },
];

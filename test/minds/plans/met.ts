import type { HopelessGoal, PlannableGoal } from "./goals.ts";

/**
 * Goals over inputs that lie on most machines, written down with what is good for them before any was planned. Those that failed then were
 * mended in general, never by their words.
 */
export const MET: readonly PlannableGoal[] = [
  {
    goal: "Which of these licences is the shortest, and how many words does each one have?",
    kind: "files",
    ways: [[["word-counts", "rank"]], [["word-counts", "top"]], [["word-counts"]]],
    harmless: ["sort"],
  },
  { goal: "What are these minutes about?", kind: "files", ways: [[["topics"]], [["keywords"]], [["summary"]]] },
  {
    goal: "Count the lines of code in each of these Perl modules and list the biggest ten",
    kind: "files",
    ways: [[["lines", "top"]], [["lines", "rank", "top"]]],
    options: [10],
  },
  { goal: "Are there any copies of the same document in this folder?", kind: "files", ways: [[["near-duplicates"]], [["hash"]]] },
  {
    goal: "Extract all e-mail addresses and web links from these configuration files",
    kind: "files",
    ways: [[["entities"]]],
    harmless: ["personal-data", "links"],
  },
  {
    goal: "Export the number of words in each chapter as a CSV",
    kind: "files",
    ways: [[["word-counts", "csv"]]],
    output: { service: "csv", format: "csv" },
  },
  { goal: "Summarise each change log in a few sentences", kind: "files", ways: [[["summary"]]], harmless: ["keywords"] },
  { goal: "Make checksums for these files", kind: "files", ways: [[["hash"]]] },
  {
    goal: "Average price per category",
    kind: "csv",
    columns: ["product", "category", "price"],
    ways: [[["aggregate-rows"]], [["clean", "aggregate-rows"]]],
    options: ["category"],
  },
  {
    goal: "Which five countries have the largest population?",
    kind: "csv",
    columns: ["country", "population"],
    ways: [[["top"]], [["rank", "top"]]],
    options: [5],
  },
  {
    goal: "Describe the structure of this data set as a JSON schema",
    kind: "csv",
    columns: ["code", "name"],
    ways: [[["schema"]], [["profile"], ["schema"]]],
    output: { service: "infer-schema", format: "json" },
  },
  { goal: "Only the rows where age is over 65", kind: "csv", columns: ["name", "age"], ways: [[["filter"]]], options: [65] },
  {
    goal: "Sort the cities by population, largest first",
    kind: "csv",
    columns: ["city", "country", "population"],
    ways: [[["rank"]]],
    harmless: ["sort"],
    options: ["population"],
  },
  {
    goal: "Total hours for each person",
    kind: "csv",
    columns: ["person", "project", "hours"],
    ways: [[["aggregate-rows"]], [["group"]]],
    options: ["person"],
  },
  {
    goal: "Count the tickets by status",
    kind: "csv",
    columns: ["ticket", "status", "owner"],
    ways: [[["aggregate-rows"]], [["group"]]],
    harmless: ["count"],
    options: ["status"],
  },
  {
    goal: "Which ten sections take the most disk space? Add up installed_kb per section.",
    kind: "csv",
    columns: ["package", "section", "installed_kb"],
    ways: [[["aggregate-rows", "top"]], [["group", "top"]], [["aggregate-rows", "rank", "top"]]],
    harmless: ["clean"],
    options: ["section"],
  },
  {
    goal: "Which five of these Perl modules have the most lines of code, and what is each of them about?",
    kind: "files",
    ways: [
      [["lines", "top"], ["keywords"]],
      [["lines", "top"], ["summary"]],
      [["lines", "top"], ["topics"]],
    ],
    options: [5],
  },
  { goal: "Give me an SBOM", kind: "packages", ways: [[["sbom"]]], output: { service: "sbom", format: "json" } },
  { goal: "What are these pages about?", kind: "urls", ways: [[["topics"]], [["keywords"]], [["summary"]]] },
];

export const MET_HOPELESS: readonly HopelessGoal[] = [
  { goal: "Convert these recordings to MP3", kind: "files", missing: ["convert", "recordings", "mp3"] },
  { goal: "Who will win the next election?", kind: "csv", columns: ["party", "seats"], missing: ["win", "election"] },
  {
    goal: "Send a reminder to every customer who has not paid",
    kind: "csv",
    columns: ["customer", "paid"],
    missing: ["send", "reminder"],
  },
  { goal: "Predict next month's sales", kind: "csv", columns: ["month", "sales"], missing: ["predict"] },
];

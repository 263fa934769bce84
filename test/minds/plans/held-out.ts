import type { HopelessGoal, PlannableGoal } from "./goals.ts";

/** Written after the planner to see how far the twelve goals flatter it: five of eight were reached at first, and what missed was mended. */
export const HELD_OUT: readonly PlannableGoal[] = [
  {
    goal: "Which of these speeches takes longest to read? Show me the top five.",
    kind: "files",
    ways: [[["word-counts", "top"]], [["word-counts", "rank", "top"]], [["word-counts", "rank"]]],
  },
  { goal: "Give me a short gist of every report in here", kind: "files", ways: [[["summary"]]], harmless: ["keywords"] },
  {
    goal: "How many support tickets were there per product, and which product had most?",
    kind: "csv",
    columns: ["ticket", "product", "opened"],
    ways: [[["group"]], [["aggregate-rows"]], [["group", "rank"]], [["group", "top"]], [["aggregate-rows", "rank"]]],
  },
  { goal: "Draw up a CycloneDX bill of materials of what is installed", kind: "packages", ways: [[["sbom"]]] },
  {
    goal: "Do my articles give away anyone's phone number or credit card?",
    kind: "files",
    ways: [[["personal-data"]]],
    harmless: ["secrets"],
  },
  { goal: "Pull the Open Graph tags and other metadata out of these shop pages", kind: "urls", ways: [[["structured-data"]]] },
  { goal: "Fingerprint every file so that I can prove later that nothing was changed", kind: "files", ways: [[["hash"]]] },
  {
    goal: "check this table for rows with missing or wrong values",
    kind: "csv",
    columns: ["name", "age"],
    ways: [[["validate"]], [["profile"]]],
  },
];

export const HELD_OUT_HOPELESS: readonly HopelessGoal[] = [
  { goal: "Compose a song out of these poems", kind: "files", missing: ["compose", "song"] },
  { goal: "Order pizza for everyone on the list", kind: "csv", columns: ["name", "topping"], missing: ["pizza"] },
];

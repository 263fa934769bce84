/** `docs/invariants.md`: what any calls in any order leave standing, and the edits of the contracts that show that each test can fail. */
import { z } from "zod";
import { listIn } from "./files.ts";
import { MADE, table } from "./markdown.ts";

const Invariants = z.object({ INVARIANTS: z.array(z.object({ number: z.number(), statement: z.string() })) });
const Mutants = z.object({
  MUTANTS: z.array(
    z.object({
      file: z.string(),
      find: z.string(),
      replace: z.string(),
      killedBy: z.object({ file: z.string(), test: z.string() }),
      invariant: z.number().optional(),
    }),
  ),
});

/** Their edits have a page of their own. */
const ATTACKS = "test/attacks/";

/** The lines of an edit that differ, as code. */
function code(edit: string, other: string): string {
  const others = other.split("\n").map((line) => line.trim());
  const lines = edit.split("\n").map((line) => line.trim());
  const kept = lines.filter((line) => line !== "" && !others.includes(line)).join(" ");
  return kept === "" ? "nothing" : `\`${kept}\``;
}

export async function invariantsPage(): Promise<string> {
  const { INVARIANTS } = Invariants.parse(await listIn("test/invariants/invariants.ts"));
  const { MUTANTS } = Mutants.parse(await listIn("test/mutants/mutants.ts"));
  const rows = INVARIANTS.map(({ number, statement }) => {
    const breaking = MUTANTS.filter(({ invariant }) => invariant === number);
    const edits = breaking.map(({ file, find, replace }) => `${file}: ${code(find, replace)} → ${code(replace, find)}`);
    return [String(number), statement, edits.join("<br>")];
  });
  const noticed = MUTANTS.filter(({ invariant, killedBy }) => invariant === undefined && !killedBy.file.startsWith(ATTACKS));
  const others = noticed.map(({ file, find, replace, killedBy }) => [
    `${file}: ${code(find, replace)} → ${code(replace, find)}`,
    `[${killedBy.test}](../${killedBy.file})`,
  ]);
  return [
    MADE("test/invariants/invariants.ts and test/mutants/mutants.ts"),
    "\n# Invariants\n\n",
    "Sponsors, petitioners, producers, executors, stake pools, verifiers, runners, monitors, clerks, adjudicators, attackers and time make random,\n",
    "seeded moves on real contracts with real signatures, in missions and the missions below them\n",
    "([test/invariants/](../test/invariants/walk.ts)). A ghost remembers what happened; each invariant is a test of that name. `npm test` walks\n",
    "4 × 120 moves, `npm run test:long` 10 × 120, `test/full/invariants.test.ts` 40 × 400. `npm run mutants` makes each edit below in a copy and requires the named test to\n",
    "fail.\n\n",
    "Numbers 20 and 21 are behaviour of the override panel\n",
    "([adjudication-procedure.test.ts](../test/contracts/meta/adjudication-procedure.test.ts),\n",
    "[its actions](../test/contracts/meta/adjudication-procedure-actions.test.ts)), 22 is the watchdog's\n",
    "([adjudicator-watchdog.test.ts](../test/contracts/meta/adjudicator-watchdog.test.ts),\n",
    "[watchdog-hold.test.ts](../test/contracts/collaboration/modules/watchdog-hold.test.ts)), 28 is that everything ends\n",
    "([everything-ends.test.ts](../test/contracts/collaboration/everything-ends.test.ts)). 20–22 and 28, and 1, 2, 4, 5, 7, 8 and 27 again, are\n",
    "checked in every state of a model that is compared with the contracts ([modelcheck.md](modelcheck.md)).\n\n",
    table(["#", "invariant", "edits that break it"], rows),
    "\n## Other edits that a test notices\n\n",
    table(["edit", "test"], others),
  ].join("");
}

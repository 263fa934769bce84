/** Prints how the real watchdog treats honest adjudicators, as JSON: `adjudicators seed` on the command line. */
import { z } from "zod";
import { PAPER_TABLE, RUN } from "../../scripts/watchdog/false-alarms.ts";
import { type StudyRow, studyWatchdog } from "../support/watchdog-study.ts";

const [adjudicators, seed] = z.tuple([z.coerce.number().int().min(1), z.string()]).parse(process.argv.slice(2));
const rows: StudyRow[] = [];
for (const { baseline } of PAPER_TABLE) rows.push(await studyWatchdog({ seed, adjudicators, decisions: RUN, baseline }));
console.log(JSON.stringify(rows));
process.exit(0);

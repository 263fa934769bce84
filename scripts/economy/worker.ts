/** Runs the cells of one seed in its own process; prints a line per completed run. Started by main.ts only. */
import { z } from "zod";
import { runCell } from "../../orchestrator/economy/campaign.ts";
import { CONFIGURATIONS, PERSONA_NAMES } from "../../orchestrator/economy/parameters.ts";

const cells = z.array(
  z.strictObject({
    configuration: z.enum(CONFIGURATIONS),
    agents: z.int(),
    seed: z.int(),
    variant: z.string(),
    milestones: z.int().optional(),
    model: z.strictObject({ name: z.string(), fallback: z.string().optional(), personas: z.array(z.enum(PERSONA_NAMES)) }).optional(),
  }),
);
// The parent process is gone.
process.stdin.once("end", () => process.exit(1)).resume();
const [folder = "", list = "[]"] = process.argv.slice(2);
for (const cell of cells.parse(JSON.parse(list))) {
  await runCell(folder, cell, process.env);
  process.stdout.write(`${cell.configuration} ${cell.agents} ${cell.seed}\n`);
}
process.stdin.destroy();

/** Runs the cells of one seed, in a process of its own; says each that is done in a line. Started by main.ts alone. */
import { z } from "zod";
import { runCell } from "../../orchestrator/economy/campaign.ts";
import { CONFIGURATIONS } from "../../orchestrator/economy/parameters.ts";

const cells = z.array(
  z.strictObject({
    configuration: z.enum(CONFIGURATIONS),
    agents: z.int(),
    seed: z.int(),
    variant: z.string(),
    milestones: z.int().optional(),
  }),
);
const [folder = "", list = "[]"] = process.argv.slice(2);
for (const cell of cells.parse(JSON.parse(list))) {
  await runCell(folder, cell);
  process.stdout.write(`${cell.configuration} ${cell.agents} ${cell.seed}\n`);
}

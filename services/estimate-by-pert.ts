import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { estimated, type Guesses, median } from "./shared/estimates.ts";
import { allItems } from "./shared/items.ts";
import { ESTIMATES_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "estimate-by-pert",
  title: "Estimate of each row by the weighted mean of its extremes and its middle (PERT)",
  description:
    "Estimates a quantity for each row of a table, such as days of effort, cost or duration, by the three-point method (PERT): best case, worst case, and four times the likely case.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: true,
  drops: true,
  input: SERVICE_INPUT,
  output: ESTIMATES_OUTPUT,
  capabilities: capabilities({ estimation: 240, numbers: 160 }),
  deterministic: true,
};

/** The mean of PERT's beta distribution: (least + 4 · middle + greatest) / 6. */
const estimateByPert: Service = (input) => ({ items: allItems(input).flatMap((item) => estimated(item, pert)) });
export default estimateByPert;

function pert(guesses: Guesses): number {
  return ((guesses[0] ?? 0) + 4 * median(guesses) + (guesses.at(-1) ?? 0)) / 6;
}

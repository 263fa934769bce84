import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { estimated, mean } from "./shared/estimates.ts";
import { allItems } from "./shared/items.ts";
import { ESTIMATES_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "estimate-by-triangle",
  title: "Estimate of each row by the mean of its numbers",
  description:
    "Estimates a quantity for each row of a table, such as days of effort, cost or duration, as the mean of the guesses in the row.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: true,
  drops: true,
  input: SERVICE_INPUT,
  output: ESTIMATES_OUTPUT,
  capabilities: capabilities({ estimation: 240, numbers: 160 }),
  deterministic: true,
};

/** The mean of a triangular distribution: every guess weighs the same. */
const estimateByTriangle: Service = (input) => ({ items: allItems(input).flatMap((item) => estimated(item, mean)) });
export default estimateByTriangle;

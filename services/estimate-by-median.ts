import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { estimated, median } from "./shared/estimates.ts";
import { allItems } from "./shared/items.ts";
import { ESTIMATES_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "estimate-by-median",
  title: "Estimate of each row by the median of its numbers",
  description:
    "Estimates a quantity for each row of a table, such as days of effort, cost or duration, as the median of the numbers in the row. Extreme guesses do not move it.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: true,
  drops: true,
  input: SERVICE_INPUT,
  output: ESTIMATES_OUTPUT,
  capabilities: capabilities({ estimation: 240, numbers: 160 }),
  deterministic: true,
};

/** Believes the middle guess and ignores how far off the others are. */
const estimateByMedian: Service = (input) => ({ items: allItems(input).flatMap((item) => estimated(item, median)) });
export default estimateByMedian;

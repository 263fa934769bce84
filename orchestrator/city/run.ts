import { join } from "node:path";
import { writeFileAtomic } from "../primitives/files.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { City } from "./city.ts";
import { conduct, type Order } from "./conduct.ts";
import { outcomeOf } from "./outcome.ts";

/** A mission from its file to its report. `home` is where reports go. */
export async function runToEnd(city: City, order: Order, home: string): Promise<Outcome> {
  const conducted = await conduct(city, order);
  const { mission, report } = conducted;
  const path = mission === undefined || report === undefined ? null : join(home, "missions", mission.address.toLowerCase(), "report.md");
  if (path !== null && report !== undefined) writeFileAtomic(path, report);
  return outcomeOf(city, order.file.mission, conducted, { report: path, bundle: null });
}

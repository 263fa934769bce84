import { join } from "node:path";
import type { Outcome } from "../protocol/outcome.ts";
import { anchorRecords, writeMissionBundle } from "./bundle.ts";
import type { City } from "./city.ts";
import { conduct, type Order } from "./conduct.ts";
import { outcomeOf } from "./outcome.ts";

/** A mission from its file to its bundle. `text` is the file as given; `home` is where bundles go. */
export async function runToEnd(city: City, order: Order, text: string, home: string): Promise<Outcome> {
  const conducted = await conduct(city, order);
  const { mission, law, report, items } = conducted;
  if (mission === undefined || law.status === "failed")
    return outcomeOf(city, order.file.mission, conducted, { report: null, bundle: null });
  const bundle = join(home, "missions", mission.address.toLowerCase());
  await anchorRecords(city, mission.address, text);
  const paths = { report: report === undefined ? null : join(bundle, "report.md"), bundle };
  const outcome = await outcomeOf(city, order.file.mission, conducted, paths);
  await writeMissionBundle(city, {
    mission: mission.address,
    session: law.session,
    missionText: text,
    documentBytes: city.blocks.get(law.documentId),
    items,
    outcome,
    directory: bundle,
    ...(report === undefined ? {} : { report }),
  });
  return outcome;
}

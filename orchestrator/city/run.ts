import { join } from "node:path";
import type { Outcome } from "../protocol/outcome.ts";
import { anchorRecords, writeMissionBundle } from "./bundle.ts";
import type { City } from "./city.ts";
import { type Conducted, conduct, type Order } from "./conduct.ts";
import { outcomeOf } from "./outcome.ts";

/** A mission from its file to its bundle; a law that was replaced leaves a bundle of its own. `text` is the file as given; bundles go below `home`. */
export async function runToEnd(city: City, order: Order, text: string, home: string): Promise<Outcome> {
  const close = (conducted: Conducted) => closeRecords(city, conducted, order.file.mission, text, home);
  return close(await conduct(city, order, async (ended) => void (await close(ended))));
}

/** What became of one law, and the bundle of its mission. */
async function closeRecords(city: City, conducted: Conducted, name: string, text: string, home: string): Promise<Outcome> {
  const { mission, law, report, items } = conducted;
  if (mission === undefined || law.status === "failed") return outcomeOf(city, name, conducted, { report: null, bundle: null });
  const directory = join(home, "missions", mission.address.toLowerCase());
  await anchorRecords(city, mission.address, text);
  const outcome = await outcomeOf(city, name, conducted, {
    report: report === undefined ? null : join(directory, "report.md"),
    bundle: directory,
  });
  await writeMissionBundle(city, {
    mission: mission.address,
    session: law.session,
    missionText: text,
    documentBytes: city.blocks.get(law.documentId),
    items,
    outcome,
    directory,
    ...(report === undefined ? {} : { report }),
  });
  return outcome;
}

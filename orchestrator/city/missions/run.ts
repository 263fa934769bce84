import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../primitives/files.ts";
import type { Outcome } from "../../protocol/outcome.ts";
import { anchorRecords, writeMissionBundle } from "../bundle/bundle.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { City } from "../city.ts";
import { outcomeOf } from "../report/outcome.ts";
import { renderReport } from "../report/render-report.ts";
import { type Conducted, conduct, type Order } from "./conduct.ts";

/** A mission from its file to its bundle; a law that was replaced leaves a bundle of its own. `text` is the file as given; bundles go below `home`. */
export async function runToEnd(city: City, order: Order, text: string, home: string): Promise<Outcome> {
  const close = (conducted: Conducted) => closeRecords(city, order, conducted, text, home);
  return close(await conduct(city, order, async (ended) => void (await close(ended))));
}

/** The result of one law, its report, and its mission's bundle. */
async function closeRecords(city: City, order: Order, conducted: Conducted, text: string, home: string): Promise<Outcome> {
  const { mission, law, outputs, items } = conducted;
  if (mission === undefined || law.status === "failed") return reportWithoutLaw(city, order, conducted, home);
  const bundle = `${MISSIONS}/${mission.address.toLowerCase()}`;
  const facts = { mission: mission.address, session: law.session, missionText: text, documentBytes: city.blocks.get(law.documentId) };
  await anchorRecords(city, facts);
  const outcome = await outcomeOf(city, order, conducted, { report: `${bundle}/${BUNDLE_FILES.report}`, bundle });
  await writeMissionBundle(city, {
    ...facts,
    items,
    outcome,
    directory: join(home, bundle),
    report: renderReport(outcome, outputs),
  });
  return outcome;
}

/** Folder of finished missions, below a home. */
const MISSIONS = "missions";

/** An order without a law has no mission to audit: it leaves its report alone, named by the chain's last block. */
async function reportWithoutLaw(city: City, order: Order, conducted: Conducted, home: string): Promise<Outcome> {
  const folder = `${MISSIONS}/no-law-${city.chain.head().hash.slice(2, 14)}`;
  const outcome = await outcomeOf(city, order, conducted, { report: `${folder}/${BUNDLE_FILES.report}`, bundle: null });
  mkdirSync(join(home, folder), { recursive: true });
  writeFileAtomic(join(home, outcome.report), renderReport(outcome, []));
  return outcome;
}

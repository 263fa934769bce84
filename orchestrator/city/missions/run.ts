import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TransactionReverted } from "../../chain/errors.ts";
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
  const conducted = await resuming(city, () => conduct(city, order, async (ended) => void (await close(ended))));
  return resuming(city, () => close(conducted));
}

/** Refused transactions after which a mission is resumed, each time reading anew what the chain holds. */
const MOST_RESUMPTIONS = 32;

/**
 * Work that resumes where it stopped, as after a restart. Many calls are anybody's to make, and whoever makes one first has the city's own
 * refused: this moves the mission on, and must not stop it.
 */
async function resuming<Result>(city: City, work: () => Promise<Result>): Promise<Result> {
  for (let left = MOST_RESUMPTIONS; ; left -= 1) {
    const { number } = city.chain.head();
    try {
      return await work();
    } catch (error) {
      const hasMoved = city.chain.head().number > number;
      if (!(error instanceof TransactionReverted) || !hasMoved || left === 0) throw error;
      city.progress(`the chain moved on meanwhile, and is read again: ${error.shortMessage}`);
    }
  }
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

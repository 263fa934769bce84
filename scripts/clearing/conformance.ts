import { type Admissibility, RAILS_ADMISSIBILITY } from "../../orchestrator/clearing/admissibility.ts";
import type { Seed } from "../../orchestrator/primitives/random.ts";
import { type DowngradeFloor, downgradeFloor } from "./downgrade-floor.ts";
import { type ForgeUp, forgeUp, SOPHISTICATIONS } from "./forge-up.ts";
import { AUDIT_RATES, COLLUDERS, expectation, type LaunderBasis, launderBasis } from "./launder-basis.ts";
import { sweepDeployment } from "./population.ts";
import type { Report, Row } from "./report.ts";

/** Size of a sweep. */
export interface SweepSize {
  readonly forgeSeeds: number;
  readonly forgeEvents: number;
  readonly launderSeeds: number;
  readonly launderRounds: number;
  readonly downgrades: number;
}

/** RAILS 11.5: 11 × 5 × 20,000 + 5 × 11 × 2,000 + 20,000 = 1,230,000 events. */
const PAPER_SIZE: SweepSize = { forgeSeeds: 5, forgeEvents: 20_000, launderSeeds: 11, launderRounds: 2000, downgrades: 20_000 };

export interface Sweep {
  readonly forge: readonly ForgeUp[];
  readonly launder: readonly LaunderBasis[];
  readonly downgrade: DowngradeFloor;
  readonly events: number;
  readonly violations: number;
}

/** Runs the three attack families against one order of classes. */
export async function sweep(seed: Seed, size: SweepSize, order: Admissibility = RAILS_ADMISSIBILITY): Promise<Sweep> {
  const at = sweepDeployment(order);
  const forge = SOPHISTICATIONS.map((sophistication) => forgeUp(seed, sophistication, size.forgeSeeds, size.forgeEvents, at));
  const launder: LaunderBasis[] = [];
  for (const rate of AUDIT_RATES) launder.push(await launderBasis(seed, rate, size.launderSeeds, size.launderRounds, at));
  const downgrade = downgradeFloor(seed, size.downgrades);
  const parts = [...forge, ...launder, downgrade];
  const total = (of: (part: { events: number; violations: number }) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  return { forge, launder, downgrade, events: total((part) => part.events), violations: total((part) => part.violations) };
}

/** Λ with the public reference implementation's mistake: a basis has the class of its strongest item. */
export const JOIN_FOR_MEET: Admissibility = { ...RAILS_ADMISSIBILITY, meet: RAILS_ADMISSIBILITY.join };
const MUTANT_SIZE: SweepSize = { forgeSeeds: 1, forgeEvents: 2000, launderSeeds: 1, launderRounds: 200, downgrades: 200 };
const PAPER_MEDIANS: Readonly<Record<number, number>> = { 0.02: 547, 0.05: 402, 0.1: 179, 0.2: 89, 0.4: 46 };

/** RAILS 11.5, and the same sweep with a join instead of the meet, which must produce violations. */
export async function conformance(seed: Seed, size: SweepSize = PAPER_SIZE): Promise<Report> {
  const result = await sweep(seed, size);
  const mutant = await sweep(seed, MUTANT_SIZE, JOIN_FOR_MEET);
  const sum = (parts: readonly ForgeUp[], of: (part: ForgeUp) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    title: `RAILS 11.5: ${result.events.toLocaleString("en-US")} events under attack`,
    rows: [
      exactly("floor violations", "0", result.violations === 0, String(result.violations)),
      {
        ...exactly(
          "the same with a join for the meet",
          "(not tried)",
          mutant.violations > 0,
          `${mutant.violations} in ${mutant.events.toLocaleString("en-US")}`,
        ),
        note: "zero here would mean that the invariant checker detects nothing.",
      },
      ...result.forge.map(forgeRow),
      ...result.launder.map((part) => launderRow(part, size)),
      auditRow(result.launder),
      exactly(
        "DOWNGRADE-FLOOR rejected",
        "all",
        result.downgrade.rejected === result.downgrade.events,
        `${result.downgrade.rejected.toLocaleString("en-US")} of ${result.downgrade.events.toLocaleString("en-US")}`,
      ),
    ],
    notes: [
      `FORGE-UP settled ${sum(result.forge, (part) => part.settled).toLocaleString("en-US")} times, each on a stolen issuer's key: the floor bounds what is claimed and signed, not who holds a key (RAILS 5.5).`,
      `LAUNDER-BASIS flagged ${result.launder.reduce((total, part) => total + part.wronglyFlagged, 0)} honest verifiers. "Always caught in the end" does not hold within the paper's 2,000 rounds: see the last figures of its rows.`,
      `Ingest judged ${sum(result.forge, (part) => part.forgeries).toLocaleString("en-US")} distinct forgeries, each once: an event draws one. Γ runs in every event of the first two families, binding in every event of the third; signatures are simulated (a hash over key and message). The checker shares no code with them: scripts/clearing/invariant.ts.`,
    ],
    data: { ...result, mutant: { events: mutant.events, violations: mutant.violations } },
  };
}

function exactly(figure: string, paper: string, holds: boolean, ours: string): Row {
  return { figure, paper, ours, verdict: holds ? "reproduced" : "NOT REPRODUCED" };
}

/** A basis audit must contradict a verifier that did not read its declared basis, or declared more than it needed, and confirm the others. */
function auditRow(launder: readonly LaunderBasis[]): Row {
  const all = (kind: keyof LaunderBasis["audits"]) => {
    const [done, found] = [launder.map(({ audits }) => audits[kind].audited), launder.map(({ audits }) => audits[kind].mismatched)];
    return { audited: done.reduce((sum, one) => sum + one, 0), mismatched: found.reduce((sum, one) => sum + one, 0) };
  };
  const [colluding, honest, fooled] = [all("colluding"), all("honest"), all("fooled")];
  const of = ({ audited, mismatched }: { audited: number; mismatched: number }) =>
    `${mismatched.toLocaleString("en-US")} of ${audited.toLocaleString("en-US")}`;
  const holds = colluding.mismatched === colluding.audited && fooled.mismatched === fooled.audited && honest.mismatched === 0;
  return exactly(
    "basis audits: mismatches of colluders, fooled, honest",
    "(not tried)",
    holds && colluding.audited > 0 && honest.audited > 0,
    `${of(colluding)}, ${of(fooled)}, ${of(honest)}`,
  );
}

/** By construction of the sweep, the catch rate is one minus the sophistication. */
function forgeRow({ sophistication, events, caught }: ForgeUp): Row {
  const exact = 1 - sophistication;
  const tolerance = 4 * Math.sqrt((exact * sophistication) / events);
  return {
    figure: `FORGE-UP caught at sophistication ${sophistication.toFixed(1)}`,
    paper: "1 − s",
    closedForm: `${(100 * exact).toFixed(1)} %`,
    ours: `${((100 * caught) / events).toFixed(2)} %`,
    verdict: Math.abs(caught / events - exact) <= tolerance ? "reproduced" : "NOT REPRODUCED",
  };
}

function launderRow({ auditRate, medians, neverCaught }: LaunderBasis, { launderSeeds, launderRounds }: SweepSize): Row {
  const ours = [...medians].sort((a, b) => a - b)[Math.floor(medians.length / 2)] ?? Number.NaN;
  const paper = PAPER_MEDIANS[auditRate] ?? Number.NaN;
  const chance = expectation(auditRate, launderSeeds, launderRounds);
  const plausible = (median: number) => chance.low <= median && median <= chance.high;
  return {
    figure: `LAUNDER-BASIS median latency at audit rate ${(100 * auditRate).toFixed(0)} %`,
    paper: `${paper}`,
    closedForm: `${chance.median} (99.9 %: ${chance.low}–${chance.high}), ${chance.neverCaught.toFixed(1)} never caught`,
    ours: `${ours}, ${neverCaught} of ${launderSeeds * COLLUDERS} never caught`,
    verdict: plausible(ours) && (plausible(paper) || launderRounds !== PAPER_SIZE.launderRounds) ? "reproduced" : "NOT REPRODUCED",
  };
}

/**
 * Honest adjudicators under the real watchdog: how many it warns, how many it freezes (AgentCity B.12, sensitivity to the baseline
 * approval rate). Each decides on its own and approves with the same probability, so every warning is a false one.
 */
import { Wallet } from "ethers";
import { type RandomStream, randomStream } from "../../orchestrator/primitives/random.ts";
import { type City, loadCity, networkHelpers } from "./city-fixture.ts";

/** `enum Decision`. */
const APPROVES = 1;
const REJECTS = 2;
/** Signers of one transaction: their records cost some 50,000 gas each. */
const BATCH = 200;
const DAY = 86_400;

export interface StudyOptions {
  readonly seed: string;
  readonly adjudicators: number;
  /** Decisions of each adjudicator per window. */
  readonly decisions: number;
  readonly baseline: number;
}

export interface StudyRow extends StudyOptions {
  /** Warned in the first window. */
  readonly alerts: number;
  /** Caused a freeze by the end of the second: the earliest that one family can. */
  readonly freezes: number;
}

/** Two windows of thirty days, the decisions spread evenly over the days. */
export async function studyWatchdog(options: StudyOptions): Promise<StudyRow> {
  const city = await loadCity();
  const random = randomStream(options.seed, "watchdog", String(options.baseline));
  const people = Array.from({ length: options.adjudicators }, () => Wallet.createRandom().address);
  const window = 30;
  const start = Math.ceil(Number(await city.now()) / DAY) * DAY + 3600;
  const alerted = new Set<string>();
  const frozen = new Set<string>();
  for (let index = 0; index < 2 * options.decisions; index++) {
    const day = Math.floor((index * window) / options.decisions);
    await moveTo(start + day * DAY);
    await decide(city, random, people, options.baseline);
    if (index === options.decisions - 1) await collect(city, "Warned", alerted);
  }
  await collect(city, "Frozen", frozen);
  return { ...options, alerts: alerted.size, freezes: frozen.size };
}

async function moveTo(time: number): Promise<void> {
  if ((await networkHelpers.time.latest()) < time) await networkHelpers.time.increaseTo(time);
}

/** One decision of everybody. */
async function decide(city: City, random: RandomStream, people: readonly string[], baseline: number): Promise<void> {
  const approving: string[] = [];
  const rejecting: string[] = [];
  for (const one of people) (random.next() < baseline ? approving : rejecting).push(one);
  for (const [decision, who] of [
    [APPROVES, approving],
    [REJECTS, rejecting],
  ] as const)
    for (let from = 0; from < who.length; from += BATCH) await city.watchdog.note(who.slice(from, from + BATCH), decision, false);
}

async function collect(city: City, event: "Warned" | "Frozen", into: Set<string>): Promise<void> {
  const filter = event === "Warned" ? city.watchdog.filters.Warned() : city.watchdog.filters.Frozen();
  for (const { args } of await city.watchdog.queryFilter(filter)) into.add(args.adjudicator);
}

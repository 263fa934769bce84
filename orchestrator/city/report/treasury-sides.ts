/** A treasury's two sides (AgentCity B.7, EQ-11) and what its insurance covers (EQ-12), for any city, from its chain alone. */
import type { CityClient } from "../../client/client.ts";
import type { Address } from "../../primitives/hex.ts";
import { insuranceCover, treasurySides } from "../../rules/deterrence.ts";
import { reasonOf } from "../../rules/reasons.ts";

/** Tokens, of the days before the chain's last block. */
export interface TreasuryStatement {
  readonly days: number;
  /** Chain time of the last block, unix seconds. */
  readonly until: number;
  /** Income by reason: fees, and the treasury's halves of slashed stake. */
  readonly inflow: Readonly<Record<string, number>>;
  /** Funds from outside, such as the founders' seed, which are not income. */
  readonly given: number;
  readonly outflow: {
    readonly premiums: number;
    readonly adjudicators: number;
    readonly insurancePayouts: number;
    readonly gasSubsidies: number;
  };
  /** EQ-11: inflow over outflow. */
  readonly eq11: { readonly inflow: number; readonly outflow: number; readonly sustainable: boolean };
  /** EQ-12: the insurance pool relative to the day's claims; null without claims. */
  readonly eq12: {
    readonly pool: number;
    readonly missions: number;
    readonly lossOfEach: number;
    readonly cover: number | null;
    readonly adequate: boolean;
  };
}

const UNIT = 1e6;
/** A position in `ITreasury.Purpose`. */
const PURPOSES = ["GOVERNANCE", "INSURANCE", "GAS_SUBSIDY"] as const;
const DAY = 86_400n;

const sum = <Event>(events: readonly Event[], of: (event: Event) => bigint): number =>
  Number(events.reduce((total, event) => total + of(event), 0n)) / UNIT;

/** Reads the events of the last `days` of chain time; fees become insurance inside the treasury without being income or expense. */
export async function treasuryStatement(client: CityClient, days: number): Promise<TreasuryStatement> {
  const { treasury } = client;
  const { number: head, timestamp: until } = await client.chain.publicClient.getBlock();
  const range = { fromBlock: await firstBlockSince(client, until - BigInt(days) * DAY, head), toBlock: head };
  const received = await treasury.history("FeesReceived", {}, range);
  const credited = await treasury.history("Credited", {}, range);
  const compensated = await treasury.history("Compensated", {}, range);
  const disbursed = await treasury.history("Disbursed", {}, range);
  const claimed = await treasury.history("InsuranceClaimed", {}, range);
  const deployed = await client.templates.history("MissionDeployed");
  const own = new Set<Address>([...Object.values(client.addresses), ...deployed.map(({ args }) => args.mission)]);
  const earned = received.filter(({ args }) => own.has(args.from));
  const groups = Map.groupBy(earned, ({ args }) => reasonOf(args.reason) ?? args.reason);
  const inflow = Object.fromEntries([...groups].map(([reason, events]) => [reason, sum(events, ({ args }) => args.amount)]));
  const spent = (purpose: (typeof PURPOSES)[number]) =>
    sum(
      disbursed.filter(({ args }) => PURPOSES[args.purpose] === purpose),
      ({ args }) => args.amount,
    );
  const outflow = {
    premiums: sum(credited, ({ args }) => args.premiums),
    adjudicators: sum(compensated, ({ args }) => args.paid) + spent("GOVERNANCE"),
    insurancePayouts: sum(claimed, ({ args }) => args.amount),
    gasSubsidies: spent("GAS_SUBSIDY"),
  };
  // Slashed stake arrives already halved.
  const fees = Object.values(inflow).reduce((total, amount) => total + amount, 0);
  const pool = Number(await treasury.insuranceBalance()) / UNIT;
  const missions = new Set(claimed.map(({ args }) => args.mission)).size;
  const lossOfEach = missions === 0 ? 0 : outflow.insurancePayouts / missions;
  const cover = insuranceCover(pool, missions, lossOfEach);
  return {
    days,
    until: Number(until),
    inflow,
    given: sum(received, ({ args }) => args.amount) - fees,
    outflow,
    eq11: treasurySides({ fees, slashed: 0, ...outflow }),
    eq12: { pool, missions, lossOfEach, cover: Number.isFinite(cover) ? cover : null, adequate: cover > 1 },
  };
}

/** The first block at or after a time: blocks are in order of time. */
async function firstBlockSince(client: CityClient, time: bigint, head: bigint): Promise<bigint> {
  let [low, high] = [0n, head];
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await client.chain.publicClient.getBlock({ blockNumber: middle });
    if (timestamp < time) low = middle + 1n;
    else high = middle;
  }
  return low;
}

import type { CityClient } from "../../client/client.ts";
import { BASIS_POINTS, formatMoney } from "../../primitives/amounts.ts";
import { AgentCityError, InvalidValue } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import { type PurposeName, purposes } from "../../protocol/actions.ts";
import { parameterIndex } from "../../protocol/parameters.ts";

/** A reader of the city: an adjudicator's desk, or the gateway. */
export interface Reader {
  readonly client: CityClient;
}

/** Seconds of chain time: a devnet's clock is not the wall's. */
export async function chainTime({ client }: Reader): Promise<bigint> {
  return (await client.chain.publicClient.getBlock()).timestamp;
}

/** What the treasury can pay today, and what limits it. */
export interface Cap {
  readonly allowed: bigint;
  readonly because: string;
}

export class OverCap extends AgentCityError {
  constructor(wanted: bigint, { allowed, because }: Cap) {
    super("OverCap", `The treasury does not pay ${formatMoney(wanted)}: ${formatMoney(allowed)} at most`, {
      details: because,
      action: "order less, or wait until more came in; nothing was signed",
    });
  }
}

/** Refuses before anything is signed what the chain would refuse after two signatures. */
export function requireWithin(cap: Cap, wanted: bigint): void {
  if (wanted === 0n) throw new InvalidValue("tokens", "nothing is to be paid");
  if (wanted > cap.allowed) throw new OverCap(wanted, cap);
}

/** Insurance for executors of a mission: all claims together at most its deposit, and what the pool holds (Treasury.claimInsurance). */
export async function insuranceCap({ client }: Reader, mission: Address): Promise<Cap> {
  if (!(await client.templates.isGenuine(mission))) throw new InvalidValue("mission", `${mission} is not a mission of this city`);
  const { deposit } = await client.mission(mission).ledger();
  const [claimed, pool] = [await client.treasury.claimedIn(mission), await client.treasury.insuranceBalance()];
  const because = `insurance holds ${formatMoney(pool)}; of the mission's deposit, ${formatMoney(deposit)}, ${formatMoney(claimed)} were claimed`;
  return { allowed: least(deposit - claimed, pool), because };
}

/** Basis points of what came in during 30 days that may pay adjudicators, or move to insurance. */
const GOVERNANCE_SHARE = 2000n;

/** Limit of fees for a purpose: its cap and the free balance (Treasury.disburse). */
export async function spendingCap(reader: Reader, purpose: PurposeName): Promise<Cap> {
  const { client } = reader;
  const free = await client.treasury.freeBalance();
  const held = `${formatMoney(free)} are free`;
  const [inflow, spent, governance] = await client.treasury.inflowAt(Number(await chainTime(reader)));
  if (purpose !== "GAS_SUBSIDY") {
    const share = (inflow * GOVERNANCE_SHARE) / WHOLE;
    const came = `a fifth of what came in these 30 days is ${formatMoney(share)}, of which ${formatMoney(governance)} is spent`;
    if (purpose === "INSURANCE") return { allowed: least(share - governance, free), because: `${held}; ${came}` };
    const most = await client.constitution.paramInUnits(parameterIndex("ADJUDICATOR_COMPENSATION"));
    return {
      allowed: least(least(most, share - governance), free),
      because: `${held}; ADJUDICATOR_COMPENSATION is ${formatMoney(most)} at a time; ${came}`,
    };
  }
  const share = await client.constitution.param(parameterIndex("SUBSIDY_CAP_SHARE"));
  const most = (inflow * share) / WHOLE;
  const because = `${held}; of the ${formatMoney(inflow)} that came in these 30 days ${formatMoney(most)} may go to premiums and gas, ${formatMoney(spent)} did`;
  return { allowed: least(most > spent ? most - spent : 0n, free), because };
}

/** The purpose of a number in `enum Purpose`. */
export function purposeOf(position: number): PurposeName {
  const name = purposes[position];
  if (name === undefined) throw new InvalidValue("purpose", `${position} is unknown to this version`);
  return name;
}

const WHOLE = BigInt(BASIS_POINTS);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { readMany } from "../client/read.ts";
import type { RegisteredService } from "../execution/world.ts";
import { formatMoney } from "../primitives/amounts.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import type { Contact } from "./contact.ts";
import type { CityLink } from "./link.ts";

/** One prerequisite, and whether it is met. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly details: string;
}

export interface Checked {
  readonly account: LocalAccount;
  readonly link: CityLink;
  readonly services: () => Promise<readonly RegisteredService[]>;
  readonly reach: () => Promise<Contact>;
  readonly millis: () => number;
  /** Whether the adjudicators have seated it; undefined for a producer, which needs no office. */
  readonly isSeated?: ((client: CityClient) => Promise<boolean>) | undefined;
}

/** Largest accepted difference between this machine's clock and the city's, seconds: signed requests are valid for a minute. */
const CLOCK_SECONDS = 30;

/** Checks every prerequisite in order of dependency. */
export async function examine({ account, link, services, reach, millis, isSeated }: Checked): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  async function check<Result>(what: string, look: () => Promise<readonly [string, Result]>): Promise<Result | undefined> {
    try {
      const [details, result] = await look();
      found.push({ what, ok: true, details });
      return result;
    } catch (error) {
      found.push({ what, ok: false, details: messageOf(error) });
      return undefined;
    }
  }
  await check("key", async () => [account.address, null]);
  const own = await check("services", async () => {
    const all = await services();
    return [`${all.length} of this machine's own code`, all];
  });
  const contact = await check("city", async () => [
    "chain, addresses and history are as they were, its contracts those of this version",
    await reach(),
  ]);
  if (contact === undefined) return found;
  await check("clock", async () => {
    const seconds = Math.round((contact.card.now - millis()) / 1_000);
    if (Math.abs(seconds) > CLOCK_SECONDS)
      throw new AgentCityError("ClockWrong", `it differs from the city's by ${seconds} s: set this machine's clock`);
    return [`within ${Math.abs(seconds)} s of the city's`, null];
  });
  await check("mailbox", async () => {
    await link.calls(0, AbortSignal.timeout(10_000));
    return ["its requests are taken", null];
  });
  const { client } = contact;
  if (isSeated !== undefined) {
    await check("office", async () => {
      if (!(await isSeated(client)))
        throw new AgentCityError("NotSeated", "no office: run it once; it then waits until two adjudicators seat it");
      return ["the adjudicators have seated it", null];
    });
    return found;
  }
  await check("registration", async () => {
    const principal = await client.agents.principalOf(account.address);
    if (BigInt(principal) === 0n) throw new AgentCityError("NotRegistered", "not registered: run the agent with --principal once");
    return [`${principal} answers for it`, null];
  });
  await check("stake", async () => {
    const { held, locked } = await client.agents.stakeOf(account.address);
    if (held <= locked) throw new AgentCityError("NoStake", "nothing is free to back a bid");
    return [`${formatMoney(held - locked)} of ${formatMoney(held)} tokens are free`, null];
  });
  await check("for sale", async () => {
    const args = (own ?? []).map(({ id }) => [id] as const);
    const live = await readMany(client, { contract: "ServiceContract", functionName: "isLive", args });
    const count = live.filter((each) => each).length;
    if (count === 0) throw new AgentCityError("NothingForSale", "none of its services is registered: run the agent once");
    return [`${count} services are registered`, null];
  });
  return found;
}

/** An agent's standing in a city, from the chain alone. */
export interface Standing {
  readonly state: "earning" | "working" | "not earning";
  /** Why it earns nothing, or what it is doing; one line per reason. */
  readonly reasons: readonly string[];
  readonly reputation: number;
  /** Paid to it and not yet withdrawn, smallest unit. */
  readonly credit: string;
  readonly bids: number;
  readonly won: number;
}

/** Number of recent lost auctions to explain, newest first. */
const EXPLAINED = 3;

/** Whether the agent is earning, and if not, why. */
export async function standingOf(client: CityClient, agent: LocalAccount["address"]): Promise<Standing> {
  const [bids, awards, reputation, { held, locked }] = await Promise.all([
    client.execution.history("BidPlaced", { agent }),
    client.execution.history("Awarded"),
    client.agents.reputationOf(agent),
    client.agents.stakeOf(agent),
  ]);
  const won = awards.filter(({ args }) => args.agent === agent);
  const principal = await client.agents.principalOf(agent);
  const credit = await client.treasury.creditOf(agent);
  const facts = { reputation: Number(reputation), credit: String(credit), bids: bids.length, won: won.length };
  if (won.length > 0) {
    const missions = new Set(won.map(({ args }) => args.mission));
    const reasons = [`${won.length} slots won in ${missions.size} missions, ${formatMoney(credit)} tokens credited`];
    return { state: credit > 0n ? "earning" : "working", reasons, ...facts };
  }
  const reasons: string[] = [];
  if (BigInt(principal) === 0n) reasons.push("it is not registered");
  else if (held <= locked) reasons.push("none of its stake is free to back a bid");
  if (!(await client.agents.hasSuffrage(agent))) reasons.push("it has no vote yet: its first paid slot, or the Registrar, gives it one");
  if (bids.length === 0)
    reasons.push("it has made no offer: no mission asked for its services while it was here, or its limits left nothing");
  for (const { args: bid } of bids.slice(-EXPLAINED).reverse()) {
    const winners = awards.filter(({ args }) => args.mission === bid.mission && args.node === bid.node).map(({ args }) => args);
    const prices = winners.map(({ price }) => formatMoney(price)).join(", ");
    reasons.push(
      winners.length === 0
        ? `node ${bid.node} of ${bid.mission}: not awarded yet`
        : `node ${bid.node} of ${bid.mission}: it offered ${formatMoney(bid.price)}, and ${prices} won (score ${bid.score} of its own)`,
    );
  }
  return { state: "not earning", reasons, ...facts };
}

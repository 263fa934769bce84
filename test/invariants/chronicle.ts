/** What happened on the chain, as the chain tells it: every event of the city and its missions, with the transaction it came from. */
import type { Interface, LogDescription, Result } from "ethers";
import { claimedPayments } from "../../orchestrator/rules/payments.ts";
import { ethers, INSTITUTIONS } from "../support/city-fixture.ts";
import type { World } from "./world.ts";

export interface Happening {
  readonly name: string;
  /** Name of an institution, or `MISSION`. */
  readonly at: string;
  readonly address: string;
  readonly args: Result;
  readonly timestamp: bigint;
  readonly block: number;
  readonly tx: Sent;
}

/** An accepted transaction and all it caused, in order. */
export interface Sent {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly events: Happening[];
}

export const text = ({ args }: Pick<Happening, "args">, name: string): string => String(args[name]);
export const amount = ({ args }: Pick<Happening, "args">, name: string): bigint => BigInt(args[name]);
export const number = (event: Pick<Happening, "args">, name: string): number => Number(amount(event, name));

/** What a `Claimed` credited. */
export const paymentsOf = ({ args }: Pick<Happening, "args">) =>
  claimedPayments({ payments: args["payments"].toArray(), premiums: args["premiums"].toArray() });

interface Log {
  readonly address: string;
  readonly topics: string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
}

export class Chronicle {
  readonly #world: World;
  readonly #clone: Interface;
  readonly #institutions = new Map<string, { name: string; abi: Interface }>();
  readonly #timestamps = new Map<string, bigint>();
  #next = 0;

  constructor(world: World, clone: Interface) {
    this.#world = world;
    this.#clone = clone;
    const contracts = {
      TOKEN: world.token,
      PRODUCERS: world.producers,
      CLERKS: world.clerks,
      MANAGEMENT: world.management,
      SERVICES: world.services,
      EVIDENCE: world.evidence,
      TREASURY: world.treasury,
      TEMPLATES: world.templates,
      VALIDATOR: world.validator,
      LEGISLATION: world.legislation,
      EXECUTION: world.execution,
      ADJUDICATION: world.adjudication,
      ROSTER: world.roster,
      STAKE_POOL: world.pools,
      WATCHDOG: world.watchdog,
    };
    for (const name of INSTITUTIONS) {
      this.#institutions.set(world.addresses[name].toLowerCase(), { name, abi: contracts[name].interface });
    }
    this.#institutions.set(String(world.constitution.target).toLowerCase(), { name: "CONSTITUTION", abi: world.constitution.interface });
  }

  /** Transactions since the last call, oldest first. */
  async read(): Promise<Sent[]> {
    const head = await ethers.provider.getBlockNumber();
    if (head < this.#next) return [];
    const range = { fromBlock: ethers.toQuantity(this.#next), toBlock: ethers.toQuantity(head) };
    const logs: Log[] = await ethers.provider.send("eth_getLogs", [range]);
    this.#next = head + 1;
    const sent = new Map<string, Sent>();
    for (const log of logs) {
      const parsed = this.#parse(log);
      if (parsed === undefined) continue;
      let tx = sent.get(log.transactionHash);
      if (tx === undefined) {
        const { from, to, input }: { from: string; to: string | null; input: string } = await ethers.provider.send(
          "eth_getTransactionByHash",
          [log.transactionHash],
        );
        tx = {
          hash: log.transactionHash,
          from: ethers.getAddress(from),
          to: to === null ? "" : ethers.getAddress(to),
          data: input,
          events: [],
        };
        sent.set(tx.hash, tx);
      }
      const { at, event } = parsed;
      const timestamp = await this.#timestampOf(log.blockNumber);
      tx.events.push({
        name: event.name,
        at,
        address: ethers.getAddress(log.address),
        args: event.args,
        timestamp,
        block: Number(log.blockNumber),
        tx,
      });
    }
    return [...sent.values()];
  }

  /** The institution at an address, `MISSION` at a clone's. */
  nameOf(address: string): string {
    const institution = this.#institutions.get(address.toLowerCase());
    if (institution !== undefined) return institution.name;
    return this.#world.missions.some((mission) => mission.address === address) ? "MISSION" : "";
  }

  /** The function a transaction called, decoded. */
  callOf({ to, data }: Pick<Sent, "to" | "data">) {
    const abi = this.#institutions.get(to.toLowerCase())?.abi ?? this.#clone;
    return abi.parseTransaction({ data });
  }

  #parse(log: Log): { at: string; event: LogDescription } | undefined {
    const institution = this.#institutions.get(log.address.toLowerCase());
    const event = (institution?.abi ?? this.#clone).parseLog(log);
    return event === null ? undefined : { at: institution?.name ?? "MISSION", event };
  }

  async #timestampOf(block: string): Promise<bigint> {
    const known = this.#timestamps.get(block);
    if (known !== undefined) return known;
    const { timestamp }: { timestamp: string } = await ethers.provider.send("eth_getBlockByNumber", [block, false]);
    this.#timestamps.set(block, BigInt(timestamp));
    return BigInt(timestamp);
  }
}

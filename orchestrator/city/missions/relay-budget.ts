import { z } from "zod";
import { TooMuchGas, TransactionReverted } from "../../chain/errors.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import type { Sql } from "../../records/sql.ts";

/** Acts of strangers that a city sends at its own cost, with the gas reserved for each until its actual use is known. */
export const RELAYED = {
  /** A stake's permit and a registration, its DID of the largest size. */
  join: 700_000n,
  offer: 400_000n,
  /** Nothing is sent; a place in the adjudicators' queue is worth as much. */
  petition: 1_000_000n,
  push: 1_000_000n,
  /** A bond's permit and its appeal. */
  appeal: 500_000n,
  /** A registration, verdicts of two panels, and the end of one job. */
  hearing: 700_000n,
  /** A transfer by its payer's authorisation. */
  payment: 100_000n,
} as const;
export type Relayed = keyof typeof RELAYED;

/** Gas that a city spends on strangers in 24 hours, unless its operator says otherwise. */
export const RELAY_GAS = 640_000_000n;
/** Divisors for the share of one address and of one principal. */
const ADDRESS_SHARE = 10n;
const PRINCIPAL_SHARE = 40n;
/** Seconds. */
const DAY = 86_400;

/** The payer: the principal whose signature authorises an act, if any, and the address that it came from, if known. */
export interface RelayPayer {
  readonly principal?: Address | undefined;
  readonly from?: string | undefined;
}

/** The budget for this payer is used up. */
export class RelayQuota extends AgentCityError {
  /** Unix second from which the same act is sent again. */
  readonly freeAt: number;
  constructor(who: string, most: bigint, freeAt: number) {
    super("RelayQuota", `This city has sent as much for ${who} as it does in 24 hours`, {
      details: `${most} gas; there is room again at ${new Date(freeAt * 1_000).toISOString()}`,
      action: "come again then, or send the transaction yourself",
    });
    this.freeAt = freeAt;
  }
}

/** Says what a transaction took; undefined: it was not sent. */
type Took = (receipt: { readonly gasUsed: bigint } | undefined) => void;

const rowsSchema = z.array(z.object({ at: z.coerce.number(), gas: z.coerce.bigint() }));

/**
 * Budget for strangers' acts: gas over the last 24 hours, per principal, per address (keys are free, addresses are not) and in total.
 * Stored in the city's records, so that a restart does not reset it.
 */
export class RelayBudget {
  readonly #sql: Sql;
  readonly #millis: () => number;
  /** Gas in 24 hours, of all together. */
  readonly most: bigint;

  constructor(sql: Sql, millis: () => number, most: bigint = RELAY_GAS) {
    this.#sql = sql;
    this.#millis = millis;
    this.most = most;
  }

  /**
   * Sends a stranger's act within the budget. `work` reports the gas of each of its transactions; if it fails, those sent until then are
   * charged or, if unknown, the whole reservation. Throws RelayQuota before `work` begins, and the errors of `work`.
   */
  async spend<Result>(act: Relayed, payer: RelayPayer, work: (took: Took) => Promise<Result>): Promise<Result> {
    const held = await this.take(act, payer);
    let gas = 0n;
    try {
      return await work((receipt) => {
        gas += receipt?.gasUsed ?? 0n;
      });
    } catch (error) {
      const isUnsent = error instanceof TooMuchGas || (error instanceof TransactionReverted && error.phase === "simulated");
      const isSent = error instanceof AgentCityError && !isUnsent;
      if (isSent && gas < RELAYED[act]) gas = RELAYED[act];
      throw error;
    } finally {
      await this.#sql.query("UPDATE relayed SET gas = $2 WHERE act = $1", [held, String(gas)]);
    }
  }

  /** Holds an act's gas for 24 hours. Returns its number. Throws RelayQuota. */
  async take(act: Relayed, { principal, from }: RelayPayer): Promise<number> {
    const now = Math.floor(this.#millis() / 1_000);
    const subjects = [
      ...(principal === undefined ? [] : [{ subject: `principal ${principal}`, most: this.most / PRINCIPAL_SHARE }]),
      ...(from === undefined ? [] : [{ subject: `address ${from}`, most: this.most / ADDRESS_SHARE }]),
      { subject: "all strangers", most: this.most },
    ];
    return this.#sql.transaction(async (sql) => {
      await sql.query("LOCK TABLE relayed IN EXCLUSIVE MODE");
      await sql.query("DELETE FROM relayed WHERE at <= $1", [now - DAY]);
      for (const { subject, most } of subjects) {
        const rows = rowsSchema.parse(await sql.query("SELECT at, gas FROM relayed WHERE subject = $1 ORDER BY at", [subject]));
        let over = rows.reduce((sum, { gas }) => sum + gas, 0n) + RELAYED[act] - most;
        if (over <= 0n) continue;
        const last = rows.find(({ gas }) => {
          over -= gas;
          return over <= 0n;
        });
        throw new RelayQuota(subject, most, (last?.at ?? now) + DAY);
      }
      const [row] = await sql.query("SELECT coalesce(max(act), 0) + 1 AS act FROM relayed");
      const number = z.object({ act: z.coerce.number() }).parse(row).act;
      for (const { subject } of subjects)
        await sql.query("INSERT INTO relayed (act, subject, at, gas) VALUES ($1, $2, $3, $4)", [
          number,
          subject,
          now,
          String(RELAYED[act]),
        ]);
      return number;
    });
  }
}

/** How many agreements a city keeps, and which one is removed for a new proposal once there are that many. */
import { z } from "zod";
import { AgentCityError } from "../../primitives/errors.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import type { Sql } from "../../records/sql.ts";

/** Unsigned agreements: maximum number, and how long they are kept when room is needed, seconds. */
export const MAX_UNSIGNED = 4_096;
const MIN_STAY = 600;
/** With fewer acts the agreement cannot have been signed by both parties. */
export const ACTS_OF_SIGNED = 4;
/** Signed agreements: maximum number in all, and per client. */
const MOST = 100_000;
const MAX_EACH = 1_000;
/** If room is needed, an agreement is removed this long after its end. No terms reserve room for more than three years (seconds). */
const KEPT_OVER = 30 * 86_400;
export const LONGEST = 3 * 365 * 86_400;

const UNSIGNED = `acts < ${ACTS_OF_SIGNED}`;

/** A new proposal, competing for room. */
export interface Newcomer {
  readonly client: string;
  /** The proposer's party (`partyOf`). */
  readonly from: string;
  /** Unix seconds. */
  readonly now: number;
  /** Backed agreements whose money is gone: a backed proposal may displace them. */
  readonly spent: readonly Hash[];
}

interface Contender extends Newcomer {
  /** The money that backs it, smallest unit; 0 if none. */
  readonly stake: bigint;
}

const heaviestSchema = z.array(
  z.object({
    id: hashSchema,
    opened: z.coerce.number(),
    stake: z.union([z.string(), z.number()]).transform(BigInt),
    party: z.string(),
    /** Number of agreements of this address, and of the newcomer's. */
    held: z.coerce.number(),
    own: z.coerce.number(),
  }),
);

/** Makes room for a proposal where a limit is reached. Throws TooManyProposals. */
export async function makeRoom(sql: Sql, newcomer: Contender): Promise<void> {
  const { client, from, now } = newcomer;
  if (!(await endedLongAgo(sql, "client = $1", [client], MAX_EACH, now))) throw tooMany(END_SOME, " of one client");
  if (!(await endedLongAgo(sql, "true", [], MOST, now)) && !(await displace(sql, "true", newcomer))) throw tooMany(END_SOME);
  if ((await count(sql, UNSIGNED)) < MAX_UNSIGNED || (await displace(sql, UNSIGNED, newcomer))) return;
  const first = await heaviest(sql, from, UNSIGNED);
  if (first === undefined || now - first.opened < MIN_STAY)
    throw tooMany("try again in some minutes, or back the proposal with your wallet's signature");
  await remove(sql, first.id);
}

const END_SOME = "end some, or back the proposal with your wallet's signature; agreements make room a month after their end";

const tooMany = (action: string, whose = "") =>
  new AgentCityError("TooManyProposals", `This city has reached its limit of agreements${whose}`, { action });

async function count(sql: Sql, condition: string, values: readonly string[] = []): Promise<number> {
  const [row] = await sql.query(`SELECT count(*) AS count FROM gateway_agreements WHERE ${condition}`, values);
  return Number(row?.["count"]);
}

async function remove(sql: Sql, id: unknown): Promise<void> {
  for (const table of ["gateway_agreement_parties", "gateway_acts", "gateway_agreements"])
    await sql.query(`DELETE FROM ${table} WHERE id = $1`, [id]);
}

/** Whether fewer than `most` fulfil a condition, after removing the one that ended first if that is long ago. */
async function endedLongAgo(sql: Sql, condition: string, values: readonly string[], most: number, now: number): Promise<boolean> {
  if ((await count(sql, condition, values)) < most) return true;
  const [first] = await sql.query(`SELECT id, over_by FROM gateway_agreements WHERE ${condition} ORDER BY over_by LIMIT 1`, values);
  if (first === undefined || Number(first["over_by"]) + KEPT_OVER > now) return false;
  await remove(sql, first["id"]);
  return true;
}

/** The oldest agreement of the largest client at the largest address, among these. Keys cost nothing, addresses are scarce. */
async function heaviest(sql: Sql, from: string, loose: string, among = loose) {
  const rows = await sql.query(
    `WITH these AS (SELECT * FROM gateway_agreements WHERE ${among}),
       most AS (SELECT party, count(*) AS count FROM these GROUP BY party ORDER BY count(*) DESC, min(opened) LIMIT 1),
       whose AS (SELECT client FROM these JOIN most USING (party) GROUP BY client ORDER BY count(*) DESC, min(opened) LIMIT 1)
     SELECT id, opened, coalesce(stake, 0) AS stake, party, most.count AS held,
       (SELECT count(*) FROM gateway_agreements WHERE ${loose} AND party = $1) AS own
     FROM these JOIN most USING (party) JOIN whose USING (client) ORDER BY opened LIMIT 1`,
    [from],
  );
  return heaviestSchema.parse(rows)[0];
}

/**
 * Displaces the agreement with the least backing, unbacked ones first. One with less money than the newcomer is displaced if its address
 * is the newcomer's or has more; an unbacked one by another unbacked one only if its address still has more afterwards. Then one whose
 * money is gone.
 */
async function displace(sql: Sql, condition: string, { from, stake, spent }: Contender): Promise<boolean> {
  const loose = `NOT funded AND ${condition}`;
  const least = `${loose} AND coalesce(stake, 0) = (SELECT min(coalesce(stake, 0)) FROM gateway_agreements WHERE ${loose})`;
  const first = await heaviest(sql, from, loose, least);
  const goes =
    first !== undefined &&
    (stake > first.stake ? first.party === from || first.held > first.own : first.stake === 0n && first.held > first.own + 1);
  const id = goes ? first.id : spent[0];
  if (id === undefined) return false;
  await remove(sql, id);
  return true;
}

/** Where agreements are kept: one row each, their acts in order, and an index by the persons named in them. */
import { z } from "zod";
import type { PartyIdentity } from "../../agreements/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { type Address, type Hash, hashSchema } from "../../primitives/hex.ts";
import { groupedBy } from "../../primitives/lists.ts";
import type { Sql } from "../../records/sql.ts";
import { ACTS_OF_SIGNED, LONGEST, makeRoom, type Newcomer } from "./room.ts";
import { nameOf, type StoredAct, storedRowSchema } from "./standing.ts";

const stakeSchema = z.union([z.string(), z.number()]).transform(BigInt);
const idsSchema = z.array(z.object({ id: hashSchema }).transform(({ id }) => id));
const backedSchema = z.array(z.object({ id: hashSchema, wallet: addressSchema, stake: stakeSchema }));
const compositesSchema = z.array(z.object({ composite: z.int() }).transform(({ composite }) => composite));
const proposalsSchema = z.array(
  z.object({ client: z.string(), at: z.coerce.number() }).transform((each) => ({ what: "proposed" as const, ...each })),
);
const rowsSchema = z.array(storedRowSchema);
const rowsOfManySchema = z.array(z.object({ id: hashSchema }).and(storedRowSchema));

/** A client that proposed an agreement, and when: unix seconds. */
export type Proposal = z.infer<typeof proposalsSchema>[number];

/** A wallet that backs a proposal with money it holds, smallest unit. */
export interface Purse {
  readonly wallet: Address;
  readonly stake: bigint;
  readonly holds: bigint;
}

/** Changes of an agreement's indexed fields by an act. */
export interface Marks {
  /** Latest possible end. */
  readonly ends: number | undefined;
  readonly names: readonly PartyIdentity[];
  /** Set if this act is a judgement under a promise over many deliveries. */
  readonly counts: { readonly promise: Hash; readonly terms: Hash; readonly composite: number } | undefined;
}

export class AgreementStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Acts of an agreement in order; none of one that is not kept. */
  async acts(id: Hash): Promise<readonly StoredAct[]> {
    return rowsSchema.parse(await this.#sql.query("SELECT at, act FROM gateway_acts WHERE id = $1 ORDER BY place", [id]));
  }

  /** Acts of many agreements, by id. */
  async actsOf(ids: readonly Hash[]): Promise<ReadonlyMap<Hash, readonly StoredAct[]>> {
    const rows = await this.#sql.query("SELECT id, at, act FROM gateway_acts WHERE id = ANY($1) ORDER BY id, place", [ids]);
    return groupedBy(rowsOfManySchema.parse(rows), ({ id }) => id);
  }

  /** Keeps a proposal, and makes room for it. Throws TooManyProposals. */
  async insert(
    {
      id,
      at,
      text,
      offered,
      names,
      purse,
    }: {
      readonly id: Hash;
      readonly at: number;
      readonly text: string;
      /** Until when its offer stands, unix seconds. */
      readonly offered: number;
      readonly names: readonly PartyIdentity[];
      readonly purse: Purse | undefined;
    },
    newcomer: Newcomer,
  ): Promise<void> {
    const { client, from, now } = newcomer;
    await this.#sql.transaction(async (sql) => {
      // Several proposals backed by one wallet are counted sequentially.
      if (purse !== undefined) await sql.query("LOCK TABLE gateway_agreements IN SHARE ROW EXCLUSIVE MODE");
      const backing = purse !== undefined && (await backedBy(sql, purse.wallet)) + purse.stake <= purse.holds ? purse : undefined;
      await makeRoom(sql, { ...newcomer, stake: backing?.stake ?? 0n, spent: backing === undefined ? [] : newcomer.spent });
      await sql.query(
        "INSERT INTO gateway_agreements (id, acts, opened, client, over_by, party, wallet, stake) VALUES ($1, 1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
        [
          id,
          now,
          client,
          Math.min(offered, now + LONGEST),
          from,
          backing?.wallet ?? null,
          backing === undefined ? null : String(backing.stake),
        ],
      );
      await sql.query("INSERT INTO gateway_acts (id, place, at, act) VALUES ($1, 0, $2, $3) ON CONFLICT (id, place) DO NOTHING", [
        id,
        at,
        text,
      ]);
      await index(sql, id, names);
    });
  }

  /** Adds an act. False if another one has that place. */
  append(
    id: Hash,
    place: number,
    { at, text, now, ends, names, counts }: Marks & { readonly at: number; readonly text: string; readonly now: number },
  ): Promise<boolean> {
    return this.#sql.transaction(async (sql) => {
      const counted = await sql.query(
        "UPDATE gateway_agreements SET acts = acts + 1, over_by = coalesce($3, over_by) WHERE id = $1 AND acts = $2 RETURNING id",
        [id, place, ends === undefined ? null : Math.min(ends, now + LONGEST)],
      );
      if (counted.length === 0) return false;
      await sql.query("INSERT INTO gateway_acts (id, place, at, act) VALUES ($1, $2, $3, $4)", [id, place, at, text]);
      await index(sql, id, names);
      if (counts !== undefined)
        await sql.query("UPDATE gateway_agreements SET promise = $2, judged = $3, terms = $4, composite = $5 WHERE id = $1", [
          ...[id, counts.promise, at, counts.terms, counts.composite],
        ]);
      return true;
    });
  }

  async markFunded(id: Hash): Promise<void> {
    await this.#sql.query("UPDATE gateway_agreements SET funded = true WHERE id = $1", [id]);
  }

  /** Ids of agreements that name an identity, in order. */
  async naming(identity: PartyIdentity, after: string, limit: number): Promise<readonly Hash[]> {
    const rows = await this.#sql.query("SELECT id FROM gateway_agreement_parties WHERE identity = $1 AND id > $2 ORDER BY id LIMIT $3", [
      nameOf(identity),
      after,
      limit,
    ]);
    return idsSchema.parse(rows);
  }

  /** Newest signed agreements, of one identity or of all, opened after a time (unix seconds). */
  async signed({
    name,
    since = -1,
    limit,
  }: {
    readonly name?: string;
    readonly since?: number;
    readonly limit: number;
  }): Promise<readonly Hash[]> {
    const [joined, condition] = name === undefined ? ["", ""] : ["JOIN gateway_agreement_parties USING (id)", "AND identity = $3"];
    const rows = await this.#sql.query(
      `SELECT id FROM gateway_agreements ${joined}
       WHERE opened > $1 AND acts >= ${ACTS_OF_SIGNED} ${condition} ORDER BY opened DESC, id DESC LIMIT $2`,
      [since, limit, ...(name === undefined ? [] : [name])],
    );
    return idsSchema.parse(rows);
  }

  /** Proposals after a time (unix seconds), in order. */
  async proposals(since: number): Promise<readonly Proposal[]> {
    return proposalsSchema.parse(
      await this.#sql.query("SELECT client, opened AS at FROM gateway_agreements WHERE opened > $1 ORDER BY opened", [since]),
    );
  }

  /** A client's newest proposals after a time (unix seconds). */
  async proposalsOf(client: string, since: number, limit: number): Promise<readonly Proposal[]> {
    return proposalsSchema.parse(
      await this.#sql.query(
        "SELECT client, opened AS at FROM gateway_agreements WHERE client = $1 AND opened > $2 ORDER BY opened DESC LIMIT $3",
        [client, since, limit],
      ),
    );
  }

  /** Composites of the last deliveries under a promise, oldest first, without those under these terms. */
  async composites(promise: Hash, terms: Hash, limit: number): Promise<readonly number[]> {
    const rows = await this.#sql.query(
      "SELECT composite FROM gateway_agreements WHERE promise = $1 AND terms <> $2 ORDER BY judged DESC, terms DESC LIMIT $3",
      [promise, terms, limit],
    );
    return compositesSchema.parse(rows).toReversed();
  }

  /** Number of agreements that a wallet backs. */
  async backedCount(): Promise<number> {
    const [row] = await this.#sql.query("SELECT count(*) AS count FROM gateway_agreements WHERE wallet IS NOT NULL");
    return Number(row?.["count"]);
  }

  /** The oldest backed agreements whose money is not in the escrow yet. */
  async backed(limit: number): Promise<z.infer<typeof backedSchema>> {
    return backedSchema.parse(
      await this.#sql.query(
        "SELECT id, wallet, stake FROM gateway_agreements WHERE wallet IS NOT NULL AND NOT funded ORDER BY opened LIMIT $1",
        [limit],
      ),
    );
  }
}

/** Amount that a wallet backs agreements with that are not funded yet, smallest unit. */
async function backedBy(sql: Sql, wallet: Address): Promise<bigint> {
  const [row] = await sql.query("SELECT coalesce(sum(stake), 0) AS stakes FROM gateway_agreements WHERE wallet = $1 AND NOT funded", [
    wallet,
  ]);
  return BigInt(String(row?.["stakes"]));
}

/** Indexes an agreement by the persons named in it. */
async function index(sql: Sql, id: Hash, names: readonly PartyIdentity[]): Promise<void> {
  for (const identity of names)
    await sql.query("INSERT INTO gateway_agreement_parties (identity, id) VALUES ($1, $2) ON CONFLICT (identity, id) DO NOTHING", [
      nameOf(identity),
      id,
    ]);
}

// @long
import { expect } from "chai";
import { TransactionReverted } from "../../../orchestrator/chain/errors.ts";
import { RELAYED, RelayBudget, RelayQuota } from "../../../orchestrator/city/missions/relay-budget.ts";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { type Database, openDatabase } from "../../../orchestrator/records/database.ts";
import { cache } from "../../support/cache.ts";
import { rejection } from "../../support/rejection.ts";

const HOUR = 3_600_000;
/** Forty joins of one address, ten of one principal, four hundred in all. */
const MOST = 400n * RELAYED.join;
const principal = (at: number) => addressSchema.parse(`0x${(at + 1).toString(16).padStart(40, "0")}`);

describe("what strangers may cost a city", () => {
  let sql: Database;
  let now: number;
  let relays: RelayBudget;

  before(async () => {
    sql = await openDatabase({ cache });
  });
  after(() => sql.close());
  beforeEach(async () => {
    await sql.query("TRUNCATE relayed");
    now = 1_800_000_000_000;
    relays = new RelayBudget(sql, () => now, MOST);
  });

  const quotaOf = async (attempt: Promise<unknown>): Promise<RelayQuota> => {
    const error = await rejection(attempt);
    if (!(error instanceof RelayQuota)) throw error;
    return error;
  };
  const taking = (gasUsed: bigint) => async (took: (receipt: { gasUsed: bigint }) => void) => took({ gasUsed });

  it("is bounded for a thousand keys of one person, by its address", async () => {
    for (let at = 0; at < 1_000; at += 1) {
      const attempt = relays.take("join", { principal: principal(at), from: "203.0.113.7" });
      if (at < 40) await attempt;
      else expect((await quotaOf(attempt)).shortMessage).to.include("address 203.0.113.7");
    }
    await relays.take("join", { principal: principal(2_000), from: "203.0.113.8" });
  });

  it("is bounded for a thousand keys at a hundred addresses, and for addresses that nobody knows, by what all together may cost", async () => {
    for (let at = 0; at < 400; at += 1)
      await relays.take("join", { principal: principal(at), from: at % 4 === 0 ? undefined : `203.0.113.${at % 100}` });
    const refused = await quotaOf(relays.take("join", { principal: principal(999), from: "198.51.100.1" }));
    expect(refused.shortMessage).to.include("all strangers");
  });

  it("is bounded for one key, which takes nothing from another's", async () => {
    for (let at = 0; at < 10; at += 1) await relays.take("join", { principal: principal(1), from: `203.0.113.${at}` });
    const refused = await quotaOf(relays.take("petition", { principal: principal(1) }));
    expect(refused.shortMessage).to.include(principal(1));
    await relays.take("join", { principal: principal(2), from: "203.0.113.1" });
  });

  it("counts what an act took: at the largest size it is as many acts", async () => {
    await relays.spend("offer", { principal: principal(1) }, taking(9n * RELAYED.join));
    await relays.spend("join", { principal: principal(1) }, taking(RELAYED.join));
    await quotaOf(relays.spend("join", { principal: principal(1) }, taking(1n)));
    // What is held for an act and not used is free again at once.
    for (let at = 0; at < 100; at += 1) await relays.spend("join", { principal: principal(2) }, taking(1_000n));
  });

  it("says when there is room again, and there is", async () => {
    for (let at = 0; at < 10; at += 1) {
      await relays.take("join", { principal: principal(1) });
      now += HOUR;
    }
    const { freeAt, details } = await quotaOf(relays.take("join", { principal: principal(1) }));
    expect(freeAt).to.equal(1_800_000_000 + 86_400);
    expect(details).to.include(new Date(freeAt * 1_000).toISOString());
    now = freeAt * 1_000 - 1;
    await quotaOf(relays.take("join", { principal: principal(1) }));
    now = freeAt * 1_000;
    await relays.take("join", { principal: principal(1) });
    await quotaOf(relays.take("join", { principal: principal(1) }));
  });

  it("is the same after a restart", async () => {
    for (let at = 0; at < 10; at += 1) await relays.take("join", { principal: principal(1) });
    await quotaOf(new RelayBudget(sql, () => now, MOST).take("join", { principal: principal(1) }));
  });

  it("is not exceeded by acts that come at once", async () => {
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => relays.take("join", { principal: principal(1) })));
    expect(all.filter(({ status }) => status === "fulfilled")).to.have.length(10);
  });

  it("is nothing where nothing was sent, what was sent before a refusal, and all that was held where nobody knows", async () => {
    const failing = (error: Error, gasUsed = 0n) =>
      rejection(
        relays.spend("join", { principal: principal(1) }, async (took) => {
          if (gasUsed > 0n) took({ gasUsed });
          throw error;
        }),
      );
    const reverted = (phase: "simulated" | "mined") => new TransactionReverted({ phase, what: "register", reason: "AlreadyRegistered" });
    const spent = async () => {
      const [row] = await sql.query("SELECT coalesce(sum(gas), 0) AS gas FROM relayed WHERE subject = $1", [`principal ${principal(1)}`]);
      return BigInt(String(row?.["gas"]));
    };
    // A forged registration costs the principal whom it names nothing.
    for (let at = 0; at < 50; at += 1) expect(await failing(reverted("simulated"))).to.be.instanceOf(TransactionReverted);
    await failing(new TypeError("no such point of the curve"));
    expect(await spent()).to.equal(0n);
    await failing(reverted("simulated"), 80_000n);
    expect(await spent()).to.equal(80_000n);
    await failing(reverted("mined"));
    expect(await spent()).to.equal(80_000n + RELAYED.join);
  });
});

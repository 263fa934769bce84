import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import fc from "fast-check";
import { divideLoss } from "../../../orchestrator/rules/loss-shares.ts";
import { type City, loadCity, tokens } from "../../support/city-fixture.ts";

const AGENTS = 5;
const POOLS = 2;
/** As in the parameters: fewer do not stand for anything. */
const MINIMUM = 3;

/** One random step; amounts up to some tokens, so that odd units occur. */
interface Step {
  readonly kind: "join" | "giveNotice" | "leave" | "cover" | "uncover" | "stand" | "settle";
  readonly pool: number;
  readonly agent: number;
  readonly node: number;
  readonly amount: bigint;
  readonly penalty: bigint;
}

const amount = fc.bigInt(0n, tokens(9));
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("join" as const) },
    { weight: 1, arbitrary: fc.constant("giveNotice" as const) },
    { weight: 3, arbitrary: fc.constant("leave" as const) },
    { weight: 6, arbitrary: fc.constant("cover" as const) },
    { weight: 4, arbitrary: fc.constant("uncover" as const) },
    { weight: 9, arbitrary: fc.constant("stand" as const) },
    { weight: 9, arbitrary: fc.constant("settle" as const) },
  ),
  pool: fc.integer({ min: 1, max: POOLS }),
  agent: fc.nat(AGENTS - 1),
  node: fc.nat(1),
  amount,
  penalty: amount,
});

interface Model {
  /** By agent, in the order in which they sit. */
  seats: { agent: number; contribution: bigint; leaving: boolean }[];
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

describe("stake pools", () => {
  let city: City;
  let agents: Wallet[];
  let manager: Wallet;

  beforeEach(async () => {
    city = await loadCity();
    manager = await city.account("manager");
    agents = [];
    for (let i = 0; i < AGENTS; i++) {
      const { agent } = await city.register(`agent ${i}`);
      await city.fund(agent, city.addresses.STAKE_POOL, tokens(1_000_000));
      agents.push(agent);
    }
    for (let i = 0; i < POOLS; i++) await city.pools.connect(manager).openPool();
  });

  it("conserve every unit: committed ≤ total = Σ contributions; what came in is here, with who left, or slashed", async () => {
    const pools = new Map(Array.from({ length: POOLS }, (_, i): [number, Model] => [i + 1, { seats: [] }]));
    const covers = new Map<string, { pool: number; amount: bigint }>();
    const execution = city.pools.connect(await city.as("EXECUTION"));
    const { address: mission } = await city.probe(1);
    const money = { in: 0n, out: 0n, slashed: 0n };
    const taken = new Set<string>();
    const modelOf = (pool: number): Model => pools.get(pool) ?? { seats: [] };
    const standing = (pool: number) => [...covers.values()].filter((cover) => cover.pool === pool && cover.amount !== 0n);
    const totalOf = (pool: number) => sum(modelOf(pool).seats.map(({ contribution }) => contribution));
    const isReady = ({ seats }: Model) => seats.length >= MINIMUM && !seats.some(({ leaving }) => leaving);

    /** The call, and what the rules make of it: undefined if they refuse it. */
    function play(s: Step): { call: () => Promise<unknown>; effect: (() => void) | undefined } {
      const key = agents[s.agent];
      if (key === undefined) throw new Error("no such agent");
      const model = modelOf(s.pool);
      const seat = model.seats.find(({ agent }) => agent === s.agent);
      const slot = `${s.node}/${s.agent}`;
      const cover = covers.get(slot);
      const own = city.pools.connect(key);
      if (s.kind === "join") {
        const effect = () => {
          money.in += s.amount;
          if (seat === undefined) model.seats.push({ agent: s.agent, contribution: s.amount, leaving: false });
          else seat.contribution += s.amount;
        };
        const call = async () => {
          await city.pools.connect(manager).admit(s.pool, key.address);
          return own.join(s.pool, key.address, s.amount);
        };
        return { call, effect: s.amount === 0n || seat?.leaving === true ? undefined : effect };
      }
      if (s.kind === "giveNotice") {
        const effect = () => {
          if (seat !== undefined) seat.leaving = true;
        };
        return { call: () => own.giveNotice(s.pool, key.address), effect: seat === undefined || seat.leaving ? undefined : effect };
      }
      if (s.kind === "leave") {
        const effect = () => {
          money.out += seat?.contribution ?? 0n;
          const last = model.seats.pop();
          if (last !== undefined && last !== seat) model.seats = model.seats.map((one) => (one === seat ? last : one));
        };
        return {
          call: () => own.leave(s.pool, key.address),
          effect: seat === undefined || standing(s.pool).length > 0 ? undefined : effect,
        };
      }
      if (s.kind === "cover") {
        const effect = () => covers.set(slot, { pool: s.pool, amount: 0n });
        const granted = seat !== undefined && cover === undefined && isReady(model);
        return {
          call: () => city.pools.connect(manager).cover(s.pool, mission, s.node, key.address),
          effect: granted ? effect : undefined,
        };
      }
      if (s.kind === "uncover") {
        const effect = () => covers.delete(slot);
        return { call: () => own.uncover(mission, s.node, key.address), effect: cover?.amount === 0n ? effect : undefined };
      }
      if (s.kind === "stand") {
        const pool = modelOf(cover?.pool ?? 0);
        const free = totalOf(cover?.pool ?? 0) - sum(standing(cover?.pool ?? 0).map((one) => one.amount));
        const sits = pool.seats.some(({ agent }) => agent === s.agent);
        const stands = cover?.amount === 0n && sits && isReady(pool) && s.amount <= free;
        const effect = () => {
          if (cover !== undefined) cover.amount = s.amount;
        };
        const nothing = cover === undefined || s.amount === 0n;
        return {
          call: () => execution.stand(mission, s.node, key.address, s.amount),
          effect: nothing ? () => undefined : stands ? effect : undefined,
        };
      }
      const effect = () => {
        if (cover === undefined || s.amount === 0n) return;
        const { seats } = modelOf(cover.pool);
        const slashed = least(s.penalty, s.amount);
        const shares = divideLoss(
          slashed,
          seats.map(({ contribution }) => contribution),
        );
        for (const [i, one] of seats.entries()) one.contribution -= shares[i] ?? 0n;
        money.slashed += slashed;
        cover.amount -= s.amount;
        if (cover.amount === 0n) covers.delete(slot);
      };
      const within = s.amount <= (cover?.amount ?? 0n);
      return {
        call: () => execution.settle(mission, s.node, key.address, s.amount, s.penalty, id("why"), ZeroAddress),
        effect: within ? effect : undefined,
      };
    }

    await fc.assert(
      fc.asyncProperty(step, async (s) => {
        const { call, effect } = play(s);
        const done = await call().then(
          () => true,
          () => false,
        );
        expect(done, `${s.kind} by ${s.agent} in ${s.pool}`).to.equal(effect !== undefined);
        effect?.();
        if (done) taken.add(s.kind);
        for (const [pool, { seats }] of pools) {
          const sums = await city.pools.poolOf(pool);
          const here = await city.pools.participantsOf(pool);
          expect(here.map(({ agent, contribution, leaving }) => [agent, contribution, leaving])).to.deep.equal(
            seats.map(({ agent, contribution, leaving }) => [agents[agent]?.address, contribution, leaving]),
          );
          const committed = sum(standing(pool).map((cover) => cover.amount));
          expect([sums.total, sums.committed, Number(sums.covers)]).to.deep.equal([totalOf(pool), committed, standing(pool).length]);
          expect(committed <= totalOf(pool)).to.equal(true);
        }
        const held = sum([...pools.keys()].map(totalOf));
        expect(await city.token.balanceOf(city.addresses.STAKE_POOL)).to.equal(held);
        expect(money.in).to.equal(held + money.out + money.slashed);
        expect((await city.treasury.freeBalance()) + (await city.treasury.insuranceBalance())).to.equal(money.slashed);
      }),
      { seed: 7, numRuns: 800, endOnFailure: true },
    );
    expect([...taken].sort()).to.deep.equal(["cover", "giveNotice", "join", "leave", "settle", "stand", "uncover"]);
    expect(money.slashed > 0n, "slashed").to.equal(true);
    expect(money.out > 0n, "left").to.equal(true);
  });
});

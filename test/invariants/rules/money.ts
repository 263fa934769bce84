/** Invariants 7–12: where money lies and where it goes. */
import { MissionState } from "../../support/mission-fixture.ts";
import { amount, number, paymentsOf, text } from "../chronicle.ts";
import type { Rule } from "../rule.ts";
import type { MissionView } from "../snapshot.ts";

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((total, value) => total + value, 0n);

const patient: Rule = {
  invariant: 7,
  on(event, { ghost, require }) {
    if (event.at !== "MISSION" || event.name !== "Claimed") return;
    const mission = ghost.mission(event.address);
    const { rules } = ghost.session(mission.session);
    for (const { node: index, slot, agent, paid } of paymentsOf(event).executors) {
      const where = `node ${index} slot ${slot}`;
      const node = mission.nodes[index];
      const due = node?.dues.get(slot);
      require(due !== undefined && !due.claimed, () => `${where} was paid without a due, or twice`);
      if (node === undefined || due === undefined) continue;
      const window = rules.get(APPEAL_WINDOW_LOW + node.law.band) ?? 0n;
      require(event.timestamp >= due.recordedAt + window, () => `${where} was paid inside its appeal window`);
      require(agent === due.agent && paid === due.paid, () => `${where} was paid another amount, or somebody else was`);
      const open = node.appeals.some((appeal) => appeal.open && appeal.attempt === due.attempt && appeal.until > event.timestamp);
      require(!open, () => `${where} was paid under an open appeal`);
    }
  },
};
/** Position in `enum Param`; the bands follow. */
const APPEAL_WINDOW_LOW = 53;

const balanced: Rule = {
  invariant: 8,
  always({ missions }, { ghost, require }) {
    for (const { address, state, ledger: l, balance, law } of missions) {
      const { paid, nodes, recorded, home } = ghost.mission(address);
      const out = l.paid + l.fees + l.insurance + l.discount + l.refunded + l.children;
      require(balance === l.deposit - out + l.bonds + home, () =>
        `${address}: deposit ${l.deposit} ≠ out ${out} + held ${balance} − bonds ${l.bonds} − children's ${home}`);
      require(balance - l.bonds >= l.entitled + l.refundable, () => `${address} owes more than it holds`);
      require(sum(law.map(({ budget }) => budget)) <= l.deposit, () => `${address} allocates more than its deposit`);
      const runs = state === MissionState.ACTIVE || state === MissionState.EXECUTING;
      const used = out + l.entitled + l.refundable;
      require(!runs || used <= recorded, () => `${address} uses ${used} of ${recorded} recorded`);
      require(l.paid === paid, () => `${address} paid ${paid} and books ${l.paid}`);
      const due = nodes.flatMap(({ dues }) => [...dues.values()].filter(({ claimed }) => !claimed).map((one) => one.paid));
      require(l.entitled === sum(due), () => `${address} owes ${sum(due)} and books ${l.entitled}`);
    }
  },
};

const withinBudget: Rule = {
  invariant: 9,
  on(event, { ghost, require }) {
    if (event.at !== "MISSION" || (event.name !== "Recorded" && event.name !== "Reassessed")) return;
    const node = ghost.node(event);
    const cost = sum(["paid", "fee", "insurance", "discount"].map((part) => amount(event, part)));
    const price = node.prices.get(`${node.attempt}/${number(event, "slot")}`) ?? 0n;
    require(cost <= price, () => `node ${text(event, "node")} slot ${text(event, "slot")} costs ${cost} of a price of ${price}`);
    require(price * BigInt(node.law.redundancy) <= node.law.budget, () =>
      `a price of ${price} exceeds node ${text(event, "node")}'s budget`);
  },
};

const pools: Rule = {
  invariant: 10,
  always({ money, accounts, sessions, pools: stakes }, { ghost, require }) {
    require(money.inTreasury === money.free + money.insurance + money.credits, () =>
      `the treasury holds ${money.inTreasury} of ${money.free} + ${money.insurance} + ${money.credits}`);
    for (const { account, credit } of accounts)
      require(credit === ghost.credits.get(account), () => `${account} is owed ${ghost.credits.get(account)}, the vault says ${credit}`);
    require(money.credits === sum(ghost.credits.values()), () => `the vault counts ${money.credits} of credits`);
    const deposits = sum(sessions.map(({ info }) => info.deposit));
    require(money.inLegislation === deposits, () => `the legislature holds ${money.inLegislation} of ${deposits}`);
    require(money.inPools === sum(stakes.map(({ sums }) => sums.total)), () => `the pools hold ${money.inPools}`);
    for (const { pool, sums, seats } of stakes) {
      const contributed = sum(seats.map(({ contribution }) => contribution));
      require(sums.total === contributed, () => `pool ${pool} counts ${sums.total}, contributed were ${contributed}`);
      const standing = sum([...ghost.covers.values()].filter((cover) => cover.pool === pool).map((cover) => cover.amount));
      require(sums.committed === standing && standing <= sums.total, () =>
        `pool ${pool} of ${sums.total} commits ${sums.committed}, ${standing} stand for bids`);
    }
  },
};

const stakes: Rule = {
  invariant: 11,
  on(event, { require }) {
    if (event.name !== "StakeSlashed" && event.name !== "PoolSlashed") return;
    const slashed = sum(event.tx.events.filter(({ at, name }) => at === event.at && name === event.name).map((e) => amount(e, "amount")));
    const from = event.tx.events.filter(({ at, args }) => at === "TREASURY" && args["from"] === event.address);
    const received = (name: string) => sum(from.filter((e) => e.name === name).map((e) => amount(e, "amount")));
    const [free, insured] = [received("FeesReceived"), received("InsuranceReceived")];
    const paid = event.tx.events.filter(({ at, name, args }) => at === "TOKEN" && name === "Transfer" && args["from"] === event.address);
    const earned = sum(paid.map((e) => amount(e, "value"))) - free - insured;
    require(free + insured + earned === slashed, () => `${slashed} slashed, ${free} + ${insured} received, ${earned} to who settled`);
    require(earned <= slashed / 100n, () => `of ${slashed} slashed who settled earned ${earned}`);
    require(insured >= free, () => `of ${slashed} slashed the odd unit went to the treasury`);
  },
  always({ agents, money }, { ghost, require }) {
    for (const { address, held, locked } of agents) {
      const account = ghost.agent(address);
      require(locked <= held, () => `${address} locked ${locked} of ${held}`);
      require(held === account.held && locked === account.locked, () =>
        `${address} holds ${held}, ${locked} locked; it should be ${account.held}, ${account.locked}`);
    }
    require(money.inProducers === sum(agents.map(({ held }) => held)), () => `stakes are ${money.inProducers}`);
  },
};

/** What a child mission has or kept of its loan. */
const usedBy = (child: MissionView | undefined): bigint => (child === undefined ? 0n : child.ledger.deposit - child.ledger.refunded);

const nested: Rule = {
  invariant: 12,
  always({ sessions, missions }, { require }) {
    for (const { address, law, ledger } of missions) {
      require(sum(law.map(({ budget }) => budget)) <= ledger.deposit, () => `${address}'s nodes exceed its deposit`);
      for (const [node, { budget }] of law.entries()) {
        const below = sessions.filter(({ info }) => info.child && info.parent === address && Number(info.node) === node);
        const used = sum(below.map(({ info }) => info.deposit + usedBy(missions.find((one) => one.address === info.mission))));
        require(used <= budget, () => `${address} node ${node}'s children have ${used} of ${budget}`);
      }
    }
  },
};

export const MONEY: readonly Rule[] = [patient, balanced, withinBudget, pools, stakes, nested];

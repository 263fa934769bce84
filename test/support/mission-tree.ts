/**
 * Missions whose nodes are missions: a plan of a tree, and everybody who carries it out on the chain, from the session of each mission to
 * its last unit.
 */
import { ZeroHash } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { Band, type LawNode } from "../../orchestrator/rules/law-codec.ts";
import { ethers, loadFixture, networkHelpers } from "./city-fixture.ts";
import { billOf, furnish, node as lawNode, lawOf, setParameter } from "./legislature.ts";
import { Action, loadPeopledCity, Mission, MissionState, NodeState, onward, packed } from "./mission-fixture.ts";

/**
 * How a child ends: with its work done; without a law; out of time, its leaves half done; or because its parent was terminated, its
 * leaves half done.
 */
export type Fate = "done" | "lawless" | "late" | "orphaned";

/** A node of a plan: with `nodes` a mission of its own, without them a leaf. */
export interface Plan {
  readonly budget: bigint;
  readonly nodes?: readonly Plan[];
  /** Of its first children; those after them are done. */
  readonly fates?: readonly Fate[];
  readonly outputPredicate?: number;
}

/** What a node lent to one of its children. */
interface Loan {
  readonly parent: Mission;
  readonly node: number;
  readonly session: bigint;
  readonly amount: bigint;
  child: Mission | undefined;
  concluded: boolean;
}

/** A child has half of its parent's time. */
const DURATION = 86_400;
const WINDOW = 60n;
const BATCH = 16;
/** Less than this is not worth another child, units. */
const LEAST = 1000n;

async function foundHouse() {
  const peopled = await loadPeopledCity();
  const house = await furnish(
    peopled,
    peopled.workers.map(({ agent }) => agent),
  );
  await setParameter(peopled, "MAX_NODE_TIMEOUT", 3600);
  return house;
}
type House = Awaited<ReturnType<typeof foundHouse>>;

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((total, value) => total + value, 0n);
const leavesOf = ({ nodes = [] }: Plan): number[] => nodes.flatMap((one, index) => (one.nodes === undefined ? [index] : []));
const half = <Item>(items: readonly Item[]): Item[] => items.slice(0, Math.ceil(items.length / 2));

/** Missions above the lowest one, and leaves, of a plan. */
export const depthOf = ({ nodes }: Plan): number => (nodes === undefined ? 0 : 1 + Math.max(...nodes.map(depthOf)));
export const countLeaves = ({ nodes }: Plan): number => (nodes === undefined ? 1 : nodes.reduce((n, one) => n + countLeaves(one), 0));

/** The same with less money. */
const scaled = (plan: Plan, budget: bigint): Plan => ({
  ...plan,
  budget,
  ...(plan.nodes === undefined ? {} : { nodes: plan.nodes.map((one) => scaled(one, (one.budget * budget) / plan.budget)) }),
});

/** A branch waits for all nodes before it. */
const lawNodeOf = ({ budget, nodes }: Plan, index: number): LawNode =>
  lawNode({
    budget,
    leaf: nodes === undefined,
    predecessors: nodes === undefined ? 0n : (1n << BigInt(index)) - 1n,
    timeout: 3600,
    floor: EvidenceClass.ATT,
    band: Band.LOW,
  });

export class MissionTree {
  readonly house: House;
  /** Every mission, in the order in which they were deployed, and every loan. */
  readonly missions: Mission[] = [];
  readonly loans: Loan[] = [];
  /** Fates that befell a child. */
  readonly fates = new Set<Fate>();
  readonly #watch: () => Promise<void>;

  /** @param watch called after each thing that happened */
  constructor(house: House, watch: (tree: MissionTree) => Promise<void> = async () => undefined) {
    this.house = house;
    this.#watch = () => watch(this);
  }

  static async found(watch?: (tree: MissionTree) => Promise<void>): Promise<MissionTree> {
    return new MissionTree(await loadFixture(foundHouse), watch);
  }

  /** From a sponsor's deposit to its refund. */
  async grow(plan: Plan): Promise<Mission> {
    const root = await this.enact(await this.house.steps.open(plan.budget), plan);
    await this.run(root, plan);
    return root;
  }

  /** From an open session to the mission of its law. */
  async enact(session: bigint, plan: Plan, depth = 0): Promise<Mission> {
    const { legislation, steps, offices, voters } = this.house;
    const [registrar, speaker, codifier] = [offices.REGISTRAR[0], offices.SPEAKER[0], offices.CODIFIER[0]];
    if (registrar === undefined || speaker === undefined || codifier === undefined) throw new Error("an office is empty");
    const nodes = (plan.nodes ?? []).map(lawNodeOf);
    const goalHash = hexSchema.parse((await legislation.sessionOf(session)).goalHash);
    const law = lawOf(nodes, {
      budget: plan.budget,
      duration: DURATION >> depth,
      goalHash,
      outputPredicate: plan.outputPredicate ?? 0,
    });
    const bill = billOf(law, `document of session ${session}`);
    await legislation.connect(registrar).confirmIdentities(session, ZeroHash);
    await steps.propose(session, Number(session) % voters.length, bill.specHash);
    await legislation.connect(speaker).openVoting(session);
    await steps.vote(
      session,
      voters.map(() => [1, 0]),
    );
    await legislation.tally(session);
    await legislation.validate(session, law, bill.docHash, steps.witnesses());
    await legislation.connect(codifier).codify(session, [await steps.delegate(session, bill.specHash)]);
    const regulators = offices.REGULATOR.map((wallet) => ["REGULATOR", wallet] as const);
    const signatures = await steps.approvals(session, bill.specHash, [["SPEAKER", speaker], ...regulators]);
    await legislation.approve(session, law, bill.docHash, signatures);
    const clone = await ethers.getContractAt("CollaborationContract", (await legislation.sessionOf(session)).mission);
    const mission = new Mission(this.house, clone, nodes, law, await this.house.as("LEGISLATION"));
    this.missions.push(mission);
    const loan = this.loans.find((one) => one.session === session);
    if (loan !== undefined) loan.child = mission;
    await this.#watch();
    return mission;
  }

  /** Everything a mission's law asks for; its books are closed in the end. */
  async run(mission: Mission, plan: Plan, depth = 0): Promise<void> {
    await this.work(mission, leavesOf(plan));
    for (const [index, one] of (plan.nodes ?? []).entries()) {
      if (one.nodes !== undefined && !(await this.#descend(mission, index, one, depth))) break;
    }
    await this.end(mission);
  }

  /** The leaves are awarded, executed and cleared. */
  async work(mission: Mission, leaves: readonly number[]): Promise<void> {
    if (leaves.length === 0) return;
    for (const leaf of leaves) await mission.bid(leaf, leaf % 4);
    await networkHelpers.time.increase(WINDOW);
    await this.house.execution.award(mission.address, [...leaves]);
    for (let at = 0; at < leaves.length; at += BATCH) {
      const batch = leaves.slice(at, at + BATCH);
      await mission.route(...batch);
      for (const leaf of batch) await mission.commit(leaf);
      await networkHelpers.mine();
      const orders = [];
      for (const leaf of batch) orders.push(await mission.clearOrder(leaf));
      await mission.contract.clear(packed(...orders));
    }
    await this.#watch();
  }

  /** Claims and closes; what still runs is aborted first, its time up or not. */
  async end(mission: Mission, waits = true): Promise<void> {
    const { contract } = mission;
    const state = await contract.state();
    if (state === MissionState.ACTIVE || state === MissionState.EXECUTING) {
      const expiry = await contract.expiresAt();
      if (waits && (await this.house.now()) < expiry) await networkHelpers.time.increaseTo(expiry);
      await mission.abort();
    }
    const recorded: number[] = [];
    for (const [index, { leaf }] of mission.nodes.entries()) if (leaf && (await contract.nodeOf(index)).recorded) recorded.push(index);
    for (let at = 0; at < recorded.length; at += BATCH) await contract.claim(recorded.slice(at, at + BATCH));
    await contract.close();
    await this.#watch();
  }

  /** As many children as a node needs; answers whether it was completed. */
  async #descend(mission: Mission, node: number, plan: Plan, depth: number): Promise<boolean> {
    const { contract } = mission;
    const { maxRefinementIterations } = (await contract.context()).params;
    for (let attempt = 0; ; attempt++) {
      await contract.route(...onward(node));
      const session = await this.house.legislation.sessionCount();
      const { deposit } = await this.house.legislation.sessionOf(session);
      const loan: Loan = { parent: mission, node, session, amount: deposit, child: undefined, concluded: false };
      this.loans.push(loan);
      await this.#watch();
      await this.#childhood(loan, scaled(plan, deposit), depth + 1, plan.fates?.[attempt] ?? "done");
      await contract.record(node);
      loan.concluded = true;
      await this.#watch();
      const word = await contract.nodeOf(node);
      if (word.state === NodeState.COMPLETED) return true;
      const used = await Promise.all(this.loans.filter((one) => one.parent === mission && one.node === node).map(usedOf));
      const left = mission.node(node).budget - sum(used);
      if (word.state !== NodeState.FAILED || word.attempt >= maxRefinementIterations || left < LEAST) return false;
      await contract.reopen(node);
    }
  }

  async #childhood(loan: Loan, plan: Plan, depth: number, fate: Fate): Promise<void> {
    const { legislation } = this.house;
    this.fates.add(fate);
    if (fate === "lawless") {
      await networkHelpers.time.increaseTo((await legislation.sessionOf(loan.session)).deadline + 1n);
      await legislation.expire(loan.session);
      return;
    }
    const child = await this.enact(loan.session, plan, depth);
    if (fate === "done") return this.run(child, plan, depth);
    await this.work(child, half(leavesOf(plan)));
    if (fate === "orphaned") await loan.parent.override(Action.TERMINATE_MISSION, 0);
    await this.end(child, fate === "late");
  }

  /** What does not add up. */
  async imbalances(): Promise<string[]> {
    const wrong: string[] = [];
    const { token, legislation, sponsor } = this.house;
    let spent = 0n;
    for (const mission of this.missions) {
      const l = await mission.contract.ledger();
      const balance = await token.balanceOf(mission.address);
      const out = l.paid + l.fees + l.insurance + l.discount;
      spent += out + balance;
      // What a child returned is here before it is booked.
      const home = sum(await Promise.all(this.loans.map(async (one) => (one.parent === mission && !one.concluded ? returnedOf(one) : 0n))));
      const booked = l.deposit - out - l.refunded - l.children;
      if (balance - l.bonds - home !== booked)
        wrong.push(`${mission.address}: holds ${balance}, ${home} of it unbooked, and books ${booked}`);
      let children = 0n;
      for (const node of mission.nodes.keys()) {
        const used = sum(await Promise.all(this.loans.filter((one) => one.parent === mission && one.node === node).map(usedOf)));
        if (used > mission.node(node).budget) wrong.push(`${mission.address}: node ${node} lent ${used} of ${mission.node(node).budget}`);
        children += used;
      }
      if (children !== l.children) wrong.push(`${mission.address}: its children have ${children} and it books ${l.children}`);
    }
    for (const { session } of this.loans) spent += (await legislation.sessionOf(session)).deposit;
    const [root] = this.missions;
    const { deposit, refunded } = root === undefined ? { deposit: 0n, refunded: 0n } : await root.contract.ledger();
    if (deposit !== spent + refunded)
      wrong.push(`of ${deposit} from ${sponsor.address}, ${spent} were spent or are held and ${refunded} returned`);
    return wrong;
  }
}

const returnedOf = async ({ child }: Loan): Promise<bigint> => (child === undefined ? 0n : (await child.contract.ledger()).refunded);

/** What a child has or kept of its loan. */
async function usedOf(loan: Loan): Promise<bigint> {
  if (!loan.concluded) return loan.amount;
  return loan.child === undefined ? 0n : loan.amount - (await returnedOf(loan));
}

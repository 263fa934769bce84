/** A milestone as a mission: bids, work, clearing, pay; every step is a transaction of the mission's contracts. */

import { keccak256, numberToHex, stringToHex, zeroHash } from "viem";
import { act, seatsOnMission } from "../../adjudication/act.ts";
import { SIMULATED_THRESHOLDS } from "../../adjudication/simulated-judge.ts";
import { errorsAbi } from "../../chain/abi/errors.ts";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { decodeRevert } from "../../chain/revert.ts";
import { admittedBy } from "../../client/compile-law.ts";
import { signAuth } from "../../client/sign/auth.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { nodeStates } from "../../execution/chain-view.ts";
import { executionMetrics, milestonesOf } from "../../execution/metrics.ts";
import { bitmapOf } from "../../primitives/bitmap.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { encodeActionData } from "../../protocol/actions.ts";
import { evidenceKinds, questions, verdictResults } from "../../protocol/evidence.ts";
import type { ExecutionMetrics } from "../../protocol/metrics.ts";
import { EvidenceClass } from "../../rules/admissibility.ts";
import { type Admission, admissionOf } from "../../rules/admissions.ts";
import { bidScore, matchOfLevels } from "../../rules/bid-score.ts";
import { commitmentOf, evidenceLeafOf, nodeCommitmentOf, type Opening, obligationOf } from "../../rules/commitments.ts";
import { merkleRoot } from "../../rules/ordered-merkle.ts";
import { claimedPayments } from "../../rules/payments.ts";
import { clearWaveOf, encodeClearWave, encodeCommitWave, placeKey } from "../../rules/wire.ts";
import type { Agent } from "../agents.ts";
import type { Effort } from "../behaviour.ts";
import type { Task } from "../milestone.ts";
import { declared, type GovernedCity, VALIDITY, WORK } from "./city.ts";
import { type Enacted, requirementOf } from "./session.ts";

/** An offer to do a task; a price in tokens. */
export interface Offer {
  readonly agent: Agent;
  readonly task: Task;
  readonly effort: Effort;
  readonly price: number;
}

/** The executor of a task. */
export interface Bound {
  readonly agent: Agent;
  readonly effort: Effort;
  readonly attempt: number;
}

/** Result of a task's clearing. */
export type Ruling = "passed" | "failed" | "disputed" | "read";

/** Tokens: paid per task, slashed per agent, and added by the treasury. */
export interface Settled {
  readonly paid: Map<Task, number>;
  readonly slashed: Map<Agent, number>;
  readonly premiums: number;
}

interface Committed {
  readonly opening: Opening;
  readonly obligation: Hash;
  readonly agent: Agent;
}

/** Maximum number of bids per task: the market keeps sixteen, so that none is refused. */
const BIDDERS = 12;
/** Nodes per transaction. */
const BATCH = 12;
/** Bids per transaction. */
const BIDS = 50;
const CONFIDENT = 9_000;
const WHOLE = 10_000;
const RESULTS = ["NONE", "PASS", "FAIL", "DISPUTED", "UNVERIFIABLE"] as const;

const unitsOf = (tokens: number): bigint => BigInt(Math.max(1, Math.floor(tokens * 1e6)));
const inParts = <Item>(items: readonly Item[], size = BATCH): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) => items.slice(part * size, (part + 1) * size));

export class MissionWork {
  readonly #city: GovernedCity;
  readonly #enacted: Enacted;
  readonly #bound = new Map<Task, Bound>();
  readonly #offers = new Map<string, Offer>();
  /** Executors that failed at a task: the market bars them from it. */
  readonly #barred = new Map<Task, readonly Agent[]>();
  readonly #committed = new Map<Task, Committed>();
  readonly #failed = new Set<Task>();
  readonly #exhausted = new Set<Task>();
  readonly #unbid = new Set<Task>();
  /** Bidders of tasks with an open market. */
  readonly #bidders = new Map<Task, Set<Agent>>();
  readonly #tasks: readonly Task[];
  readonly #contract;

  constructor(city: GovernedCity, enacted: Enacted, tasks: readonly Task[]) {
    this.#city = city;
    this.#enacted = enacted;
    this.#tasks = tasks;
    this.#contract = city.client.mission(enacted.mission);
    for (const task of tasks) this.#unbid.add(task);
  }

  get rules() {
    return this.#enacted.rules;
  }

  /** Maximum price of a task, tokens. */
  get price(): number {
    return this.#enacted.price;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  get enacted(): Enacted {
    return this.#enacted;
  }

  isBarred(task: Task, agent: Agent): boolean {
    return this.#barred.get(task)?.includes(agent) ?? false;
  }

  boundTo(task: Task): Bound | undefined {
    return this.#bound.get(task);
  }

  /** Tasks without an executor that still accept bids. */
  get vacant(): readonly Task[] {
    return this.#tasks.filter((task) => this.#unbid.has(task) && !this.#exhausted.has(task));
  }

  #step(...names: readonly (string | number)[]) {
    return { intent: intentKey(this.#enacted.mission, this.#city.sender.used.length, ...names) };
  }

  #taskAt(node: number): Task {
    const task = this.#tasks[node];
    if (task === undefined) throw new RangeError(`no task ${node}`);
    return task;
  }

  /** Bids for tasks with an open market, lets the window pass, awards. A task without an award stays vacant. */
  async market(tasks: readonly Task[], offers: readonly Offer[]): Promise<void> {
    await this.#bid(offers);
    let open = [...tasks];
    // The market may hold a node back for one more window, for fairness or lack of bids.
    while (open.length > 0) {
      const markets = await this.#marketsOf(open);
      const closesAt = Math.max(...markets.map((market) => market.closesAt));
      await this.#city.until(BigInt(closesAt) + 1n);
      for (const part of inParts(open)) await this.#award(part);
      const after = await this.#marketsOf(open);
      open = after.filter(({ task, closesAt: next }) => this.#unbid.has(task) && next > closesAt).map(({ task }) => task);
    }
    for (const task of tasks) this.#bidders.delete(task);
  }

  /**
   * The best twelve of these offers per task by the market's public score; the earlier of equal ones. An agent bids for a task at most
   * once.
   */
  best(offers: readonly Offer[]): Offer[] {
    const { quality, price: cheapness } = this.#city.weights;
    const scoreOf = ({ agent, task, price }: Offer): bigint =>
      bidScore(
        {
          reputation: BigInt(this.#city.reputationOf(agent)),
          fit: BigInt(matchOfLevels(declared(agent), requirementOf(task, this.rules.demand))),
          price: unitsOf(price),
          slotBudget: unitsOf(this.price),
        },
        quality,
        cheapness,
      );
    const signing = new Set<Offer>();
    for (const [task, all] of Map.groupBy(offers, (offer) => offer.task)) {
      const placed = this.#bidders.get(task) ?? new Set();
      const scored = all.filter(({ agent }) => !placed.has(agent)).map((offer) => ({ offer, score: scoreOf(offer) }));
      scored.sort((one, other) => (one.score < other.score ? 1 : one.score > other.score ? -1 : 0));
      for (const { offer } of scored.slice(0, Math.max(0, BIDDERS - placed.size))) signing.add(offer);
    }
    return offers.filter((offer) => signing.has(offer));
  }

  async #bid(offers: readonly Offer[]): Promise<void> {
    const { client, chain, sender } = this.#city;
    const { mission } = this.#enacted;
    const deadline = Number(chain.clock.now()) + VALIDITY;
    const signed = await Promise.all(
      offers.map(async (offer) => {
        const { member, service } = this.#city.residentOf(offer.agent);
        const bid = { mission, node: offer.task.id, service: service.id, price: unitsOf(offer.price) };
        const message = { ...bid, agent: member.account.address, nonce: this.#city.bidNonce(offer.agent), deadline };
        this.#biddersOf(offer.task).add(offer.agent);
        this.#offers.set(`${offer.task.id}/${member.account.address}`, offer);
        const admission = this.#admission(offer.task);
        return { bid, auth: await signAuth(client, member.account, "Bid", message), admission };
      }),
    );
    const intents = inParts(signed, BIDS).map((part) => {
      const call = [part.map(({ bid }) => bid), part.map(({ auth }) => auth), part.map(({ admission }) => admission)] as const;
      return client.execution.call.bidAll(call, this.#step("bid", ...part.map(({ bid, auth }) => `${bid.node}/${auth.agent}`)));
    });
    for (const receipt of await sender.sendMany(intents))
      for (const { args } of client.execution.events(receipt, "BidRefused"))
        throw new RangeError(`the bid of ${args.agent} for task ${args.node} was refused: ${decodeRevert(args.reason, errorsAbi).reason}`);
  }

  #admission({ id }: Task): Admission {
    const admission = admissionOf(admittedBy(this.#enacted.law.document), WORK, id);
    if (admission === undefined) throw new RangeError(`the law of task ${id} does not admit the work that it asks for`);
    return admission;
  }

  #biddersOf(task: Task): Set<Agent> {
    const known = this.#bidders.get(task) ?? new Set();
    this.#bidders.set(task, known);
    return known;
  }

  #marketsOf(tasks: readonly Task[]): Promise<readonly { readonly task: Task; readonly closesAt: number }[]> {
    const { client } = this.#city;
    return Promise.all(
      tasks.map(async (task) => {
        const { closesAt } = await client.execution.marketOf(this.#enacted.mission, task.id);
        return { task, closesAt };
      }),
    );
  }

  async #award(tasks: readonly Task[]): Promise<void> {
    const { client, sender, agentAt } = this.#city;
    const nodes = tasks.map(({ id }) => id);
    const [receipt] = await sender.sendMany([client.execution.call.award([this.#enacted.mission, nodes], this.#step("award", ...nodes))]);
    if (receipt === undefined) return;
    for (const { args } of this.#contract.events(receipt, "ExecutorBound")) {
      const agent = agentAt(args.agent);
      const offer = this.#offers.get(`${args.node}/${args.agent}`);
      if (agent === undefined || offer === undefined) throw new RangeError(`${args.agent} did not bid here`);
      const task = this.#taskAt(args.node);
      this.#bound.set(task, { agent, effort: offer.effort, attempt: args.attempt });
      this.#unbid.delete(task);
    }
  }

  /** Starts tasks and commits their outputs, a dozen per transaction. */
  async hand(tasks: readonly Task[]): Promise<void> {
    for (const part of inParts(tasks)) {
      await this.#route(part);
      await this.#commit(part);
    }
  }

  async #route(tasks: readonly Task[]): Promise<void> {
    const { client, chain, runner } = this.#city;
    const { mission } = this.#enacted;
    const deadline = Number(chain.clock.now()) + VALIDITY;
    const inOrder = tasks.toSorted((a, b) => a.id - b.id);
    const slots = inOrder.map((task) => placeKey({ node: task.id, attempt: this.#require(task).attempt, slot: 0 }));
    const start = { runner: runner.address, slots, deadline };
    const signature = await signMessage(client, runner, "Start", start, mission);
    const nodes = bitmapOf(tasks.map(({ id }) => id));
    await this.#contract.route([nodes, { ...start, signature }], this.#step("route", ...tasks.map(({ id }) => id)));
  }

  async #commit(tasks: readonly Task[]): Promise<void> {
    const { client, chain } = this.#city;
    const { mission, law } = this.#enacted;
    const deadline = Number(chain.clock.now()) + VALIDITY;
    const made = tasks.map((task) => {
      const { agent, attempt } = this.#require(task);
      const { address } = this.#city.residentOf(agent).member.account;
      const obligation = obligationOf({
        chainId: BigInt(chain.id),
        clone: mission,
        node: task.id,
        attempt,
        lawHash: law.lawHash,
        amendment: zeroHash,
      });
      const output = keccak256(stringToHex(`output ${task.id}/${attempt} of ${agent.id}`));
      const item = { slot: 0, index: 0, kind: evidenceKinds.RECEIPT, payload: output, issuer: address, class: EvidenceClass.SIGN };
      const opening: Opening = {
        salt: keccak256(numberToHex(BigInt(obligation) ^ BigInt(address), { size: 32 })),
        outputHash: output,
        trailRoot: keccak256(output),
        envelopeRoot: merkleRoot([evidenceLeafOf(obligation, item)]),
        items: 1,
        classes: BigInt(EvidenceClass.SIGN),
      };
      this.#committed.set(task, { opening, obligation, agent });
      return { agent, place: { node: task.id, slot: 0, attempt }, opening, commitment: commitmentOf(address, opening, obligation) };
    });
    const agents = [...new Set(made.map(({ agent }) => agent))];
    const signers = await Promise.all(
      agents.map(async (agent) => {
        const own = made.filter((one) => one.agent === agent);
        const { account } = this.#city.residentOf(agent).member;
        const message = {
          agent: account.address,
          slots: own.map(({ place }) => placeKey(place)),
          commitments: own.map(({ commitment }) => commitment),
          deadline,
        };
        return { agent: account.address, deadline, signature: await signMessage(client, account, "Commits", message, mission) };
      }),
    );
    const pledges = made.map(({ agent, place, opening }) => ({ ...place, signer: agents.indexOf(agent), opening }));
    const receipt = await this.#contract.commitWave(
      [encodeCommitWave({ signers, pledges })],
      this.#step("commit", ...tasks.map(({ id }) => id)),
    );
    const skipped = receipt === undefined ? [] : this.#contract.events(receipt, "Skipped");
    if (skipped.length > 0) throw new RangeError(`a pledge was passed over: ${skipped[0]?.args.reason}`);
  }

  /** The drawn panels judge; `notices` decides whether a verifier rejects a task. The chain decides. */
  async clear(tasks: readonly Task[], notices: (task: Task, seat: number) => boolean): Promise<Map<Task, Ruling>> {
    const rulings = new Map<Task, Ruling>();
    for (const part of inParts(tasks)) {
      const orders = await Promise.all(part.map((task) => this.#clearOrder(task, notices)));
      const receipt = await this.#contract.clear([encodeClearWave(clearWaveOf(orders))], this.#step("clear", ...part.map(({ id }) => id)));
      if (receipt === undefined) continue;
      for (const { args } of this.#contract.events(receipt, "Cleared")) {
        const task = this.#taskAt(args.node);
        const result = RESULTS[args.result];
        if (result === "PASS") rulings.set(task, this.#isRead(task) ? "read" : "passed");
        else if (result === "FAIL") rulings.set(task, "failed");
        else if (result === "DISPUTED") rulings.set(task, "disputed");
        else throw new RangeError(`task ${args.node} was cleared as ${result}`);
        if (result === "FAIL") this.#lose(task);
      }
    }
    return rulings;
  }

  #isRead(task: Task): boolean {
    return this.rules.read === 1 && task.id === this.#tasks.length - 1;
  }

  async #clearOrder(task: Task, notices: (task: Task, seat: number) => boolean) {
    const { client, chain, verifiers } = this.#city;
    const { mission } = this.#enacted;
    const { opening, obligation, agent } = this.#requireWork(task);
    const { address } = this.#city.residentOf(agent).member.account;
    const commitment = nodeCommitmentOf([commitmentOf(address, opening, obligation)]);
    const panel = await this.#contract.panelOf(task.id);
    const { drawBlock: draw } = await this.#contract.nodeOf(task.id);
    const deadline = Number(chain.clock.now()) + VALIDITY;
    const verdicts = await Promise.all(
      panel.map(async (verifier: Address, seat: number) => {
        const account = verifiers.get(verifier);
        if (account === undefined) throw new RangeError(`no key of verifier ${verifier}`);
        const found = notices(task, seat);
        const verdict = {
          obligation,
          commitment,
          draw,
          question: questions.indexOf("PERFORMANCE"),
          result: verdictResults.indexOf(found ? "FAIL" : "PASS"),
          confidence: CONFIDENT,
          score: found ? 0 : WHOLE,
          basis: 1n,
          agreeing: 0,
        };
        const signature = await signMessage(client, account, "Verdicts", { verifier, verdicts: [verdict], deadline }, mission);
        return { ...verdict, verifier, deadline, signature };
      }),
    );
    return { node: task.id, openings: [opening], verdicts, items: [] };
  }

  /** A simulated adjudicator reads the work and rules; with the thresholds of missions. */
  async rule(task: Task): Promise<boolean> {
    const { client } = this.#city;
    const { mission } = this.#enacted;
    const approves = task.quality >= SIMULATED_THRESHOLDS.minQuality;
    const panel = { client, seats: this.#city.seats(7), keep: this.#city.keep };
    const action = approves ? "APPROVE_POP" : "REJECT_POP";
    const [seat] = await seatsOnMission(panel, mission, { action });
    const { opening } = this.#requireWork(task);
    const data = approves ? encodeActionData("APPROVE_POP", [1n, WHOLE, [opening], []]) : "0x";
    await act(panel, seat === undefined ? [] : [seat], {
      action,
      mission,
      node: task.id,
      caseHash: await this.#contract.caseHash(task.id),
      because: `SIMULATED: quality ${task.quality.toFixed(2)}`,
      data,
    });
    if (!approves) this.#lose(task);
    return approves;
  }

  /** Without a ruling the review times out twice, and the attempt fails. */
  async expire(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    for (let window = 0; window < 2; window++) {
      const nodes = await Promise.all(tasks.map(({ id }) => this.#contract.nodeOf(id)));
      await this.#city.until(nodes.reduce((latest, { deadline }) => (BigInt(deadline) > latest ? BigInt(deadline) : latest), 0n) + 1n);
      for (const { id } of tasks) await this.#contract.timeout([id], this.#step("timeout", window, id));
    }
    for (const task of tasks) this.#lose(task);
  }

  /** The executor is gone or barred: the node times out, and is opened for bids again. */
  async release(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) {
      const { deadline } = await this.#contract.nodeOf(task.id);
      await this.#city.until(BigInt(deadline) + 1n);
      await this.#contract.timeout([task.id], this.#step("release", task.id));
      this.#lose(task);
    }
  }

  #lose(task: Task): void {
    const bound = this.#bound.get(task);
    if (bound !== undefined) this.#barred.set(task, [...(this.#barred.get(task) ?? []), bound.agent]);
    this.#failed.add(task);
    this.#unbid.add(task);
    this.#bound.delete(task);
    this.#bidders.delete(task);
    this.#committed.delete(task);
  }

  /** Pays recorded amounts and slashes for faults. Returns tokens paid per task. */
  async settle(tasks: readonly Task[]): Promise<Settled> {
    const paid = new Map<Task, number>();
    const slashed = new Map<Agent, number>();
    let premiums = 0;
    const due = [...new Set([...tasks, ...this.#failed])].sort((one, other) => one.id - other.id);
    for (const part of inParts(due)) {
      const nodes = await this.#claimable(part);
      if (nodes.length === 0) continue;
      const receipt = await this.#contract.claim([nodes], this.#step("claim", ...nodes));
      if (receipt === undefined) continue;
      for (const { args } of this.#contract.events(receipt, "Claimed")) {
        for (const { node, paid: fromEscrow, premium } of claimedPayments(args).executors) {
          paid.set(this.#taskAt(node), Number(fromEscrow + premium) / 1e6);
          premiums += Number(premium) / 1e6;
        }
      }
      for (const { args } of this.#city.client.agents.events(receipt, "StakeSlashed")) {
        const agent = this.#city.agentAt(args.agent);
        if (agent !== undefined) slashed.set(agent, (slashed.get(agent) ?? 0) + Number(args.amount) / 1e6);
      }
    }
    this.#failed.clear();
    return { paid, slashed, premiums };
  }

  async #claimable(tasks: readonly Task[]): Promise<number[]> {
    const nodes = await Promise.all(tasks.map(async ({ id }) => ({ id, node: await this.#contract.nodeOf(id) })));
    return nodes.filter(({ node }) => node.recorded || node.faulted).map(({ id }) => id);
  }

  /** Reopens failed tasks and those without bids in time; tasks out of attempts stay failed, and so does the mission. */
  async reopen(tasks: readonly Task[]): Promise<Task[]> {
    const opened: Task[] = [];
    for (const task of tasks) {
      try {
        await this.#contract.reopen([task.id], this.#step("reopen", task.id));
        opened.push(task);
      } catch (error) {
        if (!(error instanceof TransactionReverted)) throw error;
        if (error.errorName === "IterationsExhausted") this.#exhausted.add(task);
        // If its window is still open, it accepts bids anyway.
        else if (error.errorName === "NotAwaitingBids" && (await this.#isOpen(task))) opened.push(task);
        else throw error;
      }
    }
    return opened;
  }

  async #isOpen(task: Task): Promise<boolean> {
    const { closesAt } = await this.#city.client.execution.marketOf(this.#enacted.mission, task.id);
    return BigInt(closesAt) > this.#city.chain.clock.now();
  }

  /** Ends the mission when its time is over, and anchors the reports on the commons; returns its fees, tokens. */
  async close(root: Hash, settles: boolean): Promise<number> {
    const { client, runner, chain } = this.#city;
    const { mission } = this.#enacted;
    const state = await this.#contract.state();
    if (state < COMPLETED) {
      await this.#city.until(BigInt(await this.#contract.expiresAt()) + 1n);
      await this.#contract.abort([], this.#step("abort"));
      if ((await this.#contract.state()) < COMPLETED) {
        await this.#letTimeDecide();
        await this.#contract.abort([], this.#step("abort", "decided"));
      }
    }
    const deadline = Number(chain.clock.now()) + VALIDITY;
    const signature = await signMessage(client, runner, "Anchor", { runner: runner.address, root, deadline }, mission);
    await this.#contract.anchor([root, runner.address, deadline, signature], this.#step("anchor"));
    if (!settles) return 0;
    await this.#contract.close([], this.#step("close"));
    return Number((await this.#contract.ledger()).fees) / 1e6;
  }

  /** Committed work is decided before the mission ends: by its timeout, if no one else acts. */
  async #letTimeDecide(): Promise<void> {
    for (const { id } of this.#tasks) {
      for (;;) {
        const { state, commitMask, deadline } = await this.#contract.nodeOf(id);
        if (commitMask === 0 || nodeStates[state] === "COMPLETED" || nodeStates[state] === "FAILED") break;
        await this.#city.until(BigInt(deadline) + 1n);
        await this.#contract.timeout([id], this.#step("decide", id, state, deadline));
      }
    }
  }

  /** Figures on carrying out the law, from the chain's records. */
  async measure(): Promise<ExecutionMetrics> {
    return executionMetrics([await milestonesOf(this.#city.client, this.#enacted.mission)], false);
  }

  #require(task: Task): Bound {
    const bound = this.#bound.get(task);
    if (bound === undefined) throw new RangeError(`nobody is bound to task ${task.id}`);
    return bound;
  }

  #requireWork(task: Task): Committed {
    const work = this.#committed.get(task);
    if (work === undefined) throw new RangeError(`nothing of task ${task.id} was committed`);
    return work;
  }
}
/** Position in `enum MissionState`. */
const COMPLETED = 5;

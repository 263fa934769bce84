/** A mission of the model, on chain: what each of its calls is there, and which of its clocks ran out. */
import { type BaseContract, isError, type Signer, ZeroHash } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { Band } from "../../orchestrator/rules/law-codec.ts";
import { missionTransitions } from "../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../orchestrator/rules/transitions/node.ts";
import { directly, ethers, networkHelpers, tokens } from "../support/city-fixture.ts";
import {
  Action,
  type Mission,
  MissionState,
  onward,
  openMissionIn,
  type PeopledCity,
  packed,
  Result,
  TASK,
} from "../support/mission-fixture.ts";
import { judgedBy, stopData } from "../support/orders.ts";
import type { Call } from "./machines/mission/calls.ts";
import { type Law, type Node, nodeOf, PRICE, SLOT_BUDGET, type State } from "./machines/mission/state.ts";
import { type Timer, ticks } from "./machines/mission/time.ts";

/** One transaction, prepared: it can be tried without being sent. */
interface Prepared {
  readonly from: Signer;
  readonly to: BaseContract;
  readonly method: string;
  readonly args: readonly unknown[];
}

const WEEK = 604_800;
const FORGOTTEN = 256;
/** Long past every edge of a clock. */
const SLACK = 5n;
const MANDATE = hexSchema.parse(`0x${"33".repeat(32)}`);

export class RealMission {
  readonly #m: Mission;
  readonly #law: Law;
  readonly #silence: bigint;

  private constructor(m: Mission, law: Law, silence: bigint) {
    this.#m = m;
    this.#law = law;
    this.#silence = silence;
  }

  static async open(city: PeopledCity, law: Law, silence: bigint): Promise<RealMission> {
    const nodes = law.nodes.map(({ tier, redundancy, threshold, predecessors }) => ({
      ...TASK,
      tier,
      redundancy,
      threshold,
      predecessors: BigInt(predecessors),
      panelSize: tier === 2 ? 3 : 1,
      band: Band.MODERATE,
      budget: BigInt(SLOT_BUDGET * redundancy),
    }));
    const params = {
      maxRefinementIterations: law.refinements,
      escalationFreezeCount: 1,
      reputationScaling: false,
    };
    const m = await openMissionIn(city, { nodes, params, duration: WEEK, anchorInterval: 300, outputPredicate: law.releases ? 0 : 1 });
    if (law.features.has("appeals")) {
      for (const appellant of [city.sponsor, ...city.workers.map(({ agent }) => agent)]) {
        await city.fund(appellant, m.address, tokens(100));
      }
    }
    return new RealMission(await m.activate(), law, silence);
  }

  // --- Calls ---------------------------------------------------------------------------------------------------------

  /** Whether the chain takes the call now; nothing is sent. */
  async takes(call: Call, state: State): Promise<boolean> {
    const [first] = await this.#prepare(call, state);
    if (first === undefined) return false;
    const { from, to, method, args } = first;
    try {
      await to
        .connect(from)
        .getFunction(method)
        .staticCall(...args);
      return true;
    } catch (error) {
      if (isError(error, "CALL_EXCEPTION") || (error instanceof Error && /reverted/.test(error.message))) return false;
      throw error;
    }
  }

  async send(call: Call, state: State): Promise<void> {
    for (const { from, to, method, args } of await this.#prepare(call, state)) {
      await to.connect(from).getFunction(method)(...args);
    }
  }

  async #prepare(call: Call, state: State): Promise<Prepared[]> {
    const m = this.#m;
    const { city, contract } = m;
    const node = call.node ?? 0;
    const plain = (method: string, ...args: unknown[]): Prepared[] => [{ from: city.deployer, to: contract, method, args }];
    const by = (from: Signer, method: string, ...args: unknown[]): Prepared[] => [{ from, to: contract, method, args }];
    const override = async (action: number, data = "0x"): Promise<Prepared[]> =>
      by(
        await city.as("ADJUDICATION"),
        "onOverride",
        action,
        node,
        m.address,
        await stopData(contract, action, node, data),
        await judgedBy(contract, action, node),
      );
    const is = nodeOf(state, node);
    switch (call.call) {
      case "bid":
        return this.#bids(node, is);
      case "award":
        return [{ from: city.deployer, to: city.execution, method: "award", args: [m.address, [node]] }];
      case "route":
        return plain("route", ...(await this.#start(node, is)));
      case "mismatch":
        return is.market.window === "awarded" ? plain("mismatch", ...(await this.#otherCode(node, is))) : [];
      case "checkpoint":
        return is.market.window === "awarded" ? plain("checkpoint", await m.wave([node])) : [];
      case "commit":
        return this.#commit(node, is);
      case "reveal":
        return is.commits === 0 ? [] : plain("reveal", node, is.reveals, await m.opening(node, Math.min(is.reveals, is.commits - 1)));
      case "clear PASS":
        return plain("clear", packed(await this.#verdict(node, is, {})));
      case "clear dissent":
        return plain("clear", packed(await this.#verdict(node, is, { agreeing: 1 })));
      case "clear FAIL":
        return plain("clear", packed(await this.#verdict(node, is, { result: Result.FAIL, score: 0 })));
      case "clear DISPUTED":
        return plain("clear", packed(await this.#verdict(node, is, { confidence: 1 })));
      case "clear UNVERIFIABLE":
        return plain("clear", packed(await this.#verdict(node, is, { result: Result.ABSTAIN })));
      case "timeout":
      case "redraw":
      case "reopen":
        return plain(call.call, node);
      case "claim":
        return plain("claim", [node]);
      case "expire":
      case "abort":
      case "refund":
      case "close":
        return plain(call.call);
      case "report": {
        const from = call.who === "monitor" ? city.monitor : is.market.window === "awarded" ? await this.#lastToCommit(node) : city.sponsor;
        return by(from, "report", node, ZeroHash, 1);
      }
      case "degrade":
        return by(city.monitor, "degrade", 0);
      case "appeal": {
        const attempt = call.attempt ?? 0;
        const party = call.party === "sponsor" ? city.sponsor : this.#worker(node, attempt, 0).agent;
        return by(party, "appeal", node, attempt, ZeroHash, directly(party));
      }
      case "APPROVE_POP":
        return override(Action.APPROVE_POP, is.at === "PENDING_REVIEW" ? await this.#approval(node) : "0x");
      case "RESUME_WITH_AMENDMENT":
        return override(Action.RESUME_WITH_AMENDMENT, encodeActionData("RESUME_WITH_AMENDMENT", [MANDATE]));
      case "RELEASE_OUTPUT":
        return override(Action.RELEASE_OUTPUT, is.at === "PENDING_REVIEW" ? await m.release(node) : "0x");
      case "RESOLVE_APPEAL dismissed":
        return override(Action.RESOLVE_APPEAL, this.#ruling(is, call.attempt ?? 0, false));
      case "RESOLVE_APPEAL upheld":
        return override(Action.RESOLVE_APPEAL, this.#ruling(is, call.attempt ?? 0, true));
      case "activate":
        return by(m.legislature, "activate");
      default:
        return override(Action[call.call]);
    }
  }

  /** Who bids in an attempt: other principals than in every other attempt and node. */
  #worker(node: number, attempt: number, slot: number) {
    const { redundancy } = this.#m.node(node);
    return this.#m.worker((node * (this.#law.refinements + 1) + attempt) * redundancy + slot);
  }

  /** Slots commit in their order. */
  async #lastToCommit(node: number) {
    return (await this.#m.executorOf(node, this.#m.node(node).redundancy - 1)).agent;
  }

  async #bids(node: number, { attempt }: Node): Promise<Prepared[]> {
    const { city, address } = this.#m;
    const prepared: Prepared[] = [];
    for (let slot = 0; slot < this.#m.node(node).redundancy; slot++) {
      const { agent, service, record } = this.#worker(node, attempt, slot);
      const offer = { mission: address, node, service, price: BigInt(PRICE) };
      const deadline = await this.#m.soon();
      const message = { ...offer, agent: agent.address, nonce: await city.execution.nonceOf(agent.address), deadline };
      const signature = await city.sign("Bid", city.addresses.EXECUTION, message, agent);
      const args = [offer, { agent: agent.address, deadline, signature }, this.#m.shownBy(record, node)];
      prepared.push({ from: city.deployer, to: city.execution, method: "bid", args });
    }
    return prepared;
  }

  /** After a freeze only the slots that have not committed start again. */
  async #start(node: number, is: Node) {
    if (is.market.window !== "awarded" || is.closed) return onward(node);
    const slots = Array.from({ length: this.#m.node(node).redundancy }, (_, slot) => slot).slice(is.commits);
    return this.#m.start([node], { slots });
  }

  #otherCode(node: number, is: Node) {
    return this.#m.otherCode(node, { slot: Math.min(is.commits, this.#m.node(node).redundancy - 1) });
  }

  async #commit(node: number, is: Node): Promise<Prepared[]> {
    const m = this.#m;
    if (is.market.window !== "awarded") return [];
    const slot = Math.min(is.commits, m.node(node).redundancy - 1);
    const { agent } = await m.executorOf(node, slot);
    const from = agent;
    const deadline = await m.soon();
    if (m.node(node).tier === 2) {
      return [{ from, to: m.contract, method: "commit", args: [node, slot, await m.commitmentOf(node, slot), deadline, "0x"] }];
    }
    return [{ from, to: m.contract, method: "commitOpen", args: [node, slot, await m.opening(node, slot), deadline, "0x"] }];
  }

  /** Where no panel is drawn nobody can say anything. */
  async #verdict(node: number, { at, stale }: Node, options: Parameters<Mission["clearOrder"]>[1]) {
    if (at !== "PENDING_VERIFICATION" || stale) return { node, openings: [], verdicts: [], items: [] };
    return this.#m.clearOrder(node, options);
  }

  async #approval(node: number) {
    const m = this.#m;
    const openings = [];
    for (let slot = 0; slot < m.node(node).redundancy; slot++) openings.push(await m.opening(node, slot));
    const item = await m.item(node, 0);
    return encodeActionData("APPROVE_POP", [1n, 10_000, openings, [{ ...item, signature: hexSchema.parse(item.signature) }]]);
  }

  #ruling({ appeals }: Node, attempt: number, upheld: boolean) {
    const filed = appeals[attempt]?.filed.length ?? 0;
    const ruling = { attempt, filed, upheld: upheld ? (1 << filed) - 1 : 0, share: 0, slash: 0n, culprits: 0 };
    return encodeActionData("RESOLVE_APPEAL", [ruling]);
  }

  // --- Time ----------------------------------------------------------------------------------------------------------

  /** A second and a block pass, so that no two calls share them. */
  async breathe(): Promise<void> {
    await networkHelpers.time.increaseTo((await this.#m.city.now()) + 1n);
  }

  /** Until the clock ran out, and well past it. */
  async wait(timer: Timer): Promise<void> {
    if (timer.of === "block") await networkHelpers.mine(FORGOTTEN + 2, { interval: 0 });
    else await networkHelpers.time.increaseTo((await this.#endOf(timer)) + this.#silence + SLACK);
  }

  /** The model's state, with every clock over that is over on chain. */
  async timed(state: State): Promise<State> {
    for (const { timer, next } of ticks(this.#law, state)) if (await this.#isOver(timer)) return this.timed(next);
    return state;
  }

  async #isOver(timer: Timer): Promise<boolean> {
    if (timer.of !== "block") return (await this.#m.city.now()) >= (await this.#endOf(timer));
    const { drawBlock } = await this.#m.contract.nodeOf(timer.node);
    return BigInt(await ethers.provider.getBlockNumber()) >= drawBlock + BigInt(FORGOTTEN);
  }

  async #endOf({ of, node, attempt }: Timer): Promise<bigint> {
    const { contract, city, address } = this.#m;
    if (of === "mission") return contract.expiresAt();
    if (of === "humans") return this.#patience();
    if (of === "bidding") return (await city.execution.marketOf(address, node)).closesAt;
    if (of === "window") return (await contract.entitlementOf(node, 0)).claimableAt;
    if (of === "fault") return (await contract.faultOf(node, attempt)).dueAt;
    if (of === "appeals") return (await contract.appealsOf(node, attempt)).until;
    return (await contract.nodeOf(node)).deadline;
  }

  /** Until when humans are waited for, in a silence or in a stop. */
  async #patience(): Promise<bigint> {
    const { contract } = this.#m;
    const { degradedUntil, stoppedAt } = await contract.watch();
    if ((await contract.state()) === MissionState.DEGRADED) return degradedUntil;
    return stoppedAt + 2n * (await contract.context()).params.maxHumanReviewTimeout;
  }

  // --- Comparison ----------------------------------------------------------------------------------------------------

  /** What the chain says of all that the model says, in the model's words. */
  async shape() {
    const { contract, city, address } = this.#m;
    const [ledger, { stopped, ending }] = await Promise.all([contract.ledger(), contract.watch()]);
    const nodes = [];
    for (const i of this.#law.nodes.keys()) {
      const { state, attempt, recorded, faulted } = await contract.nodeOf(i);
      nodes.push({ at: nodeTransitions.states[Number(state)], attempt: Number(attempt), recorded, faulted });
    }
    return {
      at: missionTransitions.states[Number(await contract.state())],
      stopped,
      ending,
      closed: ledger.closed,
      nodes,
      books: {
        entitled: Number(ledger.entitled),
        refunded: Number(ledger.refunded),
        refundable: Number(ledger.refundable),
        paid: Number(ledger.paid),
        fees: Number(ledger.fees),
        insurance: Number(ledger.insurance),
        bonds: Number(ledger.bonds),
        balance: Number(await city.token.balanceOf(address)),
      },
    };
  }
}

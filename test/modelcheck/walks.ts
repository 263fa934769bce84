/** Random walks of a real mission beside its model: whatever one allows or refuses, the other must. */
import { type RandomStream, randomStream } from "../../orchestrator/primitives/random.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { loadPeopledCity, type PeopledCity } from "../support/mission-fixture.ts";
import { type Call, callsUnder, refundable } from "./machines/mission/calls.ts";
import { GUARDS, MISSING, type Rules, TABLES } from "./machines/mission/guards.ts";
import { attempted, labelOf } from "./machines/mission/mission.ts";
import { deployed, isFaulted, type Law, nodeOf, type State } from "./machines/mission/state.ts";
import { type Tick, ticks } from "./machines/mission/time.ts";
import { RealMission } from "./real-mission.ts";

export interface Walked {
  /** What the two did not agree about, each with the way there. */
  readonly differences: readonly string[];
  readonly tried: number;
  readonly allowed: number;
  /** Calls that were made, and how often. */
  readonly made: ReadonlyMap<string, number>;
}

export interface WalkOptions {
  readonly law: Law;
  readonly seed: number;
  readonly steps: number;
  /** Steps at the beginning that are not tried call by call. */
  readonly unseen?: number;
}

/** The rules as the contracts have them today. */
const rulesUnder = (law: Law): Rules => ({ law, without: new Set(GUARDS.filter((name) => MISSING.includes(name))), tables: TABLES });

type Step = Call | Tick;

/** Wanders at random, trying every call after the unseen steps; stops where the two differ. */
export async function walk({ law, seed, steps, unseen = 0 }: WalkOptions): Promise<Walked> {
  const beside = await Beside.start(law);
  const random = randomStream("model and contract", seed);
  for (let step = 0; step < steps && beside.differences.length === 0; step++) {
    if (step >= unseen) await beside.tryAll();
    const move = choose(beside, random);
    if (move === undefined) break;
    await beside.make(move);
  }
  return beside;
}

/** Goes a way that the model found, but for its last step: whether the chain would take that. */
export async function wouldTake(law: Law, trace: readonly string[]): Promise<boolean> {
  const beside = await Beside.start(law);
  // The first is the activation.
  for (const label of trace.slice(1, -1)) {
    const step = beside.steps().find((one) => nameOf(one) === label);
    if (step === undefined) throw new Error(`the model has no step "${label}" after ${beside.trace.join(" → ")}`);
    await beside.make(step);
  }
  if (beside.differences.length > 0) throw new Error(beside.differences.join("; "));
  const call = beside.calls.find((one) => labelOf(one) === trace.at(-1));
  if (call === undefined) throw new Error(`"${trace.at(-1)}" is no call`);
  return beside.real.takes(call, beside.state);
}

const nameOf = (step: Step): string => ("timer" in step ? step.label : labelOf(step));

/** A real mission and its model, kept in step. */
class Beside implements Walked {
  readonly real: RealMission;
  readonly rules: Rules;
  readonly calls: readonly Call[];
  readonly trace: string[] = [];
  readonly differences: string[] = [];
  readonly made = new Map<string, number>();
  tried = 0;
  allowed = 0;
  state: State;

  private constructor(real: RealMission, law: Law) {
    this.real = real;
    this.rules = rulesUnder(law);
    // Who deploys a mission activates it.
    this.calls = callsUnder(law).filter(({ call }) => call !== "activate");
    this.state = activated(this.rules);
  }

  static async start(law: Law): Promise<Beside> {
    const city = await loadPeopledCity();
    const beside = new Beside(await RealMission.open(city, law, await silenceOf(city, law)), law);
    await beside.#catchUp();
    return beside;
  }

  /** What the model allows next. */
  steps(): readonly Step[] {
    return [...this.open(), ...ticks(this.rules.law, this.state)];
  }

  open(): readonly Call[] {
    return this.calls.filter((call) => attempted(this.rules, call, this.state) !== undefined);
  }

  /** Every call there is, without making it. */
  async tryAll(): Promise<void> {
    const open = new Set(this.open());
    for (const call of this.calls) {
      // Nobody is kept from bidding beside another.
      if (call.call === "bid" && nodeOf(this.state, call.node ?? 0).market.bids) continue;
      const takes = await this.real.takes(call, this.state);
      this.tried += 1;
      if (takes) this.allowed += 1;
      if (takes !== open.has(call)) this.#differ(`${labelOf(call)} is ${takes ? "taken" : "refused"} on chain alone`);
    }
  }

  async make(step: Step): Promise<void> {
    const label = nameOf(step);
    this.trace.push(label);
    this.made.set(label, (this.made.get(label) ?? 0) + 1);
    if ("timer" in step) {
      await this.real.wait(step.timer);
    } else {
      await this.real.send(step, this.state);
      this.state = attempted(this.rules, step, this.state) ?? this.state;
    }
    await this.#catchUp();
    const [expected, found] = [JSON.stringify(shapeOf(this.rules.law, this.state)), JSON.stringify(await this.real.shape())];
    if (expected !== found) this.#differ(`the model has ${expected}, the chain ${found}`);
  }

  async #catchUp(): Promise<void> {
    await this.real.breathe();
    this.state = await this.real.timed(this.state);
  }

  #differ(what: string): void {
    this.differences.push(`${what}, after ${this.trace.join(" → ")}`);
  }
}

function activated(rules: Rules): State {
  const activation = callsUnder(rules.law).find(({ call }) => call === "activate");
  const state = activation && attempted(rules, activation, deployed(rules.law));
  if (state === undefined) throw new Error("the model has no activation");
  return state;
}

/** A monitor can tell of a silence only when it lasted this long. */
async function silenceOf({ constitution }: PeopledCity, law: Law): Promise<bigint> {
  return law.features.has("silence") ? constitution.param(parameterIndex("DEGRADED_MODE_THRESHOLD")) : 0n;
}

/** Work is usual, ends and idle calls are rare: so that walks are long. */
const WEIGHTS: Partial<Record<Call["call"], number>> = {
  bid: 72,
  award: 72,
  route: 72,
  checkpoint: 18,
  commit: 72,
  reveal: 72,
  appeal: 72,
  reopen: 48,
  UNFREEZE: 36,
  RESUME_WITH_AMENDMENT: 36,
  CLEAR_EMERGENCY_STOP: 36,
  report: 9,
  FREEZE: 6,
  claim: 9,
  EMERGENCY_STOP: 4,
  VETO_OUTPUT: 4,
  refund: 6,
  abort: 6,
  TERMINATE_MISSION: 1,
};
const USUAL = 24;

/** Undefined when nothing is left to happen. */
function choose(beside: Beside, random: RandomStream): Step | undefined {
  const { state, rules } = beside;
  const idle = ({ call, node }: Call) => call === "award" && !nodeOf(state, node ?? 0).market.bids;
  const draws: Step[] = beside.open().flatMap((call) => Array.from({ length: idle(call) ? 1 : (WEIGHTS[call.call] ?? USUAL) }, () => call));
  const waits = [...ticks(rules.law, state)];
  // The mission's own end is waited for when there is little else.
  for (const tick of waits) draws.push(...Array.from({ length: tick.timer.of === "mission" ? 1 : USUAL }, () => tick));
  return draws.length === 0 ? undefined : random.pick(draws);
}

/** What both can tell. */
function shapeOf(law: Law, state: State) {
  const { entitled, refunded, paid, fees, insurance, bonds, balance } = state.books;
  return {
    at: state.at,
    stopped: state.stopped,
    ending: state.ending,
    closed: state.closed,
    nodes: state.nodes.map((node) => ({ at: node.at, attempt: node.attempt, recorded: node.recorded, faulted: isFaulted(node) })),
    books: { entitled, refunded, refundable: refundable(law, state), paid, fees, insurance, bonds, balance },
  };
}

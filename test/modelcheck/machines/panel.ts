/** The override panel: seats, who may sign what, rotation, the senior's path, the stop, and the watchdog over all of it. */
import { approvesTooMuch, judgeConduct, NOTHING, weakensTooMuch } from "../../../orchestrator/rules/conduct-record.ts";
import type { Machine, Move } from "../explore.ts";

/** Three seats, the longest held first, a quorum of three; the watchdog warns at the second approval in a row and at the first weakening. */
const SEATS = 3;
const QUORUM = 3;
const SOLE_LIMIT = 2;
const LIMITS = { window: 30n, rate: 100n, consecutive: 1n, weakenings: 0n };
const TODAY = 1n;
const RUN_CAP = 2;

interface Seat {
  readonly standing: "seated" | "resigned" | "impeached";
  /** Its principal takes part in the mission. */
  readonly conflicted: boolean;
  /** Approvals since its last rejection. */
  readonly run: number;
  readonly approvalWarned: boolean;
  readonly weakeningWarned: boolean;
}

type Action =
  | "APPROVE_POP"
  | "REJECT_POP"
  | "EMERGENCY_STOP"
  | "CLEAR_EMERGENCY_STOP"
  | "WEAKEN"
  | "IMPEACH"
  | "AUDIT_UNILATERAL"
  | "RELEASE_WATCHDOG";

/** Of whoever approved alone last, and how often in a row. */
interface Run {
  readonly who: number;
  readonly length: number;
}

interface State {
  readonly seats: readonly Seat[];
  readonly rotation: Run;
  readonly stopped: boolean;
  /** Who acted alone and was not audited since; -1 if nobody. */
  readonly unaudited: number;
  readonly frozen: "no" | "yes" | "for too long";
  /** Ghosts: what must never have happened. `alone` counts sole approvals by itself. */
  readonly alone: Run;
  readonly wrongs: readonly Wrong[];
}

const WRONGS = {
  conflicted: "21 a conflicted adjudicator never acts",
  frozen: "22 watchdog-frozen ⇒ nothing but release and impeachment executes",
  cleared: "two lift a stop, or the senior whom too few could join",
  void: "who lost its seat signs nothing",
  unaudited: "the senior acts alone once, then is audited by others",
  released: "a freeze is lifted by two, none of them flagged",
  impeached: "nobody is impeached by fewer than two thirds, or with its own signature",
} as const;
type Wrong = keyof typeof WRONGS;

export const PANEL_GUARDS = [
  "a third sole approval in a row is somebody else's",
  "who took part does not judge",
  "only seats sign",
  "two signatures lift a stop",
  "the senior is audited before it acts alone again",
  "a frozen panel only releases and impeaches",
  "two thirds impeach",
  "two of those who are not flagged release",
  "the last two seats are kept",
] as const;
export type PanelGuard = (typeof PANEL_GUARDS)[number];

/** Where each is missed. */
export const NEEDED_BY: Readonly<Record<PanelGuard, Business>> = {
  "a third sole approval in a row is somebody else's": "missions",
  "who took part does not judge": "missions",
  "only seats sign": "missions",
  "two signatures lift a stop": "missions",
  "the senior is audited before it acts alone again": "missions",
  "a frozen panel only releases and impeaches": "watchdog",
  "two thirds impeach": "missions",
  "two of those who are not flagged release": "watchdog",
  "the last two seats are kept": "watchdog",
};

/** Guards that the contracts do not have yet. Empty is what it should be. */
export const PANEL_MISSING: readonly PanelGuard[] = [];

const NOBODY: Run = { who: -1, length: 0 };
const SEATED: Seat = { standing: "seated", conflicted: false, run: 0, approvalWarned: false, weakeningWarned: false };
const INITIAL: State = {
  seats: Array.from({ length: SEATS }, () => SEATED),
  rotation: NOBODY,
  stopped: false,
  unaudited: -1,
  frozen: "no",
  alone: NOBODY,
  wrongs: [],
};

/** Which half of its business is looked at: each alone is small. */
export type Business = "missions" | "watchdog";
const ACTIONS: Readonly<Record<Business, readonly Action[]>> = {
  missions: ["APPROVE_POP", "EMERGENCY_STOP", "CLEAR_EMERGENCY_STOP", "IMPEACH", "AUDIT_UNILATERAL"],
  watchdog: ["APPROVE_POP", "REJECT_POP", "WEAKEN", "IMPEACH", "RELEASE_WATCHDOG"],
};
const ON_MISSION: readonly Action[] = ["APPROVE_POP", "REJECT_POP", "EMERGENCY_STOP", "CLEAR_EMERGENCY_STOP"];
const PASSES_FREEZE: readonly Action[] = ["RELEASE_WATCHDOG", "IMPEACH"];

const isSeated = ({ standing }: Seat): boolean => standing === "seated";
const isFlagged = ({ approvalWarned, weakeningWarned }: Seat): boolean => approvalWarned || weakeningWarned;
const count = (seats: readonly Seat[], holds: (seat: Seat) => boolean): number => seats.filter(holds).length;
const thirds = (n: number): number => Math.floor((2 * n + 2) / 3);
const supermajority = (seats: readonly Seat[]): number => thirds(count(seats, isSeated));
const changed = (state: State, index: number, change: Partial<Seat>): State => ({
  ...state,
  seats: state.seats.map((seat, i) => (i === index ? { ...seat, ...change } : seat)),
});

export function panel(business: Business, without: readonly PanelGuard[] = []): Machine<State> {
  const has = (guard: PanelGuard, condition: boolean): boolean => condition || without.includes(guard);

  function needed(state: State, action: Action): number {
    const unflagged = count(state.seats, (seat) => isSeated(seat) && !isFlagged(seat));
    if (action === "IMPEACH") return without.includes("two thirds impeach") ? 1 : supermajority(state.seats);
    if (action === "RELEASE_WATCHDOG") {
      const most = state.frozen === "for too long" ? thirds(unflagged) : unflagged;
      return without.includes("two of those who are not flagged release") ? most : Math.max(2, most);
    }
    if (action === "AUDIT_UNILATERAL") return 2;
    return action === "CLEAR_EMERGENCY_STOP" && !without.includes("two signatures lift a stop") ? 2 : 1;
  }

  /** `target` of an impeachment or an audit. */
  function maySign({ seats }: State, action: Action, signer: number, target: number): boolean {
    const seat = seats[signer];
    if (seat === undefined || !has("only seats sign", isSeated(seat))) return false;
    if (ON_MISSION.includes(action)) return has("who took part does not judge", !seat.conflicted);
    return action === "RELEASE_WATCHDOG" ? !isFlagged(seat) : signer !== target;
  }

  /** On a mission, when too few others could sign, and never twice unaudited. */
  function mayActAlone({ seats, unaudited }: State, action: Action, signer: number): boolean {
    const free = count(seats, (seat) => isSeated(seat) && !seat.conflicted);
    const audited = has("the senior is audited before it acts alone again", unaudited < 0);
    return ON_MISSION.includes(action) && signer === seats.findIndex(isSeated) && audited && free < Math.floor((QUORUM + 1) / 2);
  }

  function act(state: State, action: Action, signers: readonly number[], target = -1): State | undefined {
    const [first = -1] = signers;
    if (!PASSES_FREEZE.includes(action) && !has("a frozen panel only releases and impeaches", state.frozen === "no")) return undefined;
    if (!signers.every((signer) => maySign(state, action, signer, target))) return undefined;
    const alone = signers.length < needed(state, action);
    if (signers.length === 0 || (alone && !(signers.length === 1 && mayActAlone(state, action, first)))) return undefined;
    const third = state.rotation.who === first && state.rotation.length >= SOLE_LIMIT;
    const rotates = action === "APPROVE_POP" && business === "missions";
    if (rotates && signers.length === 1 && !has("a third sole approval in a row is somebody else's", !third)) return undefined;
    const carried = carryOut(state, action, target);
    if (carried === undefined) return undefined;
    const noted = business === "watchdog" ? note(carried, action, signers) : carried;
    return {
      ...noted,
      rotation: rotates ? next(state.rotation, signers, SOLE_LIMIT) : state.rotation,
      unaudited: alone ? first : noted.unaudited,
      alone: rotates ? next(state.alone, signers, SOLE_LIMIT + 1) : state.alone,
      wrongs: [...new Set([...state.wrongs, ...wrongsOf(state, action, signers, alone, target)])].sort(),
    };
  }

  function* moves(state: State): Iterable<Move<State>> {
    for (const action of ACTIONS[business]) {
      const targets = action === "IMPEACH" ? [...state.seats.keys()] : [action === "AUDIT_UNILATERAL" ? state.unaudited : -1];
      for (const target of targets) {
        for (const signers of SUBSETS) {
          const reached = act(state, action, signers, target);
          if (reached === undefined) continue;
          const whom = action === "IMPEACH" ? ` ${target}` : "";
          yield { label: `adjudicators ${signers.join("+")}: ${action}${whom}`, next: reached };
        }
      }
    }
    for (const [i, seat] of state.seats.entries()) {
      if (isSeated(seat)) {
        if (has("the last two seats are kept", count(state.seats, isSeated) > 2))
          yield { label: `adjudicator ${i}: resign`, next: changed(state, i, { standing: "resigned" }) };
      }
      if (business === "missions" && !seat.conflicted) {
        yield { label: `principal of ${i}: takes part in the mission`, next: changed(state, i, { conflicted: true }) };
      }
    }
    if (state.frozen === "yes") yield { label: "time: the freeze lasts too long", next: { ...state, frozen: "for too long" } };
    if (state.seats.some(isFlagged)) {
      const seats = state.seats.map((seat) => ({ ...seat, approvalWarned: false, weakeningWarned: false, run: 0 }));
      yield { label: "time: two windows pass", next: { ...state, seats } };
    }
  }

  return {
    name: `panel: ${business}`,
    about: `${SEATS} seats: ${ACTIONS[business].join(", ")}, resignations`,
    initial: INITIAL,
    moves,
    key: keyOf,
    invariants: [
      { name: "20 never a third sole approval in a row", holds: ({ alone }) => alone.length <= SOLE_LIMIT },
      ...Object.entries(WRONGS).map(([wrong, name]) => ({ name, holds: ({ wrongs }: State) => !wrongs.some((one) => one === wrong) })),
    ],
    end: ({ frozen }) => frozen === "no",
  };
}

/** A shared approval or a colleague's ends a run. */
function next(run: Run, signers: readonly number[], most: number): Run {
  const [first = -1] = signers;
  if (signers.length !== 1) return NOBODY;
  return run.who === first ? { who: first, length: Math.min(most, run.length + 1) } : { who: first, length: 1 };
}

function carryOut(state: State, action: Action, target: number): State | undefined {
  if (action === "EMERGENCY_STOP") return state.stopped ? undefined : { ...state, stopped: true };
  if (action === "CLEAR_EMERGENCY_STOP") return state.stopped ? { ...state, stopped: false } : undefined;
  if (action === "AUDIT_UNILATERAL") return state.unaudited < 0 ? undefined : { ...state, unaudited: -1 };
  if (action === "IMPEACH") {
    const own = state.seats[target];
    return own === undefined || own.standing === "impeached" ? undefined : changed(state, target, { standing: "impeached" });
  }
  if (action !== "RELEASE_WATCHDOG") return state;
  if (state.frozen === "no") return undefined;
  // Who was flagged starts anew.
  const seats = state.seats.map((seat) => (isFlagged(seat) ? { ...seat, run: 0, approvalWarned: false, weakeningWarned: false } : seat));
  return { ...state, frozen: "no", seats };
}

/** What the watchdog makes of it: the real `judgeConduct` of rules/conduct-record.ts. */
function note(state: State, action: Action, signers: readonly number[]): State {
  const approves = action === "APPROVE_POP";
  const rejects = action === "REJECT_POP";
  const weakens = action === "WEAKEN";
  if (!approves && !rejects && !weakens) return state;
  let noted = state;
  for (const signer of signers) {
    const seat = noted.seats[signer] ?? SEATED;
    const run = rejects ? 0 : Math.min(RUN_CAP, seat.run + (approves ? 1 : 0));
    const tally = { ...NOTHING, approvals: BigInt(run), decisions: BigInt(run), weakenings: weakens || seat.weakeningWarned ? 1n : 0n };
    const found = judgeConduct(
      { approval: seat.approvalWarned ? TODAY : 0n, weakening: seat.weakeningWarned ? TODAY : 0n },
      { approval: approvesTooMuch(tally, BigInt(run), LIMITS), weakening: weakensTooMuch(tally, LIMITS) },
      TODAY,
      LIMITS.window,
    );
    const warned = { run, approvalWarned: found.warnings.approval !== 0n, weakeningWarned: found.warnings.weakening !== 0n };
    const judged = changed(noted, signer, warned);
    noted = found.freezes && judged.frozen === "no" ? { ...judged, frozen: "yes" } : judged;
  }
  return noted;
}

function wrongsOf(state: State, action: Action, signers: readonly number[], alone: boolean, target: number): Wrong[] {
  const by = (holds: (seat: Seat) => boolean) => signers.some((signer) => holds(state.seats[signer] ?? SEATED));
  const free = count(state.seats, (seat) => isSeated(seat) && !seat.conflicted);
  const wrongs: Wrong[] = [];
  if (ON_MISSION.includes(action) && by(({ conflicted }) => conflicted)) wrongs.push("conflicted");
  if (state.frozen !== "no" && !PASSES_FREEZE.includes(action)) wrongs.push("frozen");
  if (action === "CLEAR_EMERGENCY_STOP" && signers.length < 2 && free >= 2) wrongs.push("cleared");
  if (by((seat) => !isSeated(seat))) wrongs.push("void");
  if (alone && state.unaudited >= 0) wrongs.push("unaudited");
  if (action === "RELEASE_WATCHDOG" && (signers.length < 2 || by(isFlagged))) wrongs.push("released");
  if (action === "IMPEACH" && (signers.length * 3 < 2 * count(state.seats, isSeated) || signers.includes(target))) wrongs.push("impeached");
  return wrongs;
}

const SUBSETS: readonly (readonly number[])[] = Array.from({ length: 2 ** SEATS - 1 }, (_, mask) =>
  Array.from({ length: SEATS }, (__, i) => i).filter((i) => (((mask + 1) >> i) & 1) === 1),
);

const keyOf = ({ seats, rotation, stopped, unaudited, frozen, alone, wrongs }: State): string =>
  [
    ...seats.map((s) => `${s.standing}${Number(s.conflicted)}${s.run}${Number(s.approvalWarned)}${Number(s.weakeningWarned)}`),
    `${rotation.who}${rotation.length}${alone.who}${alone.length}`,
    `${stopped}${unaudited}${frozen}${wrongs.join()}`,
  ].join("|");

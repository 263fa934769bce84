import { CLAIM_TYPES, type ClaimType, digestOf } from "../../../orchestrator/attestation/claims.ts";
import type { LifecycleEvent } from "../../../orchestrator/attestation/events.ts";
import { advance, type ClaimRecord, LIFECYCLE_RULES, LifecycleRefused } from "../../../orchestrator/attestation/lifecycle.ts";
import { OUTCOME_STATUSES } from "../../../orchestrator/attestation/outcome.ts";
import { EMPTY_TRAIL, type TrailEntry, type TrailHead } from "../../../orchestrator/attestation/trail.ts";
import type { Invariant, Machine, Move } from "../explore.ts";

/** The bounds under which the paper's state counts were published (Pramana 6.2), with one agent, source and verifier. */
const CLAIMS = ["c1", "c2"] as const;
const TRAIL_CAP = 6;
const AT = "2026-01-01T00:00:00.000Z";
const DIGEST = digestOf(new Uint8Array());

interface State {
  readonly claims: Readonly<Record<string, ClaimRecord>>;
  readonly trail: readonly TrailEntry[];
}
export type Advance = typeof advance;

const eventsOf = (state: State, claim: string, action: LifecycleEvent["action"]) =>
  state.trail.map(({ event }) => event).filter((event) => event.claim === claim && event.action === action);

const everyClaim = (holds: (record: ClaimRecord, state: State, claim: string) => boolean) => (state: State) =>
  Object.entries(state.claims).every(([claim, record]) => holds(record, state, claim));

const INVARIANTS: readonly Invariant<State>[] = [
  { name: "P-1 single emission", holds: everyClaim((_record, state, claim) => eventsOf(state, claim, "emit").length === 1) },
  { name: "P-2 one terminal state", holds: everyClaim((_record, state, claim) => eventsOf(state, claim, "verify").length <= 1) },
  {
    name: "P-3 audit complete",
    holds: everyClaim((record, state, claim) => {
      const verified = eventsOf(state, claim, "verify").some((event) => event.action === "verify" && event.status === record.status);
      const shown = new Set(eventsOf(state, claim, "show").map((event) => (event.action === "show" ? event.principal : "")));
      return (
        verified === (record.status !== "emitted") &&
        eventsOf(state, claim, "suppress").length === (record.suppressed ? 1 : 0) &&
        shown.size === record.shownTo.length &&
        record.shownTo.every((principal) => shown.has(principal))
      );
    }),
  },
  {
    name: "P-4 shown, therefore emitted, verified and disclosed",
    holds: everyClaim(
      (record, state, claim) =>
        record.shownTo.length === 0 ||
        (["emit", "verify", "show"] as const).every((action) => eventsOf(state, claim, action).length > 0 && record.status === "verified"),
    ),
  },
  { name: "never both suppressed and shown", holds: everyClaim(({ suppressed, shownTo }) => !suppressed || shownTo.length === 0) },
  {
    name: "only what did not hold is suppressed",
    holds: everyClaim(({ suppressed, status }) => !suppressed || status === "rejected" || status === "unverifiable"),
  },
];

/** Who acts. Attesters are interchangeable, and so are verifiers. */
interface Actors {
  readonly attesters: readonly string[];
  readonly verifiers: readonly string[];
  readonly principals: readonly string[];
  readonly types: readonly ClaimType[];
}
const ONE: Actors = { attesters: ["agent"], verifiers: ["verifier"], principals: [], types: CLAIM_TYPES };
const TWO: Actors = {
  attesters: ["agent", "other agent"],
  verifiers: ["verifier", "other verifier"],
  principals: ["principal"],
  types: ["citation", "measurement"],
};

/** Everything anybody could try next. */
function eventsFor(claim: string, { attesters, verifiers, principals, types }: Actors): LifecycleEvent[] {
  return [
    ...attesters.flatMap((attester) => types.map((claimType) => ({ action: "emit", claim, claimType, attester, digest: DIGEST }) as const)),
    ...verifiers.flatMap((verifier) => OUTCOME_STATUSES.map((status) => ({ action: "verify", claim, status, verifier }) as const)),
    { action: "suppress", claim },
    ...principals.map((principal) => ({ action: "show", claim, principal }) as const),
  ];
}

function machine(name: string, actors: Actors, step: Advance): Machine<State> {
  const turns = turnsOf(actors);
  function* moves({ claims, trail }: State): Iterable<Move<State>> {
    for (const event of CLAIMS.flatMap((claim) => eventsFor(claim, actors))) {
      try {
        const head: TrailHead = { length: trail.length, digest: trail.at(-1)?.digest ?? EMPTY_TRAIL.digest };
        const { record, entry } = step(claims[event.claim], head, event, AT);
        const next = { claims: { ...claims, [event.claim]: record }, trail: [...trail, entry] };
        yield { label: Object.values(event).slice(0, 3).join(" "), next };
      } catch (error) {
        if (!(error instanceof LifecycleRefused)) throw error;
      }
    }
  }
  return {
    name,
    about: "claims emitted, verified, suppressed and shown; the real `advance` of attestation/lifecycle.ts",
    initial: { claims: {}, trail: [] },
    moves,
    key: (state) => turns.map((turn) => keyAs(state, turn)).sort()[0] ?? "",
    within: ({ trail }) => trail.length <= TRAIL_CAP,
    invariants: INVARIANTS,
  };
}

/** One way to rename claims, attesters and verifiers: each name's place. */
type Turn = readonly (readonly string[])[];

/** Which is called first makes no difference. */
function turnsOf({ attesters, verifiers }: Actors): readonly Turn[] {
  const rotations = (names: readonly string[]) =>
    names.map((_, turn) => names.map((_, index) => names[(index + turn) % names.length] ?? ""));
  return rotations(CLAIMS).flatMap((claims) =>
    rotations(attesters).flatMap((firsts) => rotations(verifiers).map((seconds) => [claims, firsts, seconds])),
  );
}

/** The renamed state. Digests and times say nothing new. */
function keyAs({ claims, trail }: State, [order = [], attesters = [], verifiers = []]: Turn): string {
  const records = order.map((claim) => claims[claim] ?? null);
  const told = trail.map(({ event }) => {
    const by =
      event.action === "emit" ? attesters.indexOf(event.attester) : event.action === "verify" ? verifiers.indexOf(event.verifier) : 0;
    return `${event.action}${order.indexOf(event.claim)}${by}`;
  });
  return JSON.stringify([records, told]);
}

/** P-1 to P-3, without anybody to show claims to. */
export const lifecycle = (step: Advance = advance) => machine("claims: lifecycle", ONE, step);
/** With a principal who is shown claims, again and again. */
export const disclosure = (step: Advance = advance) => machine("claims: disclosure", { ...ONE, principals: ["principal"] }, step);
/** Two attesters and two verifiers, who act in any order on the same claims: whoever comes second changes nothing. */
export const concurrency = (step: Advance = advance) => machine("claims: two attesters, two verifiers", TWO, step);

/** The real function with one guard dropped. */
export function withoutRule(name: string): Advance {
  const rules = LIFECYCLE_RULES.filter((rule) => rule.name !== name);
  if (rules.length === LIFECYCLE_RULES.length) throw new Error(`no rule is called "${name}"`);
  return (known, head, event, at) => advance(known, head, event, at, rules);
}

/** The real function, whose record then loses what one kind of event did: the trail tells what never happened. */
export function forgetting(action: LifecycleEvent["action"]): Advance {
  return (known, head, event, at) => {
    const { record, entry } = advance(known, head, event, at);
    return { record: event.action === action && known !== undefined ? known : record, entry };
  };
}

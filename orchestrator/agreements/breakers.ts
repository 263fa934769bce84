import { groupedBy } from "../primitives/lists.ts";
import type { AgreementLife, Judge } from "./acts.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, judgesAsked, type PartyIdentity, sameIdentity } from "./schema.ts";

/**
 * Circuit breakers: they stop agreements from starting while something is wrong. Pure: a fold over past events, at a given second. No one
 * can open one against another party: a party is blocked only by acts it signed itself, and an evaluator's silence blocks it only for those
 * who waited. No breaker stops the ending of an agreement that has started.
 */

/** Subjects of breakers: a proposal or signature that starts an agreement, and payments into an escrow. */
export const BEGINNINGS = ["agreement", "funding"] as const;
export type Beginning = (typeof BEGINNINGS)[number];

/** Acts and steps that no breaker stops, so that everyone can get out of an agreement. */
export const EXITS = [
  ...["negotiate", "deliver", "result", "challenge", "cancel", "consent"],
  ...["submit", "settle", "rule", "finalise", "withdraw", "pay"],
] as const;

export const BREAKER_LIMITS = {
  /** Percent of its canaries that an evaluator must pass, the minimum number of canaries, and the window in seconds. */
  canaryPercent: 90,
  canaries: 10,
  canaryWindow: 30 * 86_400,
  /** Consecutive times that an evaluator left the same party waiting, and the pause in seconds. */
  silences: 3,
  silencePause: 86_400,
  /** Payments sent by the city with unknown fate. */
  unknown: 3,
  /** Proposals of one client per hour, and open disputes filed by one party. */
  proposals: 256,
  disputes: 8,
  /** Dollars charged by evaluators in agreements of one client: in a single one, and per hour. */
  spentEach: 50,
  spentHourly: 200,
  /** Maximum duration of a stop, seconds; its author cannot stop again for twice as long. */
  stop: 7 * 86_400,
} as const;
export type BreakerLimits = { readonly [Name in keyof typeof BREAKER_LIMITS]: number };

const HOUR = 3_600;
/** Events older than this affect no breaker. */
export const BREAKER_MEMORY = BREAKER_LIMITS.canaryWindow;

/** The party or evaluator concerned, as `scheme:value`. */
type Name = string;
export const breakerName = ({ scheme, value }: PartyIdentity): Name => `${scheme}:${value}`;

/** An event and its unix second. */
export type BreakerOutcome = { readonly at: number } & (
  | { readonly what: "proposed"; readonly client: Name }
  | { readonly what: "disputed"; readonly by: Name; readonly isOpen: boolean }
  | { readonly what: "judged"; readonly evaluator: Name; readonly before: readonly Name[] }
  | { readonly what: "silent"; readonly evaluator: Name; readonly before: readonly Name[] }
  | { readonly what: "charged"; readonly client: Name; readonly agreement: string; readonly dollars: number }
  | { readonly what: "canary"; readonly evaluator: Name; readonly passed: boolean }
  | { readonly what: "unknown" }
  | { readonly what: "stopped"; readonly by: Name; readonly until: number }
  | { readonly what: "resumed"; readonly by: Name }
);

export type BreakerKind = "stop" | "rail" | "canaries" | "silence" | "rate" | "disputes" | "spend";

export interface BreakerRule {
  readonly breaker: BreakerKind;
  readonly opens: string;
  readonly closes: string;
  readonly stops: readonly Beginning[];
  /** Names of the subjects, for display. */
  readonly whose: string;
}

const days = (seconds: number) => `${seconds / 86_400} ${seconds === 86_400 ? "day" : "days"}`;
const L = BREAKER_LIMITS;

/** The only table of breakers; docs/agreements.md is generated from it. */
export const BREAKERS: readonly BreakerRule[] = [
  {
    breaker: "stop",
    opens: "an adjudicator signs an order",
    closes: `at the time stated in the order, within ${days(L.stop)}; any adjudicator can end it earlier. Its author cannot stop again for ${days(2 * L.stop)}`,
    stops: BEGINNINGS,
    whose: "everybody's",
  },
  {
    breaker: "rail",
    opens: `${L.unknown} payments sent by the city have an unknown fate`,
    closes: "as their fate becomes known on chain, or as their authorisations expire",
    stops: ["funding"],
    whose: "everybody's",
  },
  {
    breaker: "canaries",
    opens: `an evaluator passed fewer than ${L.canaryPercent} % of at least ${L.canaries} canaries in ${days(L.canaryWindow)}`,
    closes: "as it passes more, or as the failed ones leave that window",
    stops: ["agreement"],
    whose: "agreements that name the evaluator",
  },
  {
    breaker: "silence",
    opens: `an evaluator misses its deadline ${L.silences} times in a row for the same party`,
    closes: `once it judges for that party, or ${days(L.silencePause)} after the last miss`,
    stops: ["agreement"],
    whose: "agreements of that party that name the evaluator",
  },
  {
    breaker: "rate",
    opens: `a client proposes ${L.proposals} times in an hour`,
    closes: "at the end of that hour",
    stops: ["agreement"],
    whose: "the client's proposals",
  },
  {
    breaker: "disputes",
    opens: `${L.disputes} disputes filed by one party are open`,
    closes: "once one is ruled on, or its time is over",
    stops: ["agreement"],
    whose: "the party's proposals and signatures",
  },
  {
    breaker: "spend",
    opens: `evaluators charge more than $${L.spentEach} in one agreement of a client, or $${L.spentHourly} in an hour`,
    closes: "an hour later",
    stops: BEGINNINGS,
    whose: "the client's proposals, signatures and payments into an escrow",
  },
];

/** An open breaker. */
export interface OpenBreaker {
  readonly breaker: BreakerKind;
  /** The party or evaluator concerned; empty if the breaker applies to everyone. */
  readonly whose: Name;
  /** For an evaluator's silence: the party that waited. */
  readonly before?: Name;
  /** Second at which it closes if nothing else happens; undefined if it does not close by time. */
  readonly until: number | undefined;
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** Breakers open at a given second, from earlier events in any order. */
export function openBreakers(
  given: readonly BreakerOutcome[],
  now: number,
  limits: BreakerLimits = BREAKER_LIMITS,
): readonly OpenBreaker[] {
  const outcomes = given.filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at);
  const since = (seconds: number) => outcomes.filter(({ at }) => at > now - seconds);
  const open: OpenBreaker[] = [];

  const last = outcomes.findLast(({ what }) => what === "stopped" || what === "resumed");
  if (last?.what === "stopped" && last.until > now) open.push({ breaker: "stop", whose: "", until: last.until });

  const unknown = outcomes.filter(({ what }) => what === "unknown");
  if (unknown.length >= limits.unknown) open.push({ breaker: "rail", whose: "", until: undefined });

  const canaries = groupedBy(
    since(limits.canaryWindow).filter((each) => each.what === "canary"),
    ({ evaluator }) => evaluator,
  );
  for (const [whose, seen] of canaries) {
    const passed = seen.filter((each) => each.passed).length;
    if (seen.length >= limits.canaries && passed * 100 < limits.canaryPercent * seen.length)
      open.push({ breaker: "canaries", whose, until: undefined });
  }

  const heard = outcomes
    .filter((each) => each.what === "judged" || each.what === "silent")
    .flatMap(({ before, ...each }) => before.map((party) => ({ ...each, party })));
  for (const [, met] of groupedBy(heard, ({ evaluator, party }) => `${evaluator} ${party}`)) {
    const run = met.slice(met.findLastIndex(({ what }) => what === "judged") + 1);
    const newest = run.at(-1);
    if (newest === undefined || run.length < limits.silences || newest.at + limits.silencePause <= now) continue;
    open.push({ breaker: "silence", whose: newest.evaluator, before: newest.party, until: newest.at + limits.silencePause });
  }

  const proposed = since(HOUR).filter((each) => each.what === "proposed");
  for (const [whose, made] of groupedBy(proposed, ({ client }) => client)) {
    const counted = made.at(-limits.proposals);
    if (counted !== undefined) open.push({ breaker: "rate", whose, until: counted.at + HOUR });
  }

  const disputed = outcomes.filter((each) => each.what === "disputed");
  for (const [whose, filed] of groupedBy(disputed, ({ by }) => by))
    if (filed.filter(({ isOpen }) => isOpen).length >= limits.disputes) open.push({ breaker: "disputes", whose, until: undefined });

  const charged = since(HOUR).filter((each) => each.what === "charged");
  for (const [whose, paid] of groupedBy(charged, ({ client }) => client)) {
    const each = [...groupedBy(paid, ({ agreement }) => agreement).values()].map((those) => total(those.map(({ dollars }) => dollars)));
    const newest = paid.at(-1);
    const isOver = total(each) > limits.spentHourly || each.some((dollars) => dollars > limits.spentEach);
    if (isOver && newest !== undefined) open.push({ breaker: "spend", whose, until: newest.at + HOUR });
  }
  return open;
}

/** Someone who wants to start something under these terms. */
export interface Attempt {
  readonly begins: Beginning;
  readonly by: "client" | "provider";
  readonly terms: Pick<Agreement, "parties">;
  /** The evaluators under these terms, in order. */
  readonly judges: readonly Pick<Judge, "identity">[];
}

const RULES = new Map(BREAKERS.map((rule) => [rule.breaker, rule]));

/** Whether an open breaker concerns the actor, or someone named in its terms. */
function concerns({ breaker, whose, before }: OpenBreaker, { by, terms: { parties }, judges }: Attempt): boolean {
  const names = (...identities: readonly (PartyIdentity | undefined)[]) =>
    identities.some((identity) => identity !== undefined && breakerName(identity) === whose);
  const { client, provider } = parties;
  const evaluators = judges.map(({ identity }) => identity);
  switch (breaker) {
    case "stop":
    case "rail":
      return true;
    case "canaries":
      return names(...evaluators);
    case "silence":
      return names(evaluators[0]) && [client, provider].some(({ identity }) => breakerName(identity) === before);
    case "rate":
      return by === "client" && names(client.identity);
    case "disputes":
      return names(parties[by].identity);
    case "spend":
      return names(client.identity);
  }
}

/** The breaker that stops an attempt, if any. */
export function stoppedBy(open: readonly OpenBreaker[], attempt: Attempt): OpenBreaker | undefined {
  return open.find((each) => RULES.get(each.breaker)?.stops.includes(attempt.begins) === true && concerns(each, attempt));
}

/** Throws BreakerOpen. */
export function requireClosed(open: readonly OpenBreaker[], attempt: Attempt): void {
  const found = stoppedBy(open, attempt);
  if (found === undefined) return;
  const { opens, closes } = RULES.get(found.breaker) ?? { opens: "", closes: "" };
  const until = found.until === undefined ? "" : ` It closes at ${new Date(found.until * 1_000).toISOString()} at the latest.`;
  throw new AgreementRefused("BreakerOpen", `The breaker "${found.breaker}" is open: ${opens}`, `It closes ${closes}.${until}`);
}

/** Facts about an agreement with an escrow that its own acts do not contain. */
export interface Witnessed {
  /** Who filed a dispute, and when; undefined: no one, or the terms themselves. */
  readonly challenge: { readonly by: "client" | "provider"; readonly at: number } | undefined;
  readonly isDisputed: boolean;
  /** Second in which its first evaluator missed its deadline. */
  readonly silentSince: number | undefined;
  /** Second of each result, in order. */
  readonly judgedAt: readonly number[];
}

/** Events of an agreement that both parties have signed. */
export function outcomesOf(id: string, { agreement, judges, results }: AgreementLife, witnessed: Witnessed): readonly BreakerOutcome[] {
  const { client, provider } = agreement.parties;
  const before = [client, provider].map(({ identity }) => breakerName(identity));
  const { challenge, isDisputed: isOpen, silentSince, judgedAt } = witnessed;
  const judged = results.map(({ document }, place) => ({ document, at: judgedAt[place] ?? 0 }));
  // Backups are only queried when evaluators are silent.
  const heard = judges.slice(0, judgesAsked(agreement)).flatMap(({ identity }): readonly BreakerOutcome[] => {
    const own = judged.find((each) => sameIdentity(each.document.evaluator, identity));
    const met = { evaluator: breakerName(identity), before };
    if (own !== undefined) return [{ what: "judged", at: own.at, ...met }];
    return silentSince === undefined ? [] : [{ what: "silent", at: silentSince, ...met }];
  });
  return [
    ...(challenge === undefined
      ? []
      : [{ what: "disputed" as const, by: breakerName(agreement.parties[challenge.by].identity), at: challenge.at, isOpen }]),
    ...heard,
    ...judged.map(({ document, at }) => ({
      ...{ what: "charged" as const, at, agreement: id, client: breakerName(client.identity) },
      dollars: document.evidence_trail.evaluation_cost_usd,
    })),
  ];
}

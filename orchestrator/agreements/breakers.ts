import { groupedBy } from "../primitives/lists.ts";
import type { AgreementLife, Judge } from "./acts.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, judgesAsked, type PartyIdentity, sameIdentity } from "./schema.ts";

/**
 * Circuit breakers: what a market of agreements does not begin while something is wrong. Pure: a fold over what happened, at a given second.
 * Nobody opens one for somebody else: what counts against a party it did and signed itself, and an evaluator's silence counts for those alone
 * who waited. Whatever ends an agreement that has begun is stopped by none.
 */

/** What breakers may stop: a proposal or a signature that begins an agreement, and money on its way into an escrow. */
export const BEGINNINGS = ["agreement", "funding"] as const;
export type Beginning = (typeof BEGINNINGS)[number];

/** What they never stop, by act or step: everybody who is in an agreement gets out of it. */
export const EXITS = [
  ...["negotiate", "deliver", "result", "challenge", "cancel", "consent"],
  ...["submit", "settle", "rule", "finalise", "withdraw", "pay"],
] as const;

export const BREAKER_LIMITS = {
  /** Percent of its canaries that an evaluator passes, once so many were seen, of the last so many seconds. */
  canaryPercent: 90,
  canaries: 10,
  canaryWindow: 30 * 86_400,
  /** Times in a row that an evaluator left the same party waiting, and seconds until it is tried again. */
  silences: 3,
  silencePause: 86_400,
  /** Payments that the city sent and whose fate it does not know. */
  unknown: 3,
  /** Proposals of one client in an hour, and disputes that one party filed and that are open. */
  proposals: 256,
  disputes: 8,
  /** Dollars that evaluators charged in the agreements of one client: in one of them, and in an hour. */
  spentEach: 50,
  spentHourly: 200,
  /** A stop lasts so many seconds at most; who stopped does not stop again for twice as many. */
  stop: 7 * 86_400,
} as const;
export type BreakerLimits = { readonly [Name in keyof typeof BREAKER_LIMITS]: number };

const HOUR = 3_600;
/** Nothing older counts for any breaker. */
export const BREAKER_MEMORY = BREAKER_LIMITS.canaryWindow;

/** Whom something happened to, as `scheme:value`. */
type Name = string;
export const breakerName = ({ scheme, value }: PartyIdentity): Name => `${scheme}:${value}`;

/** What happened, and in which unix second. */
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
  /** Which beginnings, for people. */
  readonly whose: string;
}

const days = (seconds: number) => `${seconds / 86_400} ${seconds === 86_400 ? "day" : "days"}`;
const L = BREAKER_LIMITS;

/** The one table; docs/agreements.md is generated from it. */
export const BREAKERS: readonly BreakerRule[] = [
  {
    breaker: "stop",
    opens: "an adjudicator signs it",
    closes: `at the second that it names, within ${days(L.stop)}; any adjudicator ends it before. Who stopped does not stop again for ${days(2 * L.stop)}`,
    stops: BEGINNINGS,
    whose: "everybody's",
  },
  {
    breaker: "rail",
    opens: `the city does not know the fate of ${L.unknown} payments that it sent`,
    closes: "as the chain tells of them, or as their authorisations lapse",
    stops: ["funding"],
    whose: "everybody's",
  },
  {
    breaker: "canaries",
    opens: `fewer than ${L.canaryPercent} % of at least ${L.canaries} canaries passed in ${days(L.canaryWindow)}`,
    closes: "as it passes more, or as those failed are older than that",
    stops: ["agreement"],
    whose: "agreements that name the evaluator",
  },
  {
    breaker: "silence",
    opens: `an evaluator lets its time run out ${L.silences} times in a row for the same party`,
    closes: `as it judges for that party, or ${days(L.silencePause)} after the last`,
    stops: ["agreement"],
    whose: "agreements of that party that name the evaluator",
  },
  {
    breaker: "rate",
    opens: `a client proposes ${L.proposals} times in an hour`,
    closes: "with the hour",
    stops: ["agreement"],
    whose: "the client's proposals",
  },
  {
    breaker: "disputes",
    opens: `${L.disputes} disputes that one party filed are open`,
    closes: "as one is ruled on, or its time is over",
    stops: ["agreement"],
    whose: "the party's proposals and signatures",
  },
  {
    breaker: "spend",
    opens: `evaluators charge more than $${L.spentEach} in one agreement of a client, or $${L.spentHourly} in an hour`,
    closes: "an hour after",
    stops: BEGINNINGS,
    whose: "the client's proposals, signatures and payments into an escrow",
  },
];

/** A breaker that is open. */
export interface OpenBreaker {
  readonly breaker: BreakerKind;
  /** Whose it is: the party or evaluator; empty for everybody's. */
  readonly whose: Name;
  /** Of a silence: for whom. */
  readonly before?: Name;
  /** The second from which it is closed if nothing more happens; undefined where no clock says. */
  readonly until: number | undefined;
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** Which are open at a second, by what happened before it, in whatever order. */
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

/** Somebody who would begin something under these terms. */
export interface Attempt {
  readonly begins: Beginning;
  readonly by: "client" | "provider";
  readonly terms: Pick<Agreement, "parties">;
  /** Who judges by these terms, in order. */
  readonly judges: readonly Pick<Judge, "identity">[];
}

const RULES = new Map(BREAKERS.map((rule) => [rule.breaker, rule]));

/** Whether a breaker that is open is about who attempts something, or whom its terms name. */
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

/** The breaker that stops an attempt, if one does. */
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

/** What is known of an agreement beside its own acts, where an escrow leads it. */
export interface Witnessed {
  /** Who filed a dispute, and when; undefined: nobody, or the terms themselves. */
  readonly challenge: { readonly by: "client" | "provider"; readonly at: number } | undefined;
  readonly isDisputed: boolean;
  /** The second in which its first evaluator had let its time run out. */
  readonly silentSince: number | undefined;
  /** The second in which each result came, in their order. */
  readonly judgedAt: readonly number[];
}

/** What an agreement that both have signed counts for. */
export function outcomesOf(id: string, { agreement, judges, results }: AgreementLife, witnessed: Witnessed): readonly BreakerOutcome[] {
  const { client, provider } = agreement.parties;
  const before = [client, provider].map(({ identity }) => breakerName(identity));
  const { challenge, isDisputed: isOpen, silentSince, judgedAt } = witnessed;
  const judged = results.map(({ document }, place) => ({ document, at: judgedAt[place] ?? 0 }));
  // Backups are asked in their silence alone.
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

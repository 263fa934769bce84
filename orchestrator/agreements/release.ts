import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import { canonicalJson } from "../primitives/json.ts";
import { AgreementRefused } from "./errors.ts";
import type { AgreementState } from "./lifecycle.ts";
import { hundredths, unitsOf, WHOLE } from "./money.ts";
import { type Agreement, type Tier, tierSchema } from "./schema.ts";
import type { Determination } from "./score.ts";

/** Default tiers. */
export const DEFAULT_TIERS: readonly Tier[] = [
  { composite_score_gte: 90, release_percent: 100 },
  { composite_score_gte: 75, release_percent: 85 },
  { composite_score_gte: 60, release_percent: 50 },
  { composite_score_lt: 60, release_percent: 0 },
];

/** A boundary in hundredths of a point, and the percent released from there on. */
interface Step {
  readonly at: number;
  readonly percent: number;
}

/** Percent of the payment that a score releases. Without a graduated release it is all or nothing. Throws WrongSeed. */
export function releasePercent(
  { escrow }: Agreement,
  { composite, passed, noiseSeed }: { readonly composite: number; readonly passed: boolean; readonly noiseSeed?: string | undefined },
): number {
  const release = escrow?.payment.graduated_release;
  if (release === undefined || !release.enabled) return passed ? 100 : 0;
  if (release.mode === "continuous") return composite / 100;
  const steps = release.tiers === undefined ? DEFAULT_STEPS : stepsOf(release.tiers);
  const { noise } = release;
  if (noise === undefined || noiseSeed === undefined) return reached(steps, composite);
  if (sha256(noiseSeed) !== noise.seed_hash) throw new AgreementRefused("WrongSeed", "The seed does not match its commitment");
  return reached(shifted(steps, hundredths(noise.points), noiseSeed), composite);
}

/** Percent that the default tiers release for a composite, hundredths. */
export function defaultPercent(composite: number): number {
  return reached(stepsOf(DEFAULT_TIERS), composite);
}

function reached(steps: readonly Step[], composite: number): number {
  return steps.findLast(({ at }) => at <= composite)?.percent ?? 0;
}

/** Lowest first; the `lt` tier lies below the lowest `gte`. */
function stepsOf(tiers: readonly Tier[]): readonly Step[] {
  const steps = tiers.map((tier) => {
    const from = tier["composite_score_gte"];
    return { at: typeof from === "number" ? hundredths(from) : 0, percent: tier.release_percent };
  });
  return steps.sort((a, b) => a.at - b.at);
}

const DEFAULT_STEPS = stepsOf(DEFAULT_TIERS);

/** Moves each boundary by at most `points` in either direction, keeping their order, none above 100, and a boundary at zero in place. */
function shifted(steps: readonly Step[], points: number, seed: string): readonly Step[] {
  let floor = 0;
  return steps.map(({ at, percent }, index) => {
    const drawn = Number(BigInt(sha256(`${seed}/${index}`)) % BigInt(2 * points + 1)) - points;
    floor = at === 0 ? 0 : Math.max(floor, Math.min(WHOLE, at + drawn));
    return { at: floor, percent };
  });
}

/** Number of a provider's last scores that can raise tiers. */
export const DYNAMIC_SCORES = 10;
const DYNAMIC = { scores: DYNAMIC_SCORES, band: 3, rises: 2 } as const;

/**
 * Tiers for a provider whose last ten scores (points) cluster just above a boundary: if half of them are within three points of it, it
 * rises by three, at most twice. Computed before signing and written into the terms, so that both sign the actual tiers.
 */
export function dynamicTiers(tiers: readonly Tier[], scores: readonly number[]): readonly Tier[] {
  const recent = scores.slice(-DYNAMIC.scores);
  const raise = (boundary: number): number => {
    let at = boundary;
    for (let rise = 0; rise < DYNAMIC.rises; rise += 1) {
      const crowd = recent.filter((score) => score >= at && score < at + DYNAMIC.band).length;
      if (recent.length < DYNAMIC.scores || 2 * crowd < recent.length) break;
      at = Math.min(100, at + DYNAMIC.band);
    }
    return at;
  };
  return tiers.map((tier) => {
    const from = tier["composite_score_gte"];
    const below = tier["composite_score_lt"];
    if (typeof from === "number" && from > 0) return { ...tier, composite_score_gte: raise(from) };
    return typeof below === "number" ? { ...tier, composite_score_lt: raise(below) } : tier;
  });
}

/** Why tiers are raised, written into the terms as `dynamic`, so that anyone computes the same. */
const groundSchema = z.strictObject({
  /** The tiers before. */
  from: z.array(tierSchema).min(1).max(32),
  /** The provider's last scores, hundredths, oldest first. */
  scores: z.array(z.int().min(0).max(WHOLE)).max(DYNAMIC_SCORES),
});

export interface RaisedRelease {
  readonly enabled: true;
  readonly tiers: Tier[];
  readonly dynamic: { readonly from: Tier[]; readonly scores: number[] };
}

/** A release by tiers as the provider's scores (hundredths, oldest first) raise them, with its ground: what a client writes. */
export function raisedRelease(from: readonly Tier[], scores: readonly number[]): RaisedRelease {
  const last = scores.slice(-DYNAMIC_SCORES);
  return { enabled: true, tiers: [...raisedBy(from, last)], dynamic: { from: [...from], scores: last } };
}

/** Whether the terms say that the provider's history raised their tiers. */
export function isRaised({ escrow }: Pick<Agreement, "escrow">): boolean {
  const dynamic = escrow?.payment.graduated_release?.dynamic;
  return dynamic !== undefined && dynamic !== false;
}

/** Why the stated ground does not give the stated tiers; undefined if it does, or none is stated. */
export function groundProblem({ escrow }: Pick<Agreement, "escrow">): string | undefined {
  const release = escrow?.payment.graduated_release;
  if (release === undefined || !isRaised({ escrow })) return undefined;
  const ground = groundSchema.safeParse(release.dynamic).data;
  if (ground === undefined) return "write the tiers before and the provider's last scores, as raisedRelease does";
  if (release.enabled && release.mode !== "continuous" && isSame(raisedBy(ground.from, ground.scores), release.tiers)) return undefined;
  return "the tiers do not follow from it: write those of raisedRelease";
}

/**
 * Compares the ground of raised tiers with the provider's last scores as the caller knows them. An offer must state these; as the first
 * party signs, the scores may have changed if the tiers are the same by them. Throws OtherHistory.
 */
export function requireGround({ escrow }: Pick<Agreement, "escrow">, known: readonly number[], as: "offered" | "signed"): void {
  const release = escrow?.payment.graduated_release;
  const ground = groundSchema.safeParse(release?.dynamic).data;
  if (ground === undefined) return;
  const last = known.slice(-DYNAMIC_SCORES);
  if (as === "offered" ? isSame(ground.scores, last) : isSame(raisedBy(ground.from, last), release?.tiers)) return;
  throw new AgreementRefused(
    "OtherHistory",
    "The tiers are raised by other scores than the provider's last ones",
    canonicalJson(last),
    "propose again with the `release` of get_agreement_record, or without `dynamic`",
  );
}

/** Whether tiers without a ground pay less than the default ones for some score. */
export function isAboveDefault({ escrow }: Pick<Agreement, "escrow">): boolean {
  const release = escrow?.payment.graduated_release;
  if (release?.enabled !== true || release.mode === "continuous" || release.tiers === undefined) return false;
  const steps = stepsOf(groundSchema.safeParse(release.dynamic).data?.from ?? release.tiers);
  return stepsOf(DEFAULT_TIERS).some(({ at }) => reached(steps, at) < defaultPercent(at));
}

const raisedBy = (from: readonly Tier[], scores: readonly number[]) =>
  dynamicTiers(
    from,
    scores.map((score) => score / 100),
  );

const isSame = (one: unknown, other: unknown) => canonicalJson(one ?? null) === canonicalJson(other ?? null);

/** The grounds on which an agreement ended, besides its state. Percentages are the provider's. */
export interface Grounds {
  readonly determination?: Pick<Determination, "release_percent">;
  readonly ruling?: number;
  /** Agreed share of a cancellation; without it everything is returned. */
  readonly agreed?: number;
}

export interface Shares {
  readonly provider: bigint;
  readonly client: bigint;
}

/** Payouts of an ended agreement, in smallest units. Throws NothingToDivide before the end, or if the grounds are missing. */
export function settle(agreement: Agreement, { division }: AgreementState, grounds: Grounds = {}): Shares {
  const missing = (what: string) => new AgreementRefused("NothingToDivide", what);
  switch (division) {
    case undefined:
      throw missing("The agreement has not ended");
    case "none":
      return { provider: 0n, client: 0n };
    case "refund":
      return divide(agreement, 0);
    case "spared":
      return divide(agreement, 100);
    case "agreed":
      return divide(agreement, grounds.agreed ?? 0);
    case "switch":
      return divide(agreement, switchPercent(agreement));
    case "schedule":
      if (grounds.determination === undefined) throw missing("There is no result");
      return divide(agreement, grounds.determination.release_percent);
    case "ruling":
      if (grounds.ruling === undefined) throw missing("There is no ruling");
      return divide(agreement, grounds.ruling);
  }
}

/** Percent for the provider if no evaluator answered. Waiting for a backup is bounded: without one the money is returned. */
export function switchPercent({ escrow }: Agreement): number {
  switch (escrow?.dead_mans_switch?.timeout_action) {
    case "split_50_50":
      return 50;
    case "release_to_provider":
      return 100;
    default:
      return 0;
  }
}

/** Whether a result this low is disputed automatically at the end of its window. */
export function filesDispute({ dispute }: Agreement, { composite }: Pick<Determination, "composite">): boolean {
  return dispute?.auto_file_on !== undefined && dispute.threshold !== undefined && composite < hundredths(dispute.threshold);
}

/** Divides the payment exactly, in smallest units: the provider's part is rounded down, the client receives the rest. */
export function divide({ escrow }: Agreement, percent: number): Shares {
  if (escrow === undefined || !escrow.enabled) return { provider: 0n, client: 0n };
  const amount = unitsOf(escrow.payment.amount, escrow.payment.currency);
  const provider = (amount * BigInt(hundredths(Math.min(100, Math.max(0, percent))))) / BigInt(WHOLE);
  return { provider, client: amount - provider };
}

import { sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, DEFAULTS, type EvaluatorRecord, isDrawn, judgesAsked, type PartyIdentity, sameIdentity } from "./schema.ts";

export const QUALIFIED = { evaluations: 50, canaryPercent: 90, deviation: 10 } as const;

/** Whether its record qualifies it: enough evaluations, 90 % of canaries passed, close to the medians. */
export function isQualified({ evaluations, canaries, canaries_passed, deviation }: EvaluatorRecord): boolean {
  const canaryRate = canaries === 0 || canaries_passed * 100 >= QUALIFIED.canaryPercent * canaries;
  return evaluations >= QUALIFIED.evaluations && canaryRate && deviation <= QUALIFIED.deviation;
}

/** Whether it shares nothing with either party: name, principal, organisation, model family. */
export function isIndependent(evaluator: EvaluatorRecord, { parties: { client, provider } }: Agreement): boolean {
  const shared = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  return ![client, provider].some(
    (party) =>
      sameIdentity(evaluator.identity, party.identity) ||
      shared(evaluator.principal, party.principal) ||
      shared(evaluator.organisation, party.organisation) ||
      shared(evaluator.model_family, party.model_family),
  );
}

/** The seed of a draw, fixed by the terms and by both parties' commitments, made before either knew the other's nonce. Throws WrongSeed. */
export function drawSeed(hash: Hash, opened: readonly { readonly commitment: Hash; readonly nonce: string }[]): Hash {
  if (opened.length === 0 || opened.some(({ commitment, nonce }) => sha256(nonce) !== commitment))
    throw new AgreementRefused("WrongSeed", "A nonce does not match its commitment");
  return sha256(canonicalBytes(["asa/1 draw", hash, ...opened.map(({ nonce }) => nonce)]));
}

export interface Drawing {
  readonly seed: Hash;
  /** The provider's latest evaluators, newest last: rotation limits consecutive ones. */
  readonly before?: readonly PartyIdentity[];
}

/**
 * Everyone who may judge an agreement, in drawn order: the first judges, the next are its backups. The same register and seed give the same
 * order. Throws NoEvaluator if no one is left.
 */
export function drawEvaluators(
  register: readonly EvaluatorRecord[],
  agreement: Agreement,
  { seed, before = [] }: Drawing,
): readonly EvaluatorRecord[] {
  const lot = ({ identity }: EvaluatorRecord) => sha256(canonicalBytes([seed, identity.scheme, identity.value]));
  const drawn = eligible(register, agreement, before)
    .map((record) => ({ record, lot: lot(record) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .map(({ record }) => record);
  if (drawn.length === 0) throw new AgreementRefused("NoEvaluator", "No evaluator of the register is eligible for this agreement");
  return drawn;
}

/** Opened nonces of the parties; each is opened after the one before it. */
export interface OpenedNonces {
  readonly provider?: Hash;
  readonly client?: Hash;
}

/** The commitment to the client's nonce in the terms. */
export function commitmentOf(nonce: Hash): Hash {
  return sha256(nonce);
}

/**
 * Evaluators of an agreement with a register, in order: the first judges, the next are its backups. Empty until both nonces are open. The
 * provider opens its nonce when the terms and the client's commitment are fixed, so neither can choose the draw; a party that dislikes it
 * can only decline to sign. `rounds`: nominations before the draw, if the parties may agree on an evaluator. Throws WrongSeed, NoEvaluator.
 */
export function drawnOf(
  agreement: Agreement,
  { provider, client }: OpenedNonces,
  rounds: readonly NominationRound[] = [],
): readonly EvaluatorRecord[] {
  const { mode, register = [], commitment, before = [] } = agreement.parties.evaluator.selection ?? {};
  if (provider === undefined || client === undefined || commitment === undefined) return [];
  const seed = drawSeed(agreementHash(agreement), [
    { commitment: hashSchema.parse(commitment), nonce: client },
    { commitment: commitmentOf(provider), nonce: provider },
  ]);
  if (mode === "mutual") return agreeOnEvaluator(withinCost(agreement, register), agreement, rounds, { seed, before });
  if (mode !== "marketplace") return drawEvaluators(withinCost(agreement, register), agreement, { seed, before });
  return chooseEvaluator(register, agreement, { seed, before, maxPrice: agreement.verification.cost_cap ?? Number.POSITIVE_INFINITY });
}

/** Members of the terms' register that are eligible, as known before the draw. */
export function eligibleIn(agreement: Agreement): readonly EvaluatorRecord[] {
  const { register = [], before = [] } = agreement.parties.evaluator.selection ?? {};
  return eligible(withinCost(agreement, register), agreement, before);
}

/** Throws NoEvaluator if too few members of the register are eligible under these terms. */
export function requireRegister(agreement: Agreement): void {
  if (isDrawn(agreement) && eligibleIn(agreement).length < judgesAsked(agreement))
    throw new AgreementRefused("NoEvaluator", "Too few evaluators of the register are eligible for this agreement");
}

const withinCost = ({ verification: { cost_cap } }: Agreement, register: readonly EvaluatorRecord[]) =>
  register.filter(({ price }) => cost_cap === undefined || price <= cost_cap);

/** Maximum number of nominations per party before the draw alone decides. */
export const MUTUAL_ROUNDS = 3;

/** Both parties' nominations of one round. */
export interface NominationRound {
  readonly client: readonly PartyIdentity[];
  readonly provider: readonly PartyIdentity[];
}

/** The first evaluator that both nominate in one of three rounds, in the client's order; undefined if there is none yet. */
export function commonOf(rounds: readonly NominationRound[]): PartyIdentity | undefined {
  for (const { client, provider } of rounds.slice(0, MUTUAL_ROUNDS)) {
    const both = client.find((one) => provider.some((other) => sameIdentity(one, other)));
    if (both !== undefined) return both;
  }
  return undefined;
}

/** The common nominee, then the drawn ones; without agreement, the draw alone. */
export function agreeOnEvaluator(
  register: readonly EvaluatorRecord[],
  agreement: Agreement,
  rounds: readonly NominationRound[],
  drawing: Drawing,
): readonly EvaluatorRecord[] {
  const drawn = drawEvaluators(register, agreement, drawing);
  const both = commonOf(rounds);
  const isChosen = ({ identity }: EvaluatorRecord) => both !== undefined && sameIdentity(identity, both);
  return [...drawn.filter(isChosen), ...drawn.filter((record) => !isChosen(record))];
}

/** Evaluators within a price, by canary pass rate per dollar; ties in drawn order. */
export function chooseEvaluator(
  register: readonly EvaluatorRecord[],
  agreement: Agreement,
  { maxPrice, ...drawing }: Drawing & { readonly maxPrice: number },
): readonly EvaluatorRecord[] {
  const affordable = register.filter(({ price }) => price <= maxPrice);
  const worth = ({ canaries, canaries_passed, price }: EvaluatorRecord) =>
    (canaries_passed + 1) / (canaries + 1) / Math.max(price, 0.000_001);
  return [...drawEvaluators(affordable, agreement, drawing)].sort((a, b) => worth(b) - worth(a));
}

function eligible(
  register: readonly EvaluatorRecord[],
  agreement: Agreement,
  before: readonly PartyIdentity[],
): readonly EvaluatorRecord[] {
  const limit = agreement.verification.rotation?.max_consecutive ?? DEFAULTS.maxConsecutive;
  const last = before.slice(-limit);
  const tired = ({ identity }: EvaluatorRecord) => last.length === limit && last.every((one) => sameIdentity(one, identity));
  return register.filter(
    (record) =>
      record.available &&
      isQualified(record) &&
      isIndependent(record, agreement) &&
      (record.domains.includes(agreement.service.type) || record.domains.includes("general")) &&
      !tired(record),
  );
}

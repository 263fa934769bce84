import { sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, DEFAULTS, type EvaluatorRecord, isDrawn, judgesAsked, type PartyIdentity, sameIdentity } from "./schema.ts";

export const QUALIFIED = { evaluations: 50, canaryPercent: 90, deviation: 10 } as const;

/** Whether its record lets it judge: enough evaluations, nine canaries of ten, close to the others. */
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

/** The seed of a draw: fixed by the terms and by what both parties committed to before they knew each other's. Throws WrongSeed. */
export function drawSeed(hash: Hash, opened: readonly { readonly commitment: Hash; readonly nonce: string }[]): Hash {
  if (opened.length === 0 || opened.some(({ commitment, nonce }) => sha256(nonce) !== commitment))
    throw new AgreementRefused("WrongSeed", "A nonce is not the one that was committed to");
  return sha256(canonicalBytes(["asa/1 draw", hash, ...opened.map(({ nonce }) => nonce)]));
}

export interface Drawing {
  readonly seed: Hash;
  /** Who evaluated this provider last, newest last: nobody does so more often in a row than the rotation allows. */
  readonly before?: readonly PartyIdentity[];
}

/**
 * Everybody who may judge an agreement, in drawn order: the first judges, the next are its backups. Anybody with the same register and
 * seed draws the same. Throws NoEvaluator where nobody is left.
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
  if (drawn.length === 0) throw new AgreementRefused("NoEvaluator", "Nobody in the register may judge this agreement");
  return drawn;
}

/** Nonces that the parties have opened, each once the one before it was. */
export interface OpenedNonces {
  readonly provider?: Hash;
  readonly client?: Hash;
}

/** What a nonce of the client's was committed to as, in the terms. */
export function commitmentOf(nonce: Hash): Hash {
  return sha256(nonce);
}

/**
 * Who judges an agreement whose terms have a register, in order: the first judges, the next are its backups. Empty until both nonces are open.
 * The provider's comes when the terms are fixed and the client's nonce is: so neither chooses, and whoever dislikes the lot can only not sign.
 * `rounds`: whom the parties named before that, where they may agree on one. Throws WrongSeed, NoEvaluator.
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

/** Who of a register in the terms may judge by them, as everybody knows it before the lot. */
export function eligibleIn(agreement: Agreement): readonly EvaluatorRecord[] {
  const { register = [], before = [] } = agreement.parties.evaluator.selection ?? {};
  return eligible(withinCost(agreement, register), agreement, before);
}

/** Throws NoEvaluator where a register has too few who may judge these terms. */
export function requireRegister(agreement: Agreement): void {
  if (isDrawn(agreement) && eligibleIn(agreement).length < judgesAsked(agreement))
    throw new AgreementRefused("NoEvaluator", "Nobody in the register may judge this agreement, or too few");
}

const withinCost = ({ verification: { cost_cap } }: Agreement, register: readonly EvaluatorRecord[]) =>
  register.filter(({ price }) => cost_cap === undefined || price <= cost_cap);

/** So often each party names evaluators before the lot alone decides. */
export const MUTUAL_ROUNDS = 3;

/** Whom both parties named in a round. */
export interface NominationRound {
  readonly client: readonly PartyIdentity[];
  readonly provider: readonly PartyIdentity[];
}

/** The first that both name in one of three rounds, in the client's order; undefined as long as there is none. */
export function commonOf(rounds: readonly NominationRound[]): PartyIdentity | undefined {
  for (const { client, provider } of rounds.slice(0, MUTUAL_ROUNDS)) {
    const both = client.find((one) => provider.some((other) => sameIdentity(one, other)));
    if (both !== undefined) return both;
  }
  return undefined;
}

/** Whom both name, then the drawn ones; without agreement, the draw alone. */
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

/** Within a price, the most canaries for the money; equals in drawn order. */
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

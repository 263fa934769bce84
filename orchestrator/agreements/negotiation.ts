import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { canonicalJson, isObject, type JsonValue } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy } from "../primitives/signing.ts";
import { agreementHash, type KeyOf, messageBytes, otherParty, PARTIES, type Party, withSameTerms } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type AgreementState, advance, type EventName, lifecycleTerms, PROPOSED } from "./lifecycle.ts";
import { unitsOf } from "./money.ts";
import { isAboveDefault } from "./release.ts";
import { type Agreement, DEFAULTS, identitySchema, readAgreement, sameIdentity } from "./schema.ts";

/** Reasons for a counter. A closed list without free text, so that a counterparty's words never reach a model. */
export const RATIONALES = [
  "extended_timeline_for_higher_quality",
  "price_above_market",
  "price_below_market",
  "scope_reduced",
  "scope_extended",
  "risk",
  "capacity",
  "evaluator_choice",
  "other",
] as const;

const NUMBER = String.raw`(?:0|[1-9]\d*)`;
/** Negotiable terms, as JSON pointers. All others are refused, never recorded and ignored. */
const NEGOTIABLE: readonly RegExp[] = [
  `/quality_criteria/dimensions/${NUMBER}/(?:weight|slo/value)`,
  "/quality_criteria/composite_threshold",
  `/escrow/payment/graduated_release/tiers/${NUMBER}/(?:composite_score_gte|composite_score_lt|release_percent)`,
  "/escrow/payment/amount",
  "/escrow/dead_mans_switch/(?:(?:client|provider|evaluator)_timeout_seconds|timeout_action)",
  "/service/constraints/(?:max_tokens|max_duration_seconds|max_cost_usd)",
  "/verification/(?:strategy|depth|challenge_window_seconds|evaluator_timeout_seconds)",
  "/parties/evaluator/selection/mode",
  "/expires_at",
].map((pattern) => new RegExp(`^${pattern}$`));

const digest = z.custom<Hash>((value) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value), "expected a SHA-256 digest");

export const negotiationMessageSchema = z.strictObject({
  agreement_id: z.string(),
  round: z.int().nonnegative(),
  action: z.enum(["counter", "accept", "reject"]),
  /** New values by path: a JSON pointer, or the paper's dotted form. Only for a counter. */
  proposed_changes: z.record(z.string(), z.union([z.number(), z.boolean(), z.string().max(100)])),
  rationale_code: z.enum(RATIONALES),
  /** The sender's own figure and the name of its source. It proves nothing: the price is compared with what the recipient knows. */
  market_reference: z
    .strictObject({ median_price_for_service_type: z.string().max(40), source: z.string().regex(/^[\w.:/-]{1,100}$/) })
    .optional(),
  timestamp: z.iso.datetime({ precision: 0 }),
  sender: identitySchema,
  /** Hash of the previous message; of the agreement for the first. */
  previous: digest,
  /** Hash of the terms after this message. */
  terms_hash: digest,
  signature: z.string(),
});
export type NegotiationMessage = z.infer<typeof negotiationMessageSchema>;

/** A warning for both parties before they sign; it blocks nothing. */
export type PriceFlag = "price_above_market" | "price_below_market" | "no_market_data" | "market_reference_differs" | "tiers_above_default";

/** State of a negotiation, derived from the proposal and the messages. */
export interface Negotiation {
  /** The current terms. */
  readonly offer: Agreement;
  readonly state: AgreementState;
  readonly last: Hash;
  readonly flags: readonly PriceFlag[];
}

export interface NegotiationOptions {
  readonly keyOf: KeyOf;
  /** Median price of the service's type, decimal, in the agreement's currency. */
  readonly medianPrice?: string;
}

export function openNegotiation(proposal: Agreement, { medianPrice }: Pick<NegotiationOptions, "medianPrice"> = {}): Negotiation {
  return { offer: proposal, state: PROPOSED, last: agreementHash(proposal), flags: flagsOf(proposal, medianPrice) };
}

/** Replays a negotiation from its proposal and its messages. Throws AgreementRefused. */
export function replay(proposal: Agreement, messages: readonly unknown[], options: NegotiationOptions): Negotiation {
  return messages.reduce<Negotiation>((at, message) => negotiate(at, message, options), openNegotiation(proposal, options));
}

/** Throws AgreementRefused for a malformed message. */
export function readMessage(document: unknown): NegotiationMessage {
  const parsed = negotiationMessageSchema.safeParse(document);
  if (!parsed.success)
    throw new AgreementRefused("MalformedAgreement", "The negotiation message is malformed", z.prettifyError(parsed.error));
  return parsed.data;
}

/** Applies one message. Pure: throws AgreementRefused and changes nothing. */
export function negotiate(at: Negotiation, document: unknown, { keyOf, medianPrice }: NegotiationOptions): Negotiation {
  const message = readMessage(document);
  const { offer, state } = at;
  const by = PARTIES.find((party) => sameIdentity(offer.parties[party].identity, message.sender));
  if (by === undefined) throw new AgreementRefused("WrongSender", `${message.sender.value} is not a party`);
  if (message.agreement_id !== offer.agreement_id || message.previous !== at.last)
    throw new AgreementRefused("BrokenChain", "The message does not answer the last one", message.previous);
  const key = keyOf(message.sender);
  if (key === undefined) throw new AgreementRefused("UnknownKey", `No key of the ${by} is known`);
  const hash = messageHash(message);
  if (!isSignedBy(key, messageBytes("message", hash), message.signature as Hex))
    throw new AgreementRefused("BadSignature", `The ${by} has not signed this message`);
  if (message.action !== "reject" && by === state.offer) throw new AgreementRefused("NotYourTurn", `The standing offer is the ${by}'s own`);
  const terms = lifecycleTerms(offer);
  if (message.action === "counter" && state.rounds >= terms.maxRounds)
    throw new AgreementRefused("TooManyRounds", `At most ${terms.maxRounds} rounds`);
  if (message.round !== state.rounds + (message.action === "counter" ? 1 : 0))
    throw new AgreementRefused("WrongRound", `Round ${message.round} does not follow round ${state.rounds}`);
  const next = advance(state, { name: message.action satisfies EventName, by }, terms);
  const changed = message.action === "counter" ? applyChanges(offer, message.proposed_changes) : unchanged(offer, message);
  if (agreementHash(changed) !== message.terms_hash) throw new AgreementRefused("OtherTerms", "The sender signed other terms");
  return {
    offer: withSameTerms(changed, { status: next.status }),
    state: next,
    last: hash,
    flags: flagsOf(changed, medianPrice, message.market_reference),
  };
}

/** Hash of a message without its signature. */
export function messageHash({ signature: _, ...body }: Omit<NegotiationMessage, "signature"> & { readonly signature?: string }): Hash {
  return sha256(canonicalJson(body));
}

/** A party's intended next message. */
export type Saying = Pick<NegotiationMessage, "action" | "rationale_code" | "market_reference" | "timestamp"> & {
  readonly by: Party;
  readonly changes?: NegotiationMessage["proposed_changes"];
};

/** A party's next message, unsigned. Throws if `negotiate` would refuse its changes. */
export function draftMessage(at: Negotiation, { by, changes = {}, ...rest }: Saying): Omit<NegotiationMessage, "signature"> {
  const offer = rest.action === "counter" ? applyChanges(at.offer, changes) : at.offer;
  return {
    ...rest,
    agreement_id: at.offer.agreement_id,
    round: at.state.rounds + (rest.action === "counter" ? 1 : 0),
    proposed_changes: changes,
    sender: at.offer.parties[by].identity,
    previous: at.last,
    terms_hash: agreementHash(offer),
  };
}

/** The same, signed. */
export function say(at: Negotiation, signer: ByteSigner, saying: Saying): NegotiationMessage {
  const message = draftMessage(at, saying);
  return { ...message, signature: signer.sign(messageBytes("message", messageHash(message))) };
}

/** Whose turn it is; undefined once the offer is accepted. */
export function turnOf({ state }: Negotiation): Party | undefined {
  return state.agreed || state.division !== undefined ? undefined : otherParty(state.offer);
}

function unchanged(offer: Agreement, { proposed_changes }: NegotiationMessage): Agreement {
  const [path] = Object.keys(proposed_changes);
  if (path !== undefined) throw new AgreementRefused("PathNotNegotiable", "Only a counter may change terms", path);
  return offer;
}

/** The terms after changes, each on the list, within the limit, and valid together. */
export function applyChanges(offer: Agreement, changes: NegotiationMessage["proposed_changes"]): Agreement {
  const paths = Object.entries(changes).map(([path, value]) => [pointerOf(path), value] as const);
  if (paths.length === 0) throw new AgreementRefused("PathNotNegotiable", "A counter must change something");
  if (new Set(paths.map(([pointer]) => pointer)).size < paths.length)
    throw new AgreementRefused("PathNotNegotiable", "One term is changed twice", "in two spellings of its path");
  const limit = offer.negotiation?.max_change_percent ?? DEFAULTS.maxChangePercent;
  const copy: JsonValue = JSON.parse(canonicalJson(offer));
  for (const [pointer, value] of paths) {
    if (!NEGOTIABLE.some((pattern) => pattern.test(pointer)))
      throw new AgreementRefused("PathNotNegotiable", "This term is not negotiable", pointer);
    const keys = pointer.slice(1).split("/");
    const last = keys.pop() ?? "";
    const holder = keys.reduce<JsonValue | undefined>(childOf, copy);
    const before = childOf(holder, last);
    if (!isObject(holder) || before === undefined) throw new AgreementRefused("PathNotNegotiable", "There is no such term", pointer);
    const percent = changePercent(before, value, { pointer, since: Date.parse(offer.created_at) });
    if (percent > limit)
      throw new AgreementRefused(
        "ChangeTooLarge",
        `${pointer} changes by more than ${limit} % in one round`,
        `${JSON.stringify(before)} to ${JSON.stringify(value)}`,
      );
    Object.assign(holder, { [last]: value });
  }
  return readAgreement(copy);
}

/** `quality_criteria.dimensions[0].slo.value` as the pointer `/quality_criteria/dimensions/0/slo/value`. */
function pointerOf(path: string): string {
  return path.startsWith("/") ? path : `/${path.replace(/\[(\d+)\]/g, ".$1").replaceAll(".", "/")}`;
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Change of a term in percent: of a number, a decimal in text, or for a time of its distance from `since`, when the agreement was made.
 * Words may change freely; a zero may not change.
 */
function changePercent(
  before: JsonValue,
  after: JsonValue,
  { pointer, since }: { readonly pointer: string; readonly since: number },
): number {
  const [from, to] = [before, after].map((value) => (pointer === "/expires_at" ? secondsAfter(since, value) : numberOf(value)));
  if (from === undefined && to === undefined) return 0;
  if (from === undefined || to === undefined || typeof before !== typeof after)
    throw new AgreementRefused("PathNotNegotiable", "A term must keep its type", pointer);
  if (from === to) return 0;
  return from === 0 ? Number.POSITIVE_INFINITY : (Math.abs(to - from) * 100) / Math.abs(from);
}

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function secondsAfter(since: number, value: JsonValue): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : (at - since) / 1_000;
}

/** Warns both parties of a price far from the median, and of tiers that pay less than the default ones without a ground, forbidding neither. */
function flagsOf(agreement: Agreement, medianPrice: string | undefined, stated?: NegotiationMessage["market_reference"]): PriceFlag[] {
  const prices = priceFlagsOf(agreement, medianPrice, stated);
  return isAboveDefault(agreement) ? [...prices, "tiers_above_default"] : prices;
}

function priceFlagsOf(
  { escrow, negotiation }: Agreement,
  medianPrice: string | undefined,
  stated: NegotiationMessage["market_reference"],
): PriceFlag[] {
  if (escrow === undefined || !escrow.enabled) return [];
  const { amount, currency } = escrow.payment;
  const reference = stated && unitsOf(stated.median_price_for_service_type, currency);
  if (medianPrice === undefined) return ["no_market_data"];
  const [low, high] = negotiation?.price_bounds ?? DEFAULTS.priceBounds;
  const [price, median] = [Number(unitsOf(amount, currency)), Number(unitsOf(medianPrice, currency))];
  const differs = reference !== undefined && reference !== unitsOf(medianPrice, currency);
  return [
    ...(price < low * median ? (["price_below_market"] as const) : []),
    ...(price > high * median ? (["price_above_market"] as const) : []),
    ...(differs ? (["market_reference_differs"] as const) : []),
  ];
}

/** How an agreement is paid: the escrow and the afterwards payment that this city follows, and what it refuses to follow. */
import { z } from "zod";
import { type Agreement, AgreementRefused, decimalsOf, isEscrowed } from "../../agreements/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import { messageOf } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { requireEndpoint } from "../push.ts";

export const ZERO: Address = addressSchema.parse(`0x${"00".repeat(20)}`);

const walletsSchema = z.strictObject({
  client: addressSchema,
  provider: addressSchema,
  /** Absent for a drawn evaluator: the register has its account. */
  evaluator: addressSchema.optional(),
  backup: addressSchema.optional(),
  arbiter: addressSchema,
});

export const escrowBindingSchema = z.looseObject({
  type: z.literal("erc8183"),
  contract_address: addressSchema,
  chain: z.string(),
  token: addressSchema,
  wallets: walletsSchema,
});

export const x402BindingSchema = z.looseObject({
  type: z.literal("x402"),
  chain: z.string(),
  token: addressSchema,
  wallets: z.strictObject({ provider: addressSchema }),
});

/** `operator`: the account whose instructions the payer at `url` follows. `payee`: where the provider is paid, in the payer's words. */
export const callbackBindingSchema = z.looseObject({
  type: z.literal("http_callback"),
  url: z.string().max(500),
  operator: addressSchema,
  payee: z.string().min(1).max(500),
});

/** The bindings of this city. */
export interface OwnBindings {
  /** Undefined: it follows no escrow. */
  readonly escrow:
    | { readonly type: "erc8183"; readonly contract_address: Address; readonly chain: string; readonly token: Address }
    | undefined;
  /** How a client may pay afterwards. */
  readonly afterwards: { readonly type: "x402"; readonly chain: string; readonly token: Address };
  /** Who instructs a client's payer. Undefined: nobody here. */
  readonly callback: { readonly type: "http_callback"; readonly operator: Address } | undefined;
}

/** Checks that this city can follow an agreement: an evaluator, and its own escrow and token. Throws AgreementRefused. */
export function requireFollowed(agreement: Agreement, own: OwnBindings): void {
  requireEvaluator(agreement);
  const { escrow } = agreement;
  if (escrow === undefined || !escrow.enabled) return;
  if (escrow.binding.type === "http_callback") {
    requirePayer(escrow.binding, own.callback);
    return;
  }
  if (isEscrowed(agreement)) requireOwnEscrow(agreement, own.escrow);
  else {
    const { chain, token, wallets } = readBinding(x402BindingSchema, escrow.binding);
    if (chain !== own.afterwards.chain || token !== own.afterwards.token)
      throw malformed("This city settles in another token", canonicalJson(own.afterwards));
    if (wallets.provider === ZERO) throw malformed("The provider has no wallet");
  }
  const { currency } = escrow.payment;
  if (decimalsOf(currency) !== TOKEN_DECIMALS)
    throw new AgreementRefused("BadAmount", `The token has ${TOKEN_DECIMALS} decimals, ${currency} has ${decimalsOf(currency)}`);
}

function requirePayer(binding: unknown, own: OwnBindings["callback"]): void {
  if (own === undefined) throw malformed("This city does not instruct payers");
  const { url, operator } = readBinding(callbackBindingSchema, binding);
  if (operator !== own.operator) throw malformed("This city instructs by another account", canonicalJson(own));
  try {
    requireEndpoint(url);
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

/** What both should know before they sign: nothing is said of money that an escrow holds. */
export function noticeOf({ escrow }: Agreement): string | undefined {
  if (escrow?.enabled !== true) return undefined;
  const { type } = escrow.binding;
  if (type === "x402") return `${UNHELD} The client owes it once the agreement is over, and nobody can make it pay.`;
  if (type !== "http_callback") return undefined;
  return `${UNHELD} Once the agreement is over, this city instructs the client's payer, ${new URL(callbackBindingSchema.parse(escrow.binding).url).host}. It can neither make it pay nor see that it did: what counts as settled is that the payer says so.`;
}
const UNHELD = "Nobody holds the payment.";

function requireEvaluator({ parties: { evaluator } }: Agreement): void {
  const { identity, panel = [], selection } = evaluator;
  if (identity === undefined && panel.length + (selection?.register ?? []).length === 0)
    throw new AgreementRefused("NoEvaluator", "An agreement here must name an evaluator, or a register to draw it from");
}

function requireOwnEscrow({ escrow, parties: { evaluator } }: Agreement, own: OwnBindings["escrow"]): void {
  if (own === undefined) throw malformed("This city does not follow an escrow");
  const { contract_address, chain, token, wallets } = readBinding(escrowBindingSchema, escrow?.binding);
  if (contract_address !== own.contract_address || chain !== own.chain || token !== own.token)
    throw malformed("This city follows another escrow", canonicalJson(own));
  const register = evaluator.selection?.register?.map(({ wallet }) => addressSchema.safeParse(wallet).data);
  if (register !== undefined && wallets.evaluator !== undefined) throw malformed("The register states the wallet of a drawn evaluator");
  if (register === undefined && wallets.evaluator === undefined) throw malformed("The evaluator has no wallet");
  if (register?.includes(undefined) === true) throw malformed("An entry of the register has no wallet");
  const people = [...Object.values(wallets), ...(register ?? [])];
  if (new Set(people).size < people.length || people.includes(ZERO)) throw malformed("Each wallet must belong to a different person");
  if (evaluator.backup !== undefined && wallets.backup === undefined) throw malformed("The backup has no wallet");
}

/** Before a document is read as an agreement: whether it runs by the chain's clock. */
export function isEscrowedText(document: unknown): boolean {
  const escrow = z.object({ enabled: z.literal(true), binding: z.object({ type: z.string() }) });
  const { data } = z.object({ escrow }).safeParse(document);
  return data !== undefined && !["x402", "http_callback"].includes(data.escrow.binding.type);
}

export const malformed = (what: string, details?: string): AgreementRefused => new AgreementRefused("MalformedAgreement", what, details);

export function readBinding<Schema extends z.ZodType>(schema: Schema, binding: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(binding);
  if (parsed.success) return parsed.data;
  throw malformed("This city does not follow the binding; see get_agreement_template", z.prettifyError(parsed.error));
}

/** How an agreement is paid: the escrow and the afterwards payment that this city follows, and what it refuses to follow. */
import { z } from "zod";
import { type Agreement, AgreementRefused, decimalsOf, isEscrowed } from "../../agreements/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import type { Address } from "../../primitives/hex.ts";
import { canonicalJson } from "../../primitives/json.ts";

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

/** The bindings of this city. */
export interface OwnBindings {
  /** Undefined: it follows no escrow. */
  readonly escrow:
    | { readonly type: "erc8183"; readonly contract_address: Address; readonly chain: string; readonly token: Address }
    | undefined;
  /** How a client may pay afterwards. */
  readonly afterwards: { readonly type: "x402"; readonly chain: string; readonly token: Address };
}

/** Checks that this city can follow an agreement: an evaluator, and its own escrow and token. Throws AgreementRefused. */
export function requireFollowed(agreement: Agreement, own: OwnBindings): void {
  requireEvaluator(agreement);
  const { escrow } = agreement;
  if (escrow === undefined || !escrow.enabled) return;
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
  return data !== undefined && data.escrow.binding.type !== "x402";
}

export const malformed = (what: string, details?: string): AgreementRefused => new AgreementRefused("MalformedAgreement", what, details);

export function readBinding<Schema extends z.ZodType>(schema: Schema, binding: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(binding);
  if (parsed.success) return parsed.data;
  throw malformed("This city does not follow the binding; see get_agreement_template", z.prettifyError(parsed.error));
}

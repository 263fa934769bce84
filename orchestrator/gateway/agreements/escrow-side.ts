/** What an agreement has to do with the escrow that this city follows: its terms and job there, wallets' signatures, and steps as calls. */
import { erc20Abi, hashMessage, hashTypedData, stringify } from "viem";
import {
  type Act,
  type Agreement,
  type AgreementLife,
  AgreementRefused,
  agreementHash,
  type Consent,
  isDrawn,
  isEscrowed,
  messageBytes,
  sameIdentity,
  unitsOf,
} from "../../agreements/index.ts";
import { agreementEscrowAbi } from "../../chain/abi/AgreementEscrow.ts";
import type { CityChain } from "../../chain/chain.ts";
import { relay, type SignedCall } from "../../chain/relay.ts";
import {
  cancellationTypedData,
  type EscrowTerms,
  escrowTerms,
  escrowTypedData,
  isSignedByWallet,
  type JobView,
  jobOf,
  readJob,
  type Step,
  type StepCall,
  shareOf,
  stepCalls,
  stepOf,
} from "../../escrow/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { type Address, type Hash, type Hex, hexSchema } from "../../primitives/hex.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import { escrowBindingSchema, malformed, type OwnBindings, readBinding, ZERO } from "./bindings.ts";
import type { Releases } from "./releases.ts";
import type { Job, Standing } from "./standing.ts";
import type { Purse } from "./store.ts";

/** Validity of a consent to cancel, seconds. */
const CONSENT = 86_400;
/** Steps of `stepOf` that fund an escrow. */
const FUNDING: ReadonlySet<string> = new Set(["approve", "open", "fund"]);

export const stepRefused = (why: string): AgentCityError =>
  new AgentCityError("StepRefused", `This is not a valid step of the agreement: ${why}`, {
    action: "sign the transactions of prepare_agreement_step",
  });

export interface EscrowSideOptions {
  readonly chain: CityChain;
  /** The `AgreementEscrow` that this city follows. Without one, agreements here have no escrowed money. */
  readonly escrow: Address | undefined;
  /** The token of this city's escrows. */
  readonly token: Address;
  /** Instructs clients' payers. Without it, no agreement here is paid by them. */
  readonly releases?: Pick<Releases, "operator" | "watch" | "moved" | "of"> | undefined;
}

export class EscrowSide {
  readonly #options: EscrowSideOptions;

  constructor(options: EscrowSideOptions) {
    this.#options = options;
  }

  /** The bindings available here. */
  get bindings(): OwnBindings {
    const { escrow, token, chain, releases } = this.#options;
    const place = { chain: `eip155:${chain.id}`, token };
    return {
      escrow: escrow === undefined ? undefined : { type: "erc8183", contract_address: escrow, ...place },
      afterwards: { type: "x402", ...place },
      callback: releases && { type: "http_callback", operator: addressSchema.parse(releases.operator) },
    };
  }

  /** The chain's clock, unix seconds. */
  get now(): number {
    return Number(this.#options.chain.clock.now());
  }

  // --- The job -----------------------------------------------------------------------------------------------------------

  /** The escrow terms that both sign, and the job's number, computed without the chain. Undefined until accepted. */
  signedFor({ agreement, agreedAt, judges }: AgreementLife): Omit<Job, "view"> | undefined {
    if (!isEscrowed(agreement) || agreedAt === undefined) return undefined;
    const { wallets, token } = escrowBindingSchema.parse(agreement.escrow?.binding);
    const [evaluator, backup] = isDrawn(agreement)
      ? judges.map(({ wallet }) => addressSchema.parse(wallet))
      : [wallets.evaluator, wallets.backup];
    if (evaluator === undefined) return undefined;
    const terms = escrowTerms(agreement, { ...wallets, evaluator, backup: backup ?? ZERO, token }, { now: agreedAt });
    return { number: jobOf(this.#domain(), terms), terms };
  }

  async jobOf(life: AgreementLife): Promise<Job | undefined> {
    const signed = this.signedFor(life);
    if (signed === undefined) return undefined;
    const { chain } = this.#options;
    const view = await readJob(chain, { escrow: this.#address(), job: signed.number, fromBlock: chain.firstBlock });
    return { ...signed, view };
  }

  /** State and deadline of an active agreement according to the escrow. */
  led({ terms: { fundBy, evaluatorTimeout, backup }, view }: Job): Pick<Standing, "status" | "due"> {
    const { now } = this;
    if (view === undefined) return now > fundBy ? { status: "expired", due: undefined } : { status: "active", due: fundBy };
    const { status, dueAt: due, paid } = view;
    switch (status) {
      case "open":
      case "funded":
        return { status: "active", due };
      case "submitted": {
        // Until then only the first evaluator may submit a result.
        const backupsTurn = due - evaluatorTimeout;
        return { status: "delivered", due: backup !== ZERO && now <= backupsTurn ? backupsTurn : due };
      }
      case "judged":
        return { status: "verified", due };
      case "disputed":
        return { status, due };
      case "expired":
        return { status: paid === undefined || paid.provider === 0n ? "expired" : "closed", due: undefined };
      case "completed":
      case "rejected":
        return { status: "closed", due: undefined };
    }
  }

  // --- Wallets' signatures -------------------------------------------------------------------------------------------------

  /** What a wallet signs for the escrow, as EIP-712 JSON; undefined without a job. */
  typedData(job: Job | undefined): string | undefined {
    return job === undefined ? undefined : stringify(escrowTypedData(this.#domain(), job.terms));
  }

  /** What a wallet signs to consent to end the job with this share (basis points), as EIP-712 JSON, and its expiry. Throws StepRefused. */
  consentData(job: Job | undefined, share: number): { readonly typedData: string; readonly deadline: number } {
    const { number: jobId } = requireJob(job);
    const deadline = this.now + CONSENT;
    return { deadline, typedData: stringify(cancellationTypedData(this.#domain(), { jobId, share, deadline })) };
  }

  /** A signature under terms with money includes the escrow's terms: otherwise one side could be left with half an agreement. */
  async requireSigned(job: Job | undefined, { by, escrow_signature: signature }: Extract<Act, { readonly act: "sign" }>): Promise<void> {
    if (job === undefined) return;
    const wallet = job.terms[by];
    const hash = hashTypedData(escrowTypedData(this.#domain(), job.terms));
    if (signature === undefined || !(await this.#isSigned(wallet, hash, signature)))
      throw new AgreementRefused(
        "BadSignature",
        `The ${by}'s wallet did not sign the escrow's terms`,
        `${wallet}: EIP-712, field escrow_signature`,
      );
  }

  async requireConsent(job: Job | undefined, consent: Consent): Promise<void> {
    const { number, terms } = requireJob(job);
    const wallet = terms[consent.by];
    if (!(await this.#isSigned(wallet, this.#consentHash(number, consent), consent.escrow_signature)))
      throw new AgreementRefused("BadSignature", `The ${consent.by}'s wallet did not sign this cancellation`, wallet);
  }

  /** Whether the key of a party signed a consent. Contract wallets can only be checked on chain. */
  async isConsentOfParty(life: AgreementLife, consent: Consent): Promise<boolean> {
    const signed = this.signedFor(life);
    if (signed === undefined) return false;
    const { terms, number } = signed;
    const signature = hexSchema.parse(consent.escrow_signature);
    const signer = await recoverAddress({ hash: this.#consentHash(number, consent), signature }).catch(() => undefined);
    return signer === terms.client || signer === terms.provider;
  }

  /** The wallet that backs a proposal by its signature, and its balance. Throws MalformedAgreement, BadSignature. */
  async purseOf(agreement: Agreement, shown: Hex): Promise<Purse> {
    const { escrow } = agreement;
    if (escrow === undefined || !isEscrowed(agreement)) throw malformed("This proposal has no escrow, so no wallet can back it with money");
    const { client: wallet } = readBinding(escrowBindingSchema, escrow.binding).wallets;
    const text = new TextDecoder().decode(messageBytes("proposal", agreementHash(agreement)));
    if (!(await this.#isSigned(wallet, hashMessage(text), shown)))
      throw new AgreementRefused("BadSignature", "The client's wallet did not sign this proposal", wallet);
    return { wallet, stake: unitsOf(escrow.payment.amount, escrow.payment.currency), holds: await this.balanceOf(wallet) };
  }

  balanceOf(wallet: Address): Promise<bigint> {
    const { chain, token } = this.#options;
    return chain.publicClient.readContract({ abi: erc20Abi, address: token, functionName: "balanceOf", args: [wallet] });
  }

  // --- Steps -------------------------------------------------------------------------------------------------------------

  /**
   * The calls for an account's step. Throws StepRefused for one that is not due, or another party's.
   *
   * @param mayFund Refuses, or gives the wallet signatures of client and provider.
   */
  async calls(
    { job, life }: Standing,
    step: Step,
    { from, deliverable, percent }: StepDetails,
    mayFund: () => Promise<readonly (Hex | undefined)[]>,
  ): Promise<readonly StepCall[]> {
    const { number, terms, view } = requireJob(job);
    const escrow = this.#address();
    const mine = (whose: Address, who: string) => {
      if (from !== whose) throw stepRefused(`${step} belongs to the ${who}, ${whose}`);
    };
    switch (step) {
      case "fund": {
        mine(terms.client, "client");
        if (view !== undefined && view.status !== "open") throw stepRefused(`it is ${view.status}`);
        const [client, provider] = await mayFund();
        if (client === undefined || provider === undefined) throw stepRefused("both parties must sign it first");
        const allowance = await this.#allowance(from, escrow);
        return [
          ...(allowance < terms.amount ? [stepCalls.approve(terms.token, escrow, terms.amount)] : []),
          ...(view === undefined ? [stepCalls.open(escrow, terms, client, provider)] : []),
          stepCalls.fund(escrow, number, terms.amount),
        ];
      }
      case "submit":
        mine(terms.provider, "provider");
        if (deliverable === undefined) throw stepRefused("the deliverable's hash is required");
        return [stepCalls.submit(escrow, number, deliverable)];
      case "settle": {
        const result = resultOf(life, terms, from);
        if (result === undefined) throw stepRefused("there is no result of this evaluator: submit it with verify_agreement");
        return [stepCalls.settle(escrow, number, shareOf(result.determination.release_percent), result.hash)];
      }
      case "challenge":
        if (from !== terms.client && from !== terms.provider) throw stepRefused("only a party may challenge");
        return [stepCalls.challenge(escrow, number, view?.judged?.reason ?? agreementHash(life.agreement))];
      case "rule":
        mine(terms.arbiter, "arbiter");
        if (percent === undefined) throw stepRefused("the provider's percentage is required");
        return [stepCalls.rule(escrow, number, shareOf(percent), agreementHash(life.agreement))];
      case "cancel":
        return [this.#cancellation(life, { number, terms }, from, percent)];
      case "finalise":
        return [stepCalls.finalise(escrow, number)];
      case "withdraw":
        return [stepCalls.withdraw(escrow, terms.token, from)];
    }
  }

  /** Sent by one party with the other's consent. */
  #cancellation(life: AgreementLife, { number: jobId, terms }: Omit<Job, "view">, from: Address, percent: number | undefined): StepCall {
    if (from !== terms.client && from !== terms.provider) throw stepRefused("only a party may cancel");
    // Stated by the sender: otherwise the other party could replace its consent by another.
    if (percent === undefined) throw stepRefused("the provider's percentage is required");
    const other = from === terms.client ? "provider" : "client";
    const share = shareOf(percent);
    const { now } = this;
    const consent = life.consents.findLast((each) => each.by === other && each.share === share && each.deadline >= now);
    if (consent === undefined) throw stepRefused(`the ${other} has not consented to ${percent} %: it must use consent_to_cancellation`);
    const { deadline, escrow_signature } = consent;
    const signed = { by: other, signature: hexSchema.parse(escrow_signature) } as const;
    return stepCalls.cancel(this.#address(), { jobId, share, deadline }, signed);
  }

  /**
   * Relays signed transactions that are about this job only. Throws StepRefused, TransactionReverted.
   *
   * @param mayFund Refuses if nothing may be funded now.
   */
  async relay(job: Job | undefined, signed: readonly SignedCall[], mayFund: () => Promise<void>): Promise<void> {
    const { number, terms } = requireJob(job);
    const place = { escrow: this.#address(), job: number, terms };
    const calls = signed.map((call) => {
      const what = stepOf(call, place);
      if (what === undefined) throw stepRefused("a transaction does something else");
      return { ...call, what };
    });
    if (calls.some(({ what }) => FUNDING.has(what))) await mayFund();
    await relay(this.#options.chain, calls, agreementEscrowAbi, stepRefused);
  }

  #domain() {
    return { chainId: this.#options.chain.id, escrow: this.#address() };
  }

  #address(): Address {
    const { escrow } = this.#options;
    if (escrow === undefined) throw stepRefused("this city does not follow an escrow");
    return escrow;
  }

  #allowance(owner: Address, spender: Address): Promise<bigint> {
    const { chain, token } = this.#options;
    return chain.publicClient.readContract({ abi: erc20Abi, address: token, functionName: "allowance", args: [owner, spender] });
  }

  #consentHash(jobId: bigint, { share, deadline }: Consent): Hash {
    return hashTypedData(cancellationTypedData(this.#domain(), { jobId, share, deadline }));
  }

  #isSigned(wallet: Address, hash: Hash, signature: string): Promise<boolean> {
    return isSignedByWallet(this.#options.chain.publicClient, wallet, hash, hexSchema.parse(signature));
  }
}

export interface StepDetails {
  readonly from: Address;
  readonly deliverable?: Hash | undefined;
  readonly percent?: number | undefined;
}

function requireJob(job: Job | undefined): Job {
  if (job === undefined) throw stepRefused("it has no escrow, or is not accepted yet");
  return job;
}

/** Whether the first evaluator timed out at the escrow: another judged in its place, or may now. */
export function isLate(terms: EscrowTerms, { status, judged, dueAt: due }: JobView, now: number): boolean {
  if (judged !== undefined) return judged.by !== terms.evaluator;
  if (status === "submitted") return now > due - (terms.backup === ZERO ? 0 : terms.evaluatorTimeout);
  return status === "expired";
}

/** The result that an account settles with. */
function resultOf({ judges, results }: AgreementLife, { evaluator, backup }: EscrowTerms, from: Address) {
  const [first, second] = judges;
  const identity = (from === evaluator ? first : from === backup ? second : undefined)?.identity;
  return identity === undefined ? undefined : results.find(({ document }) => sameIdentity(document.evaluator, identity));
}

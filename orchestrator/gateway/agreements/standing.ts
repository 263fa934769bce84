/** An agreement as the gateway answers it: its stored acts, the life and the money that follow from them, and who may read it. */
import { z } from "zod";
import {
  type Act,
  type Agreement,
  type AgreementLife,
  actSchema,
  breakerName,
  type Judge,
  judgesIn,
  namedIn,
  type PartyIdentity,
  pinnedIn,
  readAgreement,
  type Status,
  sameIdentity,
} from "../../agreements/index.ts";
import { accountOf, type EscrowTerms, type JobView } from "../../escrow/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { parseJson } from "../../primitives/json.ts";
import { Refused } from "../errors.ts";
import { escrowBindingSchema } from "./bindings.ts";
import type { ReleaseState } from "./releases.ts";

/** An agreement with its life and the state of its money. */
export interface Standing {
  /** SHA-256 of the act that proposed it. */
  readonly id: Hash;
  readonly life: AgreementLife;
  readonly status: Status;
  /** When the current step times out, unix seconds. */
  readonly due: number | undefined;
  /** Present once accepted: what both sign for the escrow, and the job's state. */
  readonly job: Job | undefined;
  /** Present once over, if the client pays afterwards: amount, payee, and the payment's transaction (null: in flight). */
  readonly owed: { readonly amount: bigint; readonly payTo: Address; readonly paid: Hash | null | undefined } | undefined;
  /** Present once over, if the client's payer is instructed: the amount, and how it stands. */
  readonly release: ({ readonly amount: bigint } & ReleaseState) | undefined;
}

export interface Job {
  readonly number: bigint;
  readonly terms: EscrowTerms;
  readonly view: JobView | undefined;
}

/** Throws if an agreement no longer has the state that the caller expects; undefined: it does not exist. */
export type Still = (standing: Standing | undefined) => void;

export interface StoredAct {
  readonly act: Act;
  /** Unix seconds, by the clock that the agreement runs by. */
  readonly at: number;
  readonly text: string;
}

export const storedRowSchema = z
  .object({ at: z.coerce.number(), act: z.string() })
  .transform(({ at, act }): StoredAct => ({ at, text: act, act: actSchema.parse(parseJson(act)) }));

/** Terms as proposed, and the evaluators so far. */
export interface Named {
  readonly terms: Agreement;
  readonly judges: readonly Judge[];
}

export const namedBy = (acts: readonly StoredAct[]): Named => ({
  terms: termsOf(acts),
  judges: judgesIn(acts.map(({ act }) => act)),
});

/** Whether the caller may read a private agreement. */
export type MayRead = (named: Named) => boolean;

/** Terms as proposed, in which the persons never change. Throws NotFound. */
export function termsOf(acts: readonly StoredAct[]): Agreement {
  const first = acts[0]?.act;
  if (first?.act !== "propose") throw unknownAgreement();
  return readAgreement(first.document);
}

/** The same answer for a missing agreement and for one that the caller may not read. */
export function unknownAgreement(): Refused {
  return new Refused("NotFound", "No agreement with that id is public or names the caller", {
    action: "propose it again (unsigned agreements may be dropped), or authenticate as a reader with prepare_agreement_act",
  });
}

export const isPublic = (agreement: Agreement): boolean => agreement.visibility === "public";

/** Whether an agreement names an identity as party or evaluator, or an account as a wallet or a key of one. */
export function isNamed({ terms, judges }: Named, who: PartyIdentity | Address): boolean {
  if (typeof who !== "string") return namedIn(terms, judges).some((each) => sameIdentity(who, each));
  const pinned = namedIn(terms, judges).flatMap((each) => pinnedIn(each) ?? []);
  if (pinned.some((key) => accountOf(key) === who.toLowerCase())) return true;
  const binding = escrowBindingSchema.safeParse(terms.escrow?.binding);
  const drawn = judges.map(({ wallet }) => addressSchema.safeParse(wallet).data);
  return binding.success && [...Object.values(binding.data.wallets), ...drawn].includes(who);
}

/** Under which an identity is indexed. */
export const nameOf = breakerName;

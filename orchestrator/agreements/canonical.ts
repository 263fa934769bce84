import { sha256 } from "../primitives/hash.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { immutable, isImmutable } from "../primitives/immutable.ts";
import { canonicalJson } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy, type PublicKey } from "../primitives/signing.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, type PartyIdentity, readAgreement } from "./schema.ts";

export const PARTIES = ["client", "provider"] as const;
export type Party = (typeof PARTIES)[number];

export function otherParty(party: Party): Party {
  return party === "client" ? "provider" : "client";
}

/** The key behind an identity, asked of whoever knows: a registry, a DID document, a file. A port. */
export type KeyOf = (identity: PartyIdentity) => PublicKey | undefined;

/** What a signature is over; the word keeps one kind from passing for another. */
export type SignedKind =
  | "proposal"
  | "message"
  | "agreement"
  | "delivery"
  | "result"
  | "challenge"
  | "cancellation"
  | "nomination"
  | "draw"
  | "sample"
  | "reading";

const UTF_8 = new TextEncoder();

export function messageBytes(kind: SignedKind, hash: Hash): Uint8Array {
  return UTF_8.encode(`asa/1 ${kind} ${hash}`);
}

/** Hashes of agreements whose terms nobody can change any more. */
const hashes = new WeakMap<Agreement, Hash>();

/** SHA-256 of the RFC 8785 text of every term, fields that nobody here knows included; only status and signatures are outside. */
export function agreementHash(agreement: Agreement): Hash {
  const known = hashes.get(agreement);
  if (known !== undefined) return known;
  const { status: _, signatures: __, ...terms } = agreement;
  const hash = sha256(canonicalJson(terms));
  if (isImmutable(agreement)) hashes.set(agreement, hash);
  return hash;
}

/** The same terms with another status or other signatures: their hash stays what it was, and from now on they cannot be changed. */
export function withSameTerms(agreement: Agreement, more: Partial<Pick<Agreement, "status" | "signatures">>): Agreement {
  const hash = agreementHash(agreement);
  const next = immutable({ ...agreement, ...more });
  hashes.set(next, hash);
  return next;
}

/** The agreement with one party's signature. Throws Frozen where that party has signed, UnknownKey for another's key. */
export function signAgreement(agreement: Agreement, party: Party, signer: ByteSigner, keyOf: KeyOf): Agreement {
  const { signatures = {} } = agreement;
  if (agreement.status !== "proposed" && agreement.status !== "negotiating")
    throw new AgreementRefused("Frozen", `An agreement that is ${agreement.status} is not signed`);
  if (signatures[party] !== undefined) throw new AgreementRefused("Frozen", `The ${party} has signed`);
  const known = keyOf(agreement.parties[party].identity);
  const { algorithm, key } = signer.publicKey;
  if (known?.algorithm !== algorithm || known.key !== key) throw new AgreementRefused("UnknownKey", `This key is not the ${party}'s`);
  // Whoever signs runs code of its own: what it signs stays as it is meanwhile.
  const terms = isImmutable(agreement) ? agreement : withSameTerms(agreement, {});
  const value = signer.sign(messageBytes("agreement", agreementHash(terms)));
  return withSameTerms(terms, { signatures: { ...signatures, [party]: { scheme: algorithm, key, value } } });
}

/** Throws BadSignature unless both parties signed exactly these terms with their own keys. */
export function checkSignatures(agreement: Agreement, keyOf: KeyOf): void {
  const message = messageBytes("agreement", agreementHash(agreement));
  for (const party of PARTIES) {
    const signature = agreement.signatures?.[party];
    const key = keyOf(agreement.parties[party].identity);
    if (key === undefined) throw new AgreementRefused("UnknownKey", `Nobody knows a key of the ${party}`);
    const value = signature?.value as Hex | undefined;
    if (value === undefined || signature?.scheme !== key.algorithm || !isSignedBy(key, message, value))
      throw new AgreementRefused("BadSignature", `The ${party} has not signed these terms`);
  }
}

/** A document as somebody handed it in, with both signatures checked. */
export function readSigned(document: unknown, keyOf: KeyOf): Agreement {
  const agreement = readAgreement(document);
  checkSignatures(agreement, keyOf);
  return agreement;
}

import { sha256 } from "../primitives/hash.ts";
import { asciiBytes, type Hash, type Hex } from "../primitives/hex.ts";
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

/** Port that returns the key of an identity, from a registry, a DID document or a file. */
export type KeyOf = (identity: PartyIdentity) => PublicKey | undefined;

/** The signed payload; the prefix separates the kinds of signatures. */
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

export function messageBytes(kind: SignedKind, hash: Hash): Uint8Array {
  return asciiBytes(`asa/1 ${kind} ${hash}`);
}

/** Hashes of agreements whose terms are frozen. */
const hashes = new WeakMap<Agreement, Hash>();

/** SHA-256 of the RFC 8785 text of all terms, including unknown fields; only status and signatures are left out. */
export function agreementHash(agreement: Agreement): Hash {
  const known = hashes.get(agreement);
  if (known !== undefined) return known;
  const { status: _, signatures: __, ...terms } = agreement;
  const hash = sha256(canonicalJson(terms));
  if (isImmutable(agreement)) hashes.set(agreement, hash);
  return hash;
}

/** The same terms with another status or other signatures; the hash stays the same, and the terms are frozen from now on. */
export function withSameTerms(agreement: Agreement, more: Partial<Pick<Agreement, "status" | "signatures">>): Agreement {
  const hash = agreementHash(agreement);
  const next = immutable({ ...agreement, ...more });
  hashes.set(next, hash);
  return next;
}

/** Adds one party's signature. Throws Frozen if that party has already signed, UnknownKey for another's key. */
export function signAgreement(agreement: Agreement, party: Party, signer: ByteSigner, keyOf: KeyOf): Agreement {
  const { signatures = {} } = agreement;
  if (agreement.status !== "proposed" && agreement.status !== "negotiating")
    throw new AgreementRefused("Frozen", `An agreement in the state ${agreement.status} cannot be signed`);
  if (signatures[party] !== undefined) throw new AgreementRefused("Frozen", `The ${party} has signed`);
  const known = keyOf(agreement.parties[party].identity);
  const { algorithm, key } = signer.publicKey;
  if (known?.algorithm !== algorithm || known.key !== key) throw new AgreementRefused("UnknownKey", `This key is not the ${party}'s`);
  // The signer is caller-provided code: freeze the terms while it runs.
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
    if (key === undefined) throw new AgreementRefused("UnknownKey", `No key of the ${party} is known`);
    const value = signature?.value as Hex | undefined;
    if (value === undefined || signature?.scheme !== key.algorithm || !isSignedBy(key, message, value))
      throw new AgreementRefused("BadSignature", `The ${party} has not signed these terms`);
  }
}

/** Reads a received document and verifies both signatures. */
export function readSigned(document: unknown, keyOf: KeyOf): Agreement {
  const agreement = readAgreement(document);
  checkSignatures(agreement, keyOf);
  return agreement;
}

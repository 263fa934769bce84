import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { ClassName } from "./admissibility.ts";
import { classSchema, digestSchema, jsonSchema, nameSchema, timeSchema } from "./fields.ts";
import { hashOf, refOf, refSchema, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** One emitter in an item's provenance: the class it vouches for, for which artifact and obligation (Π of RAILS 4.3). */
const hopSchema = z.strictObject({
  emitter: nameSchema,
  class: classSchema,
  issued_at: timeSchema,
  /** Hash of the previous hop; absent on the first. */
  previous: digestSchema.optional(),
  /** Additional proof that the class requires: a TEE quote, a proof. */
  attachment: jsonSchema.optional(),
  /** Absent on a self-reporting hop. */
  signature: signatureSchema.optional(),
});
export type Hop = z.infer<typeof hopSchema>;

const itemSchema = z.strictObject({
  id: nameSchema,
  type: nameSchema,
  class: classSchema,
  provenance: z.array(hopSchema).max(64).readonly(),
  /** Digest of the artifact. */
  ref: refSchema,
  /** The artifact itself, if it is part of the envelope. */
  content: jsonSchema.optional(),
});
export type EvidenceItem = z.infer<typeof itemSchema>;

/** The record of what happened (RAILS 4.3, A.3.2). */
export const envelopeSchema = z.strictObject({
  envelope_id: digestSchema,
  obligation_hash: digestSchema,
  /** τ: the execution episode. */
  trace_id: nameSchema.optional(),
  submitted_by: nameSchema,
  submitted_at: timeSchema,
  items: z.array(itemSchema).max(256).readonly(),
  submission_signature: signatureSchema,
});
export type EvidenceEnvelope = z.infer<typeof envelopeSchema>;

/** Reference in a verifier's basis: the item with its whole provenance. */
export function itemHash(item: EvidenceItem): Hash {
  return hashOf(item);
}

export function envelopeId(envelope: Omit<EvidenceEnvelope, "envelope_id" | "submission_signature">): Hash {
  const { obligation_hash, trace_id, submitted_by, submitted_at, items } = envelope;
  return hashOf({ obligation_hash, ...(trace_id === undefined ? {} : { trace_id }), submitted_by, submitted_at, items });
}

/** Content of a hop's signature: this artifact, under this name, for this obligation, after that hop. */
export function hopHash(obligationHash: Hash, item: Pick<EvidenceItem, "id" | "type" | "ref">, hop: Omit<Hop, "signature">): Hash {
  const { emitter, class: claimed, issued_at, previous, attachment } = hop;
  const { id, type, ref } = item;
  const signed = { class: claimed, emitter, issued_at, item: { id, ref, type }, obligation_hash: obligationHash };
  if (previous === undefined && attachment === undefined) return hashOf(signed);
  return hashOf({
    ...signed,
    ...(previous === undefined ? {} : { previous }),
    ...(attachment === undefined ? {} : { attachment }),
  });
}

/** An emitter's statement. */
export interface Emission {
  readonly signer: Signer;
  readonly class: ClassName;
  readonly issuedAt: string;
  readonly attachment?: Hop["attachment"];
}

/** An item without provenance: its submitter's own statement. */
export function selfReport(id: string, type: string, content: NonNullable<EvidenceItem["content"]>): EvidenceItem {
  return { id, type, class: "SELF", provenance: [], ref: refOf(content), content };
}

/** The item after one more signed hop. The first hop's claimed class stays. */
export function emit(obligationHash: Hash, item: EvidenceItem, { signer, class: claimed, issuedAt, attachment }: Emission): EvidenceItem {
  const last = item.provenance.at(-1);
  const hop = {
    emitter: signer.id,
    class: claimed,
    issued_at: issuedAt,
    ...(last === undefined ? {} : { previous: hashOf(last) }),
    ...(attachment === undefined ? {} : { attachment }),
  };
  const signature = signHash(signer, "hop", hopHash(obligationHash, item, hop));
  return { ...item, class: last === undefined ? claimed : item.class, provenance: [...item.provenance, { ...hop, signature }] };
}

/** An item that one emitter made and signed. */
export function emitted(
  obligationHash: Hash,
  artifact: { readonly id: string; readonly type: string; readonly content: NonNullable<EvidenceItem["content"]> },
  emission: Emission,
): EvidenceItem {
  return emit(obligationHash, selfReport(artifact.id, artifact.type, artifact.content), emission);
}

/** Seals and signs an envelope of items. */
export function sealEnvelope(
  signer: Signer,
  body: Omit<EvidenceEnvelope, "envelope_id" | "submission_signature" | "submitted_by">,
): EvidenceEnvelope {
  const signed = { ...body, submitted_by: signer.id };
  const id = envelopeId(signed);
  return { ...signed, envelope_id: id, submission_signature: signHash(signer, "envelope", id) };
}

/** The digest of an item, verified against the included content. */
export function contentMatches({ ref, content }: EvidenceItem): boolean {
  return content === undefined || refOf(content) === ref;
}

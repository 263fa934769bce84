import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { ClassName } from "./admissibility.ts";
import { classSchema, digestSchema, jsonSchema, nameSchema, timeSchema } from "./fields.ts";
import { hashOf, refOf, refSchema, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** One emitter an item passed through: what class it vouches for, over which artifact, for which obligation (Π of RAILS 4.3). */
const hopSchema = z.strictObject({
  emitter: nameSchema,
  class: classSchema,
  issued_at: timeSchema,
  /** Hash of the hop before; absent on the first. */
  previous: digestSchema.optional(),
  /** What the class needs besides: a TEE quote, a proof. */
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
  /** The artifact itself, where it travels with the envelope. */
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

/** What a verifier's basis names: the item with its whole provenance. */
export function itemHash(item: EvidenceItem): Hash {
  return hashOf(item);
}

export function envelopeId(envelope: Omit<EvidenceEnvelope, "envelope_id" | "submission_signature">): Hash {
  const { obligation_hash, trace_id, submitted_by, submitted_at, items } = envelope;
  return hashOf({ obligation_hash, ...(trace_id === undefined ? {} : { trace_id }), submitted_by, submitted_at, items });
}

/** What a hop's signature covers: this artifact, under this name, for this obligation, after that hop. */
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

/** What an emitter vouches for. */
export interface Emission {
  readonly signer: Signer;
  readonly class: ClassName;
  readonly issuedAt: string;
  readonly attachment?: Hop["attachment"];
}

/** An item without provenance: the bare word of whoever submits it. */
export function selfReport(id: string, type: string, content: NonNullable<EvidenceItem["content"]>): EvidenceItem {
  return { id, type, class: "SELF", provenance: [], ref: refOf(content), content };
}

/** The item as it leaves an emitter: one signed hop more. The claimed class is the emitter's on the first hop and stays after it. */
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

/** Seals the items and signs them in. */
export function sealEnvelope(
  signer: Signer,
  body: Omit<EvidenceEnvelope, "envelope_id" | "submission_signature" | "submitted_by">,
): EvidenceEnvelope {
  const signed = { ...body, submitted_by: signer.id };
  const id = envelopeId(signed);
  return { ...signed, envelope_id: id, submission_signature: signHash(signer, "envelope", id) };
}

/** The digest an item refers to, checked against what travels with it. */
export function contentMatches({ ref, content }: EvidenceItem): boolean {
  return content === undefined || refOf(content) === ref;
}

import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import type { ClassCheck } from "./deployment.ts";
import { type EvidenceItem, type Hop, hopHash } from "./evidence-envelope.ts";
import { jsonSchema, nameSchema } from "./fields.ts";

/** What a genuine quote says. */
export interface Quote {
  /** The code that ran. */
  readonly measurement: string;
  /** What that code was asked to vouch for. */
  readonly reportData: string;
}

/** The adapter of one kind of TEE. A port: certificates and formats are the deployment's. */
export interface QuoteVerifier {
  /** Named by the attachment: `sgx-dcap`, `sev-snp`, `nitro`. */
  readonly platform: string;
  /** What the quote says if the platform's own keys signed it; else undefined. May throw, which counts as neither. */
  verify(quote: JsonValue): Quote | undefined;
}

const attachmentSchema = z.strictObject({ platform: nameSchema, quote: jsonSchema });

/** What a quote for a hop carries as its report data: all that the hop vouches for, but the quote itself. */
export function quoteStatement(obligationHash: Hash, item: Pick<EvidenceItem, "id" | "type" | "ref">, hop: Omit<Hop, "signature">): Hash {
  const { attachment: _, ...bare } = hop;
  return hopHash(obligationHash, item, bare);
}

/**
 * For `classChecks`: beside the registered key's signature every hop of the class attaches `{ platform, quote }`, from a known platform, of
 * measured code that was reviewed, about this hop and no other.
 */
export function quoteCheck(verifiers: readonly QuoteVerifier[], measurements: readonly string[]): ClassCheck {
  return (item, hop, { obligation_hash }) => {
    const attached = attachmentSchema.safeParse(hop.attachment).data;
    const says = attached && verifiers.find(({ platform }) => platform === attached.platform)?.verify(attached.quote);
    return says !== undefined && measurements.includes(says.measurement) && says.reportData === quoteStatement(obligation_hash, item, hop);
  };
}

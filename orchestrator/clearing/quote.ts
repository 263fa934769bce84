import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import type { ClassCheck } from "./deployment.ts";
import { type EvidenceItem, type Hop, hopHash } from "./evidence-envelope.ts";
import { jsonSchema, nameSchema } from "./fields.ts";

/** Content of a genuine quote. */
export interface Quote {
  /** Measurement of the code that ran. */
  readonly measurement: string;
  /** Data that the code vouched for. */
  readonly reportData: string;
}

/** Port to one kind of TEE; certificates and formats are the deployment's. */
export interface QuoteVerifier {
  /** Name in the attachment: `sgx-dcap`, `sev-snp`, `nitro`. */
  readonly platform: string;
  /** The quote's content if the platform's keys signed it, else undefined. May throw, which also rejects it. */
  verify(quote: JsonValue): Quote | undefined;
}

const attachmentSchema = z.strictObject({ platform: nameSchema, quote: jsonSchema });

/** Report data of a hop's quote: everything that the hop vouches for except the quote itself. */
export function quoteStatement(obligationHash: Hash, item: Pick<EvidenceItem, "id" | "type" | "ref">, hop: Omit<Hop, "signature">): Hash {
  const { attachment: _, ...bare } = hop;
  return hopHash(obligationHash, item, bare);
}

/**
 * For `classChecks`: besides the registered key's signature every hop of the class attaches `{ platform, quote }`, from a known platform,
 * of reviewed code, about exactly this hop.
 */
export function quoteCheck(verifiers: readonly QuoteVerifier[], measurements: readonly string[]): ClassCheck {
  return (item, hop, { obligation_hash }) => {
    const attached = attachmentSchema.safeParse(hop.attachment).data;
    const says = attached && verifiers.find(({ platform }) => platform === attached.platform)?.verify(attached.quote);
    return says !== undefined && measurements.includes(says.measurement) && says.reportData === quoteStatement(obligation_hash, item, hop);
  };
}

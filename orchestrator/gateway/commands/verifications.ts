import { z } from "zod";
import { codeParsers } from "../../agreements/code-formats.ts";
import { type Agreement, contentHash, FORMAT_NAMES, verifyStructure } from "../../agreements/index.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { type Command, cityCommand } from "../command.ts";
import { address, hash, seconds } from "../wire.ts";

/** What the operator signs: its RFC 8785 text. */
export const verificationDocument = z.strictObject({
  verification: z.literal(1),
  deliverable: hash.meta({ description: "SHA-256 of the content's UTF-8" }),
  format: z.enum(FORMAT_NAMES),
  problems: z.array(z.string()),
  passes: z.boolean(),
  at: seconds,
});

/** Structural checks of deliverables, for parties of any agreement, or none. */
export const verificationCommands: readonly Command[] = [
  cityCommand({
    name: "verify_deliverable",
    method: "POST",
    path: "/v1/verifications",
    group: "Agreements",
    doc: "Checks a deliverable's structure: whether it parses in its format, its size, required fields. The answer identifies it by its hash and is signed by the operator's key; the content is not stored, and its quality is not judged. If the operator set a price, it is paid by x402.",
    access: "open",
    paid: "toll",
    cost: 100,
    input: z.strictObject({
      content: z.string().min(1).max(49_152),
      format: z.enum(FORMAT_NAMES),
      maxBytes: z.int().positive().optional(),
      required: z.array(z.string().min(1).max(100)).max(50).optional().meta({ description: "Fields that a JSON object must have" }),
    }),
    output: z.strictObject({ document: verificationDocument, key: address, signature: z.string() }),
    async run({ attest, millis }, { content, format, maxBytes, required }) {
      const at = Math.floor(millis() / 1_000);
      const now = new Date(at * 1_000).toISOString();
      const delivered = { content: new TextEncoder().encode(content), delivered_at: now };
      const service = {
        type: "general",
        description: "",
        deliverable_format: format,
        ...(maxBytes === undefined ? {} : { constraints: { max_bytes: maxBytes } }),
        ...(required === undefined ? {} : { deliverable_schema: { type: "object", required } }),
      };
      const { problems } = verifyStructure({ service, quality_criteria: NO_CRITERIA }, delivered, { startedAt: now, parsers: PARSERS });
      const document = {
        verification: 1 as const,
        deliverable: contentHash(delivered),
        format,
        problems: [...problems],
        passes: problems.length === 0,
        at,
      };
      return { document, ...(await attest(canonicalJson(document))) };
    },
  }),
];

/** Milliseconds: code of this length takes a tenth of it. What takes longer is hostile, and `cost` makes its sender pay. */
const PARSERS = codeParsers(200);

const NO_CRITERIA: Agreement["quality_criteria"] = {
  dimensions: [],
  composite_threshold: 0,
  composite_method: "weighted_average",
  guarantee_type: "deterministic",
};

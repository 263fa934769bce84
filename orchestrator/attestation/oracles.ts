/** Deterministic oracles over documents read by a source fetcher: their answers can be reproduced from a bundle, offline. */
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { parseJsonBytes } from "../primitives/json.ts";
import { measuredValueSchema } from "./claims.ts";
import type { InferenceOracle, MeasurementFetcher, SimilarityComputer, SourceFetcher } from "./ports.ts";

const recordSchema = z.record(z.string(), z.unknown());

/** A field with its unit and method. */
const recordedSchema = z.strictObject({ value: measuredValueSchema, unit: z.string().min(1), method: z.string().min(1) });
/** Unit and method of a bare field, and of several fields together. */
const AS_RECORDED = { unit: "record", method: "read" } as const;

/**
 * Reads measurements from structured records: JSON objects whose fields are values or `{value, unit, method}`. A fragment names one field
 * (`…/applicant-7#dti`); without one the fields of the claim are read together, in unit `record` by method `read`, like bare fields.
 */
export function recordMeasurements(sources: SourceFetcher): MeasurementFetcher {
  return {
    id: "structured-record/v1",
    determinism: "deterministic",
    async read({ source: uri, fields }) {
      const [document = uri, fragment] = uri.split("#", 2);
      const source = await sources.fetch(document);
      const record = recordSchema.parse(parseJsonBytes(source));
      if (fragment !== undefined) return { ...readField(ownOf(record, decodeURIComponent(fragment))), source };
      if (fields === null) throw new InvalidValue("measurement source", "name the field of a single value, as in #dti", { details: uri });
      const known = fields.filter((field) => Object.hasOwn(record, field));
      const values = known.map((field) => [field, readField(record[field]).value]);
      return { value: measuredValueSchema.parse(Object.fromEntries(values)), ...AS_RECORDED, source };
    },
  };
}

function readField(field: unknown): z.infer<typeof recordedSchema> {
  const recorded = recordedSchema.safeParse(field);
  return recorded.success ? recorded.data : { value: measuredValueSchema.parse(field), ...AS_RECORDED };
}

function ownOf(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}

/** A rule as a document: the conclusion follows if every condition is among the premises. */
export const ruleSchema = z.strictObject({
  rule: z.string().min(1),
  conditions: z.array(z.string().min(1)).min(1),
  conclusion: z.string().min(1),
});

/** Applies rules that are stored as documents; `locate` returns the URI of a rule's document. */
export function ruleOracle(sources: SourceFetcher, locate: (method: string) => string): InferenceOracle {
  return {
    id: "rule-document/v1",
    determinism: "deterministic",
    async entails({ method, premises, conclusion }) {
      const source = await sources.fetch(locate(method));
      const rule = ruleSchema.parse(parseJsonBytes(source));
      if (rule.rule !== method) throw new InvalidValue("rule document", `it contains ${rule.rule}, not ${method}`);
      const holds = rule.conclusion === conclusion && rule.conditions.every((condition) => premises.includes(condition));
      return { holds, source };
    },
  };
}

const METRICS: Readonly<Record<string, (a: string, b: string) => number>> = {
  "word-jaccard/v1": (a, b) => jaccard(words(a), words(b)),
  "trigram-jaccard/v1": (a, b) => jaccard(trigrams(a), trigrams(b)),
};

/** Compares a claim's words with a reference case by a fixed metric; an unknown method cannot be verified. */
export function fixedMetricSimilarity(sources: SourceFetcher): SimilarityComputer {
  return {
    id: "fixed-metric/v1",
    determinism: "deterministic",
    async compute({ method, referenceCase, claim }) {
      const metric = Object.hasOwn(METRICS, method) ? METRICS[method] : undefined;
      if (metric === undefined)
        throw new InvalidValue("similarity method", `${method} is not supported`, {
          action: `use ${Object.keys(METRICS).join(" or ")}`,
        });
      const source = await sources.fetch(referenceCase);
      return { score: metric(claim, new TextDecoder().decode(source)), source };
    },
  };
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function trigrams(text: string): Set<string> {
  const plain = [...text.toLowerCase().replace(/\s+/g, " ").trim()];
  return new Set(plain.slice(2).map((_, index) => plain.slice(index, index + 3).join("")));
}

/** Jaccard index; two empty sets are equal. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((one) => b.has(one)).length;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}

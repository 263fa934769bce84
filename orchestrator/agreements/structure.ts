import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { compileSchema, describeProblem } from "../primitives/json-schema.ts";
import { type FormatChecks, formatProblems } from "./formats.ts";
import type { Agreement } from "./schema.ts";
import type { Measured } from "./score.ts";

/** A delivery. Its content is not stored here: results and records refer to it by hash. */
export interface Deliverable {
  readonly content: Uint8Array;
  readonly delivered_at: string;
}

export function contentHash({ content }: Pick<Deliverable, "content">): Hash {
  return sha256(content);
}

/** Structural findings, made without understanding the content. */
export interface StructuralReport {
  /** Each of these fails the deliverable: it is not what was ordered. */
  readonly problems: readonly string[];
  readonly measured: Measured;
  /** Terms that were not measured; they do not become scores. */
  readonly unseen: readonly string[];
}

export interface StructuralPorts {
  /** Counts tokens with the parties' tokenizer; without it `max_tokens` stays unmeasured. */
  readonly countTokens?: (text: string) => number;
  /** Parsers of formats other than text, markdown and JSON. A format without a parser is not scored. */
  readonly parsers?: FormatChecks;
}

/** Format, size, schema, time. `startedAt`: when the provider's time started. Never throws because of the content. */
export function verifyStructure(
  { service, quality_criteria }: Pick<Agreement, "service" | "quality_criteria">,
  { content, delivered_at }: Deliverable,
  { startedAt, countTokens, parsers }: StructuralPorts & { readonly startedAt: string },
): StructuralReport {
  const { max_bytes, max_tokens, max_duration_seconds } = service.constraints ?? {};
  const text = textOf(content);
  const problems: string[] = [];
  if (content.length === 0) problems.push("nothing was delivered");
  if (text === undefined) problems.push("it is not UTF-8 text");
  if (max_bytes !== undefined && content.length > max_bytes) problems.push(`${content.length} bytes are more than ${max_bytes}`);
  if (text !== undefined && max_tokens !== undefined && countTokens !== undefined && countTokens(text) > max_tokens)
    problems.push(`it has more than ${max_tokens} tokens`);
  const { deliverable_schema: schema } = service;
  // What is empty, no text or too large is not parsed.
  const readable = problems.length === 0 ? text : undefined;
  const format = formatProblems(service.deliverable_format, readable ?? "", parsers);
  if (readable !== undefined) problems.push(...new Set([...(format ?? []), ...schemaProblems(readable, schema)]));
  const seconds = (Date.parse(delivered_at) - Date.parse(startedAt)) / 1000;
  const seen: Record<string, number | boolean> = { duration_seconds: seconds };
  // A format that nothing here can parse is not scored; a problem without any parser is one all the same.
  const isParsed = format !== undefined || schema !== undefined;
  if (isParsed || problems.length > 0) seen["format_compliance"] = problems.length === 0 ? 100 : 0;
  if (max_duration_seconds !== undefined) seen["timeliness"] = seconds <= max_duration_seconds;
  const measured: Record<string, number | boolean> = {};
  for (const [name, found] of Object.entries(seen))
    if (quality_criteria.dimensions.some((asked) => asked.name === name)) measured[name] = found;
  return {
    problems,
    measured,
    unseen: [...(max_tokens !== undefined && countTokens === undefined ? ["max_tokens"] : []), ...(isParsed ? [] : ["deliverable_format"])],
  };
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function textOf(content: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(content);
  } catch {
    return undefined;
  }
}

/** Problems of JSON with a schema; none without a schema. */
function schemaProblems(text: string, schema: unknown): readonly string[] {
  const wanted = schema === undefined ? undefined : asObject(schema);
  if (wanted === undefined) return [];
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return ["it is not JSON"];
  }
  const problem = compileSchema(wanted)(value);
  return problem === undefined ? [] : [describeProblem(problem)];
}

function asObject(schema: unknown): JsonObject | undefined {
  const value = parseJson(canonicalJson(schema));
  return isObject(value) ? value : undefined;
}

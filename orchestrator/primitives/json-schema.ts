import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { AgentCityError, messageOf } from "./errors.ts";
import { inTime } from "./in-time.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** A JSON Schema that cannot be enforced: an unknown keyword or format, an external reference, or not a schema at all. */
export class SchemaUnusable extends AgentCityError {
  constructor(details: string, cause?: unknown) {
    super("SchemaUnusable", "The JSON Schema cannot be used", {
      details,
      action: "use keywords and formats of JSON Schema 2020-12, and references within the schema only",
      cause,
    });
  }
}

/** Where a value violates its schema, and how. */
export interface SchemaProblem {
  /** Keys from the root to the offending part. */
  readonly path: readonly string[];
  /** `must have "text"` */
  readonly message: string;
}

/** The first violation, or undefined. */
export type SchemaCheck = (value: JsonValue) => SchemaProblem | undefined;

/** Time limit for one value, milliseconds: schemas come from strangers, and a pattern may backtrack forever. */
const CHECK_MS = 5_000;
/** Maximum length of a schema, characters. */
const MAX_SCHEMA = 262_144;

/** Unknown keywords, unknown formats and keywords without effect are refused instead of ignored. */
const STRICT: Options = { strict: true, strictTypes: false, strictRequired: false, addUsedSchema: false };

/**
 * Annotates an option that names a field of the items, or a list of them. Its value says which kind: any field, a numeric one, a
 * multiplier, a grouping key or an identifier. It validates nothing by itself: planners read it, and mission files are checked against it
 * along their tasks.
 */
export const COLUMN = "x-column";
export const COLUMN_USES = ["any", "number", "factor", "group", "key"] as const;
export type ColumnUse = (typeof COLUMN_USES)[number];

const checking = onFirstUse({});
const filling = onFirstUse({ useDefaults: true });

/** Created on first use: it takes 0.2 s, and many commands validate nothing. */
function onFirstUse(options: Options): () => Ajv2020 {
  let made: Ajv2020 | undefined;
  return () => {
    made ??= formats
      .default(new Ajv2020({ ...STRICT, ...options }))
      .addKeyword({ keyword: COLUMN, schemaType: "string", metaSchema: { enum: [...COLUMN_USES] } });
    return made;
  };
}

/** Compiles a schema (JSON Schema 2020-12). Throws SchemaUnusable. */
export function compileSchema(schema: JsonObject): SchemaCheck {
  return compile(checking(), schema);
}

/** A copy of the value with the schema's defaults filled in, and the first violation. Throws SchemaUnusable. */
export function withDefaults(
  schema: JsonObject,
  value: JsonObject,
): { readonly value: JsonObject; readonly problem: SchemaProblem | undefined } {
  const filled: JsonObject = structuredClone(value);
  const problem = compile(filling(), schema)(filled);
  return { value: filled, problem };
}

function compile(ajv: Ajv2020, schema: JsonObject): SchemaCheck {
  const size = JSON.stringify(schema).length;
  if (size > MAX_SCHEMA) throw new SchemaUnusable(`it has ${size} characters; at most ${MAX_SCHEMA}`);
  if (schema["$async"] !== undefined) throw new SchemaUnusable('unknown keyword "$async"');
  try {
    const validate = ajv.compile(schema);
    return (value) => {
      const checked = inTime(CHECK_MS, () => validate(value));
      if (checked === undefined) return { path: [], message: `takes longer than ${CHECK_MS / 1_000} s to check` };
      const [first] = validate.errors ?? [];
      return checked.value || first === undefined ? undefined : problemOf(first);
    };
  } catch (error) {
    throw new SchemaUnusable(messageOf(error), error);
  }
}

function problemOf({ instancePath, keyword, params, message }: ErrorObject): SchemaProblem {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return { path, message: wordsFor(keyword, params) ?? message ?? `does not fit ${keyword}` };
}

function wordsFor(keyword: string, params: Readonly<Record<string, unknown>>): string | undefined {
  switch (keyword) {
    case "required":
      return `must have ${JSON.stringify(params["missingProperty"])}`;
    case "additionalProperties":
      return `must not have ${JSON.stringify(params["additionalProperty"])}`;
    case "unevaluatedProperties":
      return `must not have ${JSON.stringify(params["unevaluatedProperty"])}`;
    case "enum":
      return `must be one of ${JSON.stringify(params["allowedValues"])}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    default:
      return undefined;
  }
}

/** `items.0.text must be string`; `it must have "items"` at the root. */
export function describeProblem({ path, message }: SchemaProblem): string {
  return `${path.length === 0 ? "it" : path.join(".")} ${message}`;
}

import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { compileSchema, describeProblem } from "../../primitives/json-schema.ts";
import type { ServiceSchemas } from "./run.ts";

/** Number of ids listed in a message. */
const NAMED = 5;

/**
 * Problem with the ids of an output's items: duplicates, or unanswered items of a service that works item by item (unless it `drops`
 * items).
 */
export function itemsProblem(
  { perItem = false, drops = false }: { readonly perItem?: boolean; readonly drops?: boolean },
  input: JsonValue,
  output: JsonValue,
): string | undefined {
  const answered = new Set<string>();
  for (const id of idsIn(output)) {
    if (answered.has(id)) return `two items have the id ${JSON.stringify(id)}`;
    answered.add(id);
  }
  if (!perItem || drops) return undefined;
  const upstream = isObject(input) && isList(input["upstream"]) ? input["upstream"] : [];
  const asked = new Set([input, ...upstream].flatMap(idsIn));
  const left = [...asked].filter((id) => !answered.has(id));
  if (left.length === 0) return undefined;
  const named = left.slice(0, NAMED).map((id) => JSON.stringify(id));
  return `${left.length} of ${asked.size} items have no answer: ${named.join(", ")}${left.length > NAMED ? ", …" : ""}`;
}

/** Problem of an output made elsewhere with its service's schemas. */
export function outputProblem(schemas: ServiceSchemas, input: JsonObject, output: JsonObject): string | undefined {
  const misfit = compileSchema(schemas.output)(output);
  return misfit === undefined ? itemsProblem(schemas, input, output) : `the output does not fit its schema: ${describeProblem(misfit)}`;
}

function idsIn(value: JsonValue): string[] {
  const items = isObject(value) ? value["items"] : undefined;
  return isList(items) ? items.flatMap((item) => (isObject(item) && typeof item["id"] === "string" ? [item["id"]] : [])) : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

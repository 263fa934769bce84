import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { compileSchema, describeProblem } from "../../primitives/json-schema.ts";
import type { ServiceSchemas } from "./run.ts";

/** Ids named in a message. */
const NAMED = 5;

/**
 * What is wrong with the ids of an output's items, if anything: two are the same, or a service that works item by item (and does not say
 * that it `drops`) left some unanswered.
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

/** What a service's schemas say against an output that it did not give here. */
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

import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import type { OutputFormat } from "../../protocol/mission-file-schema.ts";
import { stemsIn } from "./words.ts";

/** A planner's view of a service: what `ServiceAbout` states. */
export interface PlannableService {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Kinds of input, and `items` for other services' output. */
  readonly accepts: readonly string[];
  readonly produces: "items" | "document";
  /** Format of its document; markdown unless stated. */
  readonly writes?: OutputFormat;
  readonly perItem: boolean;
  readonly keepsFields?: boolean | undefined;
  readonly mends?: boolean | undefined;
  readonly drops?: boolean | undefined;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly options?: JsonObject;
  readonly deterministic: boolean;
}

/** A field that every item has at some point of a plan. */
export interface ItemField {
  readonly name: string;
  /** JSON types; empty: any. */
  readonly types: readonly string[];
  /** A column of a table: it is found below `fields` and `values`. */
  readonly column?: boolean | undefined;
  /** All its cells are dates. */
  readonly dates?: boolean | undefined;
  /** Rows share its values. */
  readonly shared?: boolean | undefined;
  /** Values of its cells, if rows share them: goals refer to rows by them. */
  readonly holds?: readonly string[] | undefined;
  /** An identifying number, which is never added up. */
  readonly telling?: boolean | undefined;
  /** A service's figure that the goal does not mention: it measures nothing that the goal is about. */
  readonly unasked?: boolean | undefined;
  /** Stems that describe it beyond its name: a `label` is what its service is used for. */
  readonly about?: readonly string[] | undefined;
}

/** A service as the search sees it. */
export interface Skill {
  readonly service: PlannableService;
  readonly needs: readonly ItemField[];
  readonly gives: readonly ItemField[];
  /** Weight by stem: highest in the title, lowest in fields and options. */
  readonly vocabulary: ReadonlyMap<string, number>;
}

const TITLE = 1.5;
const DESCRIPTION = 1;
const NAMES = 0.7;

/** Derives a skill from a service's self-description. */
export function skillOf(service: PlannableService): Skill {
  const needs = fieldsIn(service.input);
  const about = stemsIn(service.id.replaceAll("-", " "));
  const gives = fieldsIn(service.output).map((field) => (field.name === "label" ? { ...field, about } : field));
  const vocabulary = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const stem of stemsIn(text)) vocabulary.set(stem, Math.max(weight, vocabulary.get(stem) ?? 0));
  };
  add(gives.map(({ name }) => name).join(" "), NAMES);
  add(service.description, DESCRIPTION);
  add(`${service.title} ${service.id.replaceAll("-", " ")}`, TITLE);
  return { service, needs, gives, vocabulary };
}

/** Required fields of a schema's items, apart from `id`. */
function fieldsIn(schema: JsonObject): ItemField[] {
  const item = objectIn(objectIn(objectIn(schema, "properties"), "items"), "items");
  const properties = objectIn(item, "properties");
  return namesIn(item["required"]).flatMap((name) => (name === "id" ? [] : [{ name, types: typesOf(properties[name]) }]));
}

/** JSON types of a schema; empty if unrestricted. */
export function typesOf(schema: JsonValue | undefined): readonly string[] {
  if (!isObject(schema)) return [];
  const { type, const: only } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return namesIn(type);
  return only === undefined ? [] : [typeof only];
}

/** Whether a value of these types satisfies the needed ones. */
export function suits(has: readonly string[], needed: readonly string[]): boolean {
  if (has.length === 0 || needed.length === 0) return true;
  return has.every((type) => needed.includes(type) || (type === "integer" && needed.includes("number")));
}

export function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

export function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

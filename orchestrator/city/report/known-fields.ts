import type { CatalogEntry } from "../../../services/catalog.ts";
import type { MissionInput } from "../../execution/inputs/read-input.ts";
import { columnUse } from "../../minds/planner/fill-options.ts";
import { namesIn, objectIn } from "../../minds/planner/skills.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import type { MissionTask } from "../../protocol/mission-file.ts";
import { meant } from "../../protocol/mission-file-schema.ts";

/** A task is to work on a field that nothing before it makes. */
export class FieldUnknown extends AgentCityError {
  constructor(task: string, field: string, known: readonly string[], because: string) {
    super("FieldUnknown", `${task}: ${because} the field ${JSON.stringify(field)}, but what it receives has none${meant(field, known)}`, {
      details: `it receives: ${known.slice(0, 30).join(", ")}${known.length > 30 ? ", …" : ""}`,
      action: "name one of these fields, or add a task before it whose service produces that field; services list theirs in `output`",
    });
  }
}

/** Names of the fields that items may have; undefined if unknown. */
type Fields = ReadonlySet<string> | undefined;

/** Fields of every item. */
const ALWAYS = ["id", "name"];
/** Fields with the cells of a table. */
const TABLES = ["values", "fields"];

/**
 * Follows the fields of the input along a mission's tasks, by what services say they need, make and keep. Throws FieldUnknown for a service
 * that needs, or an option under `with` that names, a field which is not there: before anything is paid.
 */
export function requireKnownFields(
  tasks: readonly MissionTask[],
  { items }: Pick<MissionInput, "items">,
  catalog: readonly CatalogEntry[],
): void {
  const input = new Set([...ALWAYS, ...items.flatMap(namesOf)]);
  const made = new Map<string, Fields>();
  for (const task of tasks) {
    if (task.plan !== null) {
      requireKnownFields(task.plan.tasks, { items }, catalog);
      made.set(task.name, undefined);
      continue;
    }
    const services = catalog.filter(({ id }) => task.services.includes(id));
    const received = united([...(task.overInput ? [input] : []), ...task.after.map((name) => made.get(name))]);
    if (received !== undefined) for (const service of services) check(task, service, received);
    made.set(task.name, united(services.map((service) => fieldsAfter(service, received))));
  }
}

function check({ name, options }: MissionTask, { id, input, options: schema }: CatalogEntry, received: ReadonlySet<string>): void {
  const known = [...received];
  for (const field of namesIn(itemOf(input)["required"]))
    if (!received.has(field)) throw new FieldUnknown(name, field, known, `${id} needs`);
  for (const [option, property] of Object.entries(objectIn(schema, "properties"))) {
    if (!isObject(property) || columnUse(property) === undefined) continue;
    const value = options?.[option];
    // Defaults that the file leaves to the service are not checked.
    if (JSON.stringify(value) === JSON.stringify(property["default"])) continue;
    for (const field of named(value)) if (!isKnown(field, received)) throw new FieldUnknown(name, field, known, `\`${option}\` names`);
  }
}

/** A field, or a path into one: `values.price`. */
function isKnown(field: string, received: ReadonlySet<string>): boolean {
  const [head = "", ...rest] = field.split(".");
  const path = TABLES.includes(head) && rest.length > 0 ? rest.join(".") : field;
  return received.has(path) || received.has(path.split(".")[0] ?? "");
}

function named(value: JsonValue | undefined): readonly string[] {
  return typeof value === "string" ? [value] : namesIn(value);
}

/** Undefined where a service does not say, or says that its items have more than it lists. */
function fieldsAfter({ keepsFields, output }: CatalogEntry, received: Fields): Fields {
  const item = itemOf(output);
  const listed = Object.keys(objectIn(item, "properties"));
  if (keepsFields === true) return received === undefined ? undefined : new Set([...received, ...listed]);
  return item["additionalProperties"] === true || listed.every((name) => name === "id") ? undefined : new Set([...ALWAYS, ...listed]);
}

function itemOf(schema: JsonObject): JsonObject {
  return objectIn(objectIn(objectIn(schema, "properties"), "items"), "items");
}

function united(sources: readonly Fields[]): Fields {
  const names = new Set<string>();
  for (const source of sources) {
    if (source === undefined) return undefined;
    for (const name of source) names.add(name);
  }
  return names;
}

function namesOf(item: JsonObject): readonly string[] {
  return [...Object.keys(item), ...TABLES.flatMap((table) => Object.keys(objectIn(item, table)))];
}

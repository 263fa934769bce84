import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { isMissing, numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout, ServiceInput } from "./shared/contract.ts";
import { textField } from "./shared/items.ts";
import { listOption, option, optionsSchema } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { type CellType, columnsOf, columnType, ROWS_INPUT, type Row, rowsOf, typeOf } from "./shared/tables.ts";

const RULE: JsonObject = {
  type: "object",
  properties: {
    type: { enum: ["number", "date", "boolean", "text"] },
    required: { type: "boolean" },
    least: { type: "number" },
    greatest: { type: "number" },
    oneOf: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 200 },
  },
  additionalProperties: false,
};

export const about: ServiceAbout = {
  id: "validate-table",
  title: "Checks the rows of a table against rules",
  description:
    "Checks the quality of a table: finds rows that are invalid because a value is missing, of the wrong type, out of range, not allowed or a duplicate. Without rules of its own it uses the type that nearly all of a column's values have.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: false,
  input: ROWS_INPUT,
  output: itemsOutput({
    label: { enum: ["valid", "invalid"] },
    faults: { type: "array", items: { type: "string" } },
    value: { type: "integer", description: "faults of the row" },
  }),
  options: optionsSchema({
    columns: { type: "object", additionalProperties: RULE, description: "rules by column, such as { price: { type: number, least: 0 } }" },
    unique: { type: "array", "x-column": "key", items: { type: "string" }, description: "columns whose values together may occur once" },
  }),
  capabilities: capabilities({ parsing: 120, numbers: 80 }),
  deterministic: true,
};

interface Rule {
  readonly type?: CellType;
  readonly required: boolean;
  readonly least: number;
  readonly greatest: number;
  readonly oneOf: readonly string[];
}

const validateTable: Service = (input) => {
  const rows = rowsOf(input);
  const columns = columnsOf(rows);
  const rules = rulesOf(input, rows, columns);
  const unique = listOption(input, "unique");
  const seen = new Map<string, string>();
  const items = rows.map(({ item, cells }): Item => {
    const key = JSON.stringify((unique.length > 0 ? unique : columns).map((column) => cells.get(column) ?? ""));
    const first = seen.get(key);
    if (first === undefined) seen.set(key, item.id);
    const broken = textField(item, "problem");
    const faults = [
      ...(broken === "" ? [] : [broken]),
      ...[...rules].flatMap(([column, rule]) => faultsOf(column, cells.get(column) ?? "", rule)),
      ...(first === undefined ? [] : [`the same ${unique.length > 0 ? unique.join(", ") : "row"} as ${first}`]),
    ];
    return {
      id: item.id,
      name: textField(item, "name") || item.id,
      label: faults.length === 0 ? "valid" : "invalid",
      faults,
      value: faults.length,
    };
  });
  return { items };
};
export default validateTable;

function rulesOf(input: ServiceInput, rows: readonly Row[], columns: readonly string[]): Map<string, Rule> {
  const written = objectOf(option(input, "columns"));
  if (written !== undefined) return new Map(Object.entries(written).map(([column, rule]) => [column, ruleOf(objectOf(rule) ?? {})]));
  const inferred = columns.map((column) => [column, columnType(rows.map(({ cells }) => cells.get(column) ?? ""))] as const);
  return new Map(
    inferred.flatMap(([column, type]) => (type === "text" || type === "missing" ? [] : [[column, ruleOf({ type })] as const])),
  );
}

function ruleOf(written: JsonObject): Rule {
  const type = ["number", "date", "boolean", "text"].find((name) => name === written["type"]);
  const number = (name: string, otherwise: number): number => {
    const value = written[name];
    return typeof value === "number" ? value : otherwise;
  };
  const choices = written["oneOf"];
  return {
    ...(isType(type) ? { type } : {}),
    required: written["required"] === true,
    least: number("least", Number.NEGATIVE_INFINITY),
    greatest: number("greatest", Number.POSITIVE_INFINITY),
    oneOf: Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [],
  };
}

function faultsOf(column: string, cell: string, { type, required, least, greatest, oneOf }: Rule): string[] {
  if (isMissing(cell)) return required ? [`${column} is missing`] : [];
  const shown = JSON.stringify(cell.slice(0, 80).toWellFormed());
  const faults: string[] = [];
  if (type !== undefined && type !== "text" && typeOf(cell) !== type) faults.push(`${column} is no ${type}: ${shown}`);
  const number = numberOf(cell);
  if (number !== undefined && number < least) faults.push(`${column} is less than ${least}: ${shown}`);
  if (number !== undefined && number > greatest) faults.push(`${column} is more than ${greatest}: ${shown}`);
  if (oneOf.length > 0 && !oneOf.includes(cell.trim())) faults.push(`${column} is none of ${oneOf.join(", ")}: ${shown}`);
  return faults;
}

function isType(name: string | undefined): name is CellType {
  return name !== undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !isList(value) ? value : undefined;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

import type { JsonObject } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { isMissing, numberOf } from "./shared/cells.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { compareText } from "./shared/items.ts";
import { DOCUMENT_OUTPUT } from "./shared/schemas.ts";
import { columnsOf, columnType, ROWS_INPUT, rowsOf } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "infer-schema",
  title: "Infers a JSON Schema of a table",
  description:
    "Works out the structure of a table or spreadsheet from its rows and writes it as JSON Schema: the type of each column, which are required, the range of numbers and the allowed values. Use it to document a data set or to generate validation rules.",
  accepts: ["csv", "items"],
  produces: "document",
  writes: "json",
  perItem: false,
  input: ROWS_INPUT,
  output: DOCUMENT_OUTPUT,
  capabilities: capabilities({ parsing: 120, numbers: 80, aggregation: 80 }),
  deterministic: true,
};

/** Different values that are still a choice, when each occurs this often on average. */
const CHOICES = 12;
const EACH = 3;

/** One item per column; the document is the schema of a row. */
const inferSchema: Service = (input) => {
  const rows = rowsOf(input);
  const columns = columnsOf(rows, input).map((column) => {
    const cells = rows.map(({ cells }) => cells.get(column) ?? "");
    return { column, required: cells.length > 0 && cells.every((cell) => !isMissing(cell)), schema: schemaOf(cells) };
  });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(columns.map(({ column, schema }) => [column, schema])),
    required: columns.filter(({ required }) => required).map(({ column }) => column),
  };
  return {
    items: columns.map(({ column, required, schema }) => ({
      id: column,
      name: column,
      label: String(schema["type"] ?? "any"),
      required,
      schema,
    })),
    document: `${JSON.stringify(schema, null, 2)}\n`,
  };
};
export default inferSchema;

function schemaOf(cells: readonly string[]): JsonObject {
  const present = cells.filter((cell) => !isMissing(cell));
  switch (columnType(cells)) {
    case "number":
      return numberSchema(present.flatMap((cell) => numberOf(cell) ?? []));
    case "date":
      return { type: "string", format: present.every((cell) => cell.trim().length === 10) ? "date" : "date-time" };
    case "boolean":
      return { type: "boolean" };
    case "missing":
      return {};
    default: {
      const values = [...new Set(present)].sort(compareText);
      return values.length <= CHOICES && present.length >= EACH * values.length ? { type: "string", enum: values } : { type: "string" };
    }
  }
}

function numberSchema(numbers: readonly number[]): JsonObject {
  const sorted = numbers.toSorted((a, b) => a - b);
  const type = numbers.every((number) => Number.isInteger(number)) ? "integer" : "number";
  return { type, minimum: sorted[0] ?? 0, maximum: sorted.at(-1) ?? 0 };
}

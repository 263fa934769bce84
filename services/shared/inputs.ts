import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import type { InputKind } from "./contract.ts";
import { itemsOf } from "./schemas.ts";

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };

/** Items of a mission's input, by kind: the fields that every one of them has. A few have `problem` too, which says what is wrong with them. */
export const INPUT_ITEMS: Readonly<Record<InputKind, JsonObject>> = {
  packages: itemsOf({
    kind: { const: "package" },
    manifest: TEXT,
    licenceFiles: { type: "array", items: TEXT },
    licenceText: TEXT,
    readmeHead: TEXT,
    readmeLicence: TEXT,
  }),
  files: itemsOf({ kind: { const: "file" }, path: TEXT, name: TEXT, bytes: COUNT, binary: { type: "boolean" }, text: TEXT }),
  csv: itemsOf({
    kind: { const: "row" },
    row: COUNT,
    /** Cells as written, by column. */
    fields: { type: "object", additionalProperties: TEXT },
    /** The cells that are numbers: a blank has none. */
    values: { type: "object", additionalProperties: { type: "number" } },
  }),
  urls: itemsOf({ kind: { const: "url" }, url: TEXT }),
};

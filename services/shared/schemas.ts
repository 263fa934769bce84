import type { JsonObject } from "../../orchestrator/primitives/json.ts";

const SCALAR = { type: ["string", "number"] };

/** Items with an id; `extra` are further fields every item must have. */
export function itemsOf(extra: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    type: "array",
    items: {
      type: "object",
      ...more,
      properties: { id: { type: "string", minLength: 1 }, ...extra },
      required: ["id", ...Object.keys(extra)],
    },
  };
}

const DISSENT: JsonObject = {
  type: "array",
  items: {
    type: "object",
    properties: {
      id: { type: "string" },
      chosen: SCALAR,
      answers: {
        type: "array",
        items: {
          type: "object",
          properties: { by: { type: "string" }, value: { type: ["string", "number", "null"] } },
          required: ["by", "value"],
        },
      },
    },
    required: ["id", "chosen", "answers"],
  },
};

/** The input of a service that needs these fields of every item, its own or another task's. */
export function itemsInput(needed: JsonObject = {}): JsonObject {
  return {
    type: "object",
    properties: {
      goal: { type: "string" },
      items: itemsOf(needed),
      upstream: {
        type: "array",
        items: {
          type: "object",
          properties: { task: { type: "string" }, node: { type: "string" }, items: itemsOf(needed), dissent: DISSENT },
          required: ["task", "node", "items", "dissent"],
        },
      },
      columns: { type: "array", items: { type: "string" } },
      options: { type: "object" },
    },
    required: ["goal", "items", "upstream"],
  };
}

/** The input of a service that takes items of any kind. */
export const SERVICE_INPUT: JsonObject = itemsInput();

/** Items whose fields are named by `extra`. */
export function itemsOutput(extra: JsonObject = {}): JsonObject {
  return { type: "object", properties: { items: itemsOf(extra) }, required: ["items"] };
}

/** Items that have more fields than `extra` names: which, depends on what they were made of. */
export function openOutput(extra: JsonObject = {}): JsonObject {
  return { type: "object", properties: { items: itemsOf(extra, { additionalProperties: true }) }, required: ["items"] };
}

/** Items and a document for humans. */
export const DOCUMENT_OUTPUT: JsonObject = {
  type: "object",
  properties: { items: itemsOf(), document: { type: "string", minLength: 1 } },
  required: ["items", "document"],
};

/** One label and one topic for each item. */
export const LABELS_OUTPUT: JsonObject = itemsOutput({ label: { type: "string", minLength: 1 }, topic: { type: "string", minLength: 1 } });

/** One number for each item. */
export const ESTIMATES_OUTPUT: JsonObject = itemsOutput({ value: { type: "number" } });

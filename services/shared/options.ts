import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import type { ServiceInput } from "./contract.ts";

/** JSON Schema of a task's options; `required` names those without a default. */
export function optionsSchema(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}

/** An option, or undefined. That it has the right type, the schema has checked. */
export function option(input: ServiceInput, name: string): JsonValue | undefined {
  return input.options === undefined || !Object.hasOwn(input.options, name) ? undefined : input.options[name];
}

export function textOption(input: ServiceInput, name: string, otherwise: string): string {
  const value = option(input, name);
  return typeof value === "string" ? value : otherwise;
}

export function numberOption(input: ServiceInput, name: string, otherwise: number): number {
  const value = option(input, name);
  return typeof value === "number" ? value : otherwise;
}

export function listOption(input: ServiceInput, name: string): string[] {
  const value = option(input, name);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

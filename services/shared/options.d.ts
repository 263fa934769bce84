import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.js";
import type { ServiceInput } from "./contract.js";
/** JSON Schema of a task's options; `required` names those without a default. */
export declare function optionsSchema(properties: JsonObject, required?: readonly string[]): JsonObject;
/** An option, or undefined. That it has the right type, the schema has checked. */
export declare function option(input: ServiceInput, name: string): JsonValue | undefined;
export declare function textOption(input: ServiceInput, name: string, otherwise: string): string;
export declare function numberOption(input: ServiceInput, name: string, otherwise: number): number;
export declare function listOption(input: ServiceInput, name: string): string[];

import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import type { Item } from "./contract.ts";
import { textField } from "./items.ts";
import { jsonOf } from "./quoted.ts";

/** What a package says of itself. Absent fields are "". */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  /** As one SPDX expression, or whatever stands there. */
  readonly licence: string;
  readonly description: string;
  /** Names of the packages it needs at run time. */
  readonly needs: readonly string[];
}

/** From the manifest that an installed package has, else from the fields that another task read from it. */
export function packageFacts(item: Item): PackageFacts {
  const manifest = jsonOf(textField(item, "manifest"));
  if (!isObject(manifest)) {
    const name = textField(item, "name") || item.id;
    return {
      name,
      version: textField(item, "version"),
      licence: textField(item, "licence"),
      description: textField(item, "description"),
      needs: [],
    };
  }
  const needs = ["dependencies", "optionalDependencies"].flatMap((key) => {
    const listed = manifest[key];
    return isObject(listed) ? Object.keys(listed) : [];
  });
  return {
    name: stringOf(manifest["name"]) || item.id,
    version: stringOf(manifest["version"]),
    licence: licenceOf(manifest),
    description: stringOf(manifest["description"]),
    needs: [...new Set(needs)],
  };
}

/** The licence as one SPDX expression; the two legacy spellings (an object, a list) are rewritten as one. */
export function licenceOf(manifest: JsonObject): string {
  const field = manifest["license"] ?? manifest["licence"] ?? manifest["licenses"];
  const listed: readonly (JsonValue | undefined)[] = Array.isArray(field) ? field : [field];
  const names = listed.map((entry) => stringOf(isObject(entry) ? (entry["type"] ?? entry["name"]) : entry)).filter((name) => name !== "");
  return names.length > 1 ? `(${names.join(" OR ")})` : (names[0] ?? "");
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

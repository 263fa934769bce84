import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";
import { utf8 } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "hash",
  title: "Keccak-256 of each item's canonical JSON",
  description:
    "Computes a fingerprint (Keccak-256 checksum) of each item, so that anyone can check later that nothing was changed. Equal items have equal hashes.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: itemsOutput({ label: { type: "string", pattern: "^0x[0-9a-f]{64}$" } }),
  capabilities: capabilities({ hashing: 240 }),
  deterministic: true,
};

const hash: Service = (input) => ({
  items: allItems(input).map((item) => ({ id: item.id, label: `0x${bytesToHex(keccak_256(utf8(canonical(item))))}` })),
});
export default hash;

/** RFC 8785: keys by code unit, numbers and strings as JSON.stringify writes them. */
function canonical(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`).join(",")}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

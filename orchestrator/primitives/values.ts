/** Access to values of unknown shape. */

/** A field of an object; undefined if it is missing or the value is not an object. */
export function field(value: unknown, name: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** One spelling per value: hex in lower case, numbers and bigints alike, keys sorted. */
export function plain(value: unknown): string {
  if (typeof value === "string") return value.startsWith("0x") ? value.toLowerCase() : value;
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${key}: ${plain(member)}`).join(", ")}}`;
  }
  return String(value);
}

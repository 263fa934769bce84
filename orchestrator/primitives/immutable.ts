/** What was frozen here to its last leaf: a frozen object alone may hold others that are not. */
const whole = new WeakSet<object>();

/** Whether nobody can change this value or anything in it. */
export function isImmutable(value: unknown): boolean {
  return typeof value !== "object" || value === null || whole.has(value);
}

/** Freezes plain data with everything in it, and returns it. What came in shares its parts. */
export function immutable<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || whole.has(value)) return value;
  for (const part of Object.values(value)) if (typeof part === "object") immutable(part);
  whole.add(Object.freeze(value));
  return value;
}

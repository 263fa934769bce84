/** Values frozen here to the last leaf: `Object.isFrozen` alone says nothing about their members. */
const whole = new WeakSet<object>();

/** Whether this value and everything in it is frozen. */
export function isImmutable(value: unknown): boolean {
  return typeof value !== "object" || value === null || whole.has(value);
}

/** Deep-freezes plain data and returns it. The argument itself is frozen, not a copy. */
export function immutable<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || whole.has(value)) return value;
  for (const part of Object.values(value)) if (typeof part === "object") immutable(part);
  whole.add(Object.freeze(value));
  return value;
}

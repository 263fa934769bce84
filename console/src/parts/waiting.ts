import { useSyncExternalStore } from "react";

/** Number of items that wait for a human, for the window's title, which is visible in other tabs. */
let count = 0;
const listeners = new Set<() => void>();

export function setWaiting(many: number): void {
  if (many === count) return;
  count = many;
  for (const listener of listeners) listener();
}

export const useWaiting = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => count,
  );

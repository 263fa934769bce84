import { useSyncExternalStore } from "react";

/** How much waits for a human, for the window's title: it is read on another tab, too. */
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

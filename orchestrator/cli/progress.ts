import { wallTime } from "./wall-time.ts";

/** How far a command is, for whoever waits. */
export interface Progress {
  /** Seconds since it began. */
  readonly elapsed: () => number;
  /** One line on stderr, with the time it came. */
  readonly tell: (line: string) => void;
}

/** Begins to count now. */
export function beginProgress(): Progress {
  const began = wallTime.millis();
  const elapsed = () => (wallTime.millis() - began) / 1000;
  return { elapsed, tell: (line) => process.stderr.write(`${elapsed().toFixed(1).padStart(6)} s  ${line}\n`) };
}

import { EXIT } from "./exit-codes.ts";
import { typedCommand } from "./shell.ts";

const interruption = new AbortController();

/** Aborted when the process is asked to stop: whoever holds something that other processes look at lets go of it, at once. */
export const interrupted: AbortSignal = interruption.signal;

const CODES = { SIGHUP: EXIT.HANGUP, SIGINT: EXIT.INTERRUPTED, SIGTERM: EXIT.TERMINATED } as const;
/** Commands that go on where they stopped. */
const RESUMABLE = ["start", "mission", "session", "genesis"];

/**
 * Stops at once when asked to. Nothing is finished first: everything is on disk before it counts, and the same command goes on from there.
 * Files are written in one go between two turns of the event loop, so none is left half-written.
 */
export function stopWhenAsked(json: boolean): void {
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    // Twice, it must not be the default that ends the process: npm hands on what the terminal sends to both.
    process.on(signal, () => {
      interruption.abort();
      const again = RESUMABLE.includes(process.argv[2] ?? "") ? typedCommand() : null;
      if (json) process.stdout.write(`${JSON.stringify({ status: "interrupted", signal, continue: again })}\n`);
      process.stderr.write(
        again === null ? `stopped (${signal})\n` : `stopped (${signal}); to continue, run the same command again: ${again}\n`,
      );
      process.exit(CODES[signal]);
    });
  }
}

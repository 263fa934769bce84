import { EXIT } from "./exit-codes.ts";
import { typedCommand } from "./shell.ts";

const interruption = new AbortController();

/** Aborted when the process is asked to stop, to release whatever other processes can see. */
export const interrupted: AbortSignal = interruption.signal;

const CODES = { SIGHUP: EXIT.HANGUP, SIGINT: EXIT.INTERRUPTED, SIGTERM: EXIT.TERMINATED } as const;
/** Commands that resume where they stopped. */
const RESUMABLE = ["start", "mission", "city", "session", "genesis"];

/**
 * Stops at once without finishing anything: everything is on disk before it counts, and the same command resumes from there. Files are
 * written in one go between two turns of the event loop, so none is left half-written. `resuming`: the command that resumes, if it is a
 * different one.
 */
export function stopWhenAsked(json: boolean, resuming?: string): void {
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    // A second signal must not trigger the default action: npm forwards the terminal's signal, so that it arrives twice.
    process.on(signal, () => {
      interruption.abort();
      const again = resuming ?? (RESUMABLE.includes(process.argv[2] ?? "") ? typedCommand() : null);
      if (json) process.stdout.write(`${JSON.stringify({ status: "interrupted", signal, continue: again })}\n`);
      process.stderr.write(
        again === null
          ? `stopped (${signal})\n`
          : `stopped (${signal}); to continue, ${resuming === undefined ? "run the same command again" : "run"}: ${again}\n`,
      );
      process.exit(CODES[signal]);
    });
  }
}

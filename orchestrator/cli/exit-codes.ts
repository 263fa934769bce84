/** Exit codes of every command; docs/commands.md has the same table. */
export const EXIT = { DONE: 0, FAILED: 1, USAGE: 2, WAITS: 3, HANGUP: 129, INTERRUPTED: 130, TERMINATED: 143 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Meaning of each code, for `--help` and the documentation. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.DONE, "done"],
  [EXIT.FAILED, "failed, refused, or a check that failed"],
  [EXIT.USAGE, "used incorrectly: an unknown command, flag or value; nothing was done"],
  [EXIT.WAITS, "waiting for a human; once they have signed, run the same command again"],
  [EXIT.HANGUP, "stopped: the terminal was closed (SIGHUP)"],
  [EXIT.INTERRUPTED, "stopped by Ctrl-C (SIGINT); run the same command again to continue"],
  [EXIT.TERMINATED, "stopped by SIGTERM; run the same command again to continue"],
];

/** What an error may add to its one-line message. */
export interface ErrorOptions {
  /** Facts: values, names, places. */
  readonly details?: string | undefined;
  /** What the reader can do. */
  readonly action?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The base of every error this project throws on purpose: what happened, the facts, what to do.
 * A subclass passes its own name as `code`, so that callers can tell errors apart across processes.
 */
export class AgentCityError extends Error {
  readonly code: string;
  readonly shortMessage: string;
  readonly details: string | undefined;
  readonly action: string | undefined;

  constructor(code: string, shortMessage: string, options: ErrorOptions = {}) {
    const lines = [shortMessage];
    if (options.details !== undefined) lines.push(options.details);
    if (options.action !== undefined) lines.push(`What to do: ${options.action}`);
    super(lines.join("\n"), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = code;
    this.code = code;
    this.shortMessage = shortMessage;
    this.details = options.details;
    this.action = options.action;
  }

  /** The same facts as plain data, for `--json` output and HTTP answers. */
  toPlain(): { code: string; message: string; details?: string; action?: string } {
    return {
      code: this.code,
      message: this.shortMessage,
      ...(this.details === undefined ? {} : { details: this.details }),
      ...(this.action === undefined ? {} : { action: this.action }),
    };
  }
}

/** A value from outside does not have the required shape. */
export class InvalidValue extends AgentCityError {
  constructor(what: string, problem: string, options: ErrorOptions = {}) {
    super("InvalidValue", `${what}: ${problem}`, options);
  }
}

/** The first line of the message of anything thrown. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof AgentCityError) return thrown.shortMessage;
    if (thrown instanceof Error) return String(thrown.message).split("\n", 1)[0] || thrown.name;
    return String(thrown);
  } catch {
    // A thrown value is arbitrary: a getter that throws must not end the handler.
    return "something that cannot be put into words";
  }
}

/** Blocks per request: full of events, they fit into memory. */
const PAGE = 8n;

/** Limit of events in one answer. */
export interface LogLimits {
  readonly logs: number;
  /** Total length of their data as hex. */
  readonly characters: number;
}

/**
 * Reads events page by page and stops once they exceed `most`.
 *
 * @param tooMany Creates the error from the exceeded limit, e.g. "10,000 events".
 */
export async function collectLogs<Log extends { readonly data: string }>(
  from: bigint,
  to: bigint,
  page: (from: bigint, to: bigint) => Promise<readonly Log[]>,
  most: LogLimits,
  tooMany: (limit: string) => Error,
): Promise<Log[]> {
  const logs: Log[] = [];
  let characters = 0;
  for (let first = from; first <= to; first += PAGE) {
    const last = first + PAGE - 1n;
    for (const log of await page(first, last < to ? last : to)) {
      logs.push(log);
      characters += log.data.length;
    }
    if (logs.length > most.logs) throw tooMany(`${most.logs.toLocaleString("en")} events`);
    if (characters > most.characters) throw tooMany(`${most.characters.toLocaleString("en")} characters of events`);
  }
  return logs;
}

/** So many blocks are asked about at once: full of events, they fit into memory. */
const PAGE = 8n;

/** How many events one answer may hold. */
export interface LogLimits {
  readonly logs: number;
  /** Of their data, as hex. */
  readonly characters: number;
}

/**
 * Reads events page by page and stops as soon as they are more than `most`.
 *
 * @param tooMany Makes the error, from the limit that was exceeded, e.g. "10,000 events".
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

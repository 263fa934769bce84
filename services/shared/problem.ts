/** What an error says, in one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error);
}

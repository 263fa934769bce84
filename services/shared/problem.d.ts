/** What an error says, in one line. */
export declare function messageOf(error: unknown): string;

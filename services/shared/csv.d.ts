/** Records of cells, up to a misplaced quote if there is one. */
export interface CsvRecords {
    readonly records: readonly (readonly string[])[];
    /** Character at which a quote is misplaced. */
    readonly brokenAt: number | undefined;
}
/** Reads CSV (RFC 4180). Quoted cells may hold commas, line breaks and doubled quotes; empty lines are skipped. */
export declare function parseCsv(text: string): CsvRecords;
/** One CSV text. What a spreadsheet would run as a formula is made text by an apostrophe (CWE-1236). */
export declare function writeCsv(records: readonly (readonly string[])[]): string;

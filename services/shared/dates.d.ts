/** `2026-03-09` for 9.3.2026, 09/03/2026, 2026/03/09 and 9 Mar 2026; undefined for what is no date or no day of the calendar. */
export declare function isoDate(text: string, monthFirst: boolean): string | undefined;
export declare const PERIODS: readonly ["day", "month", "quarter", "year"];
export type Period = (typeof PERIODS)[number];
/** The period that a day is in: `2026-03-09`, `2026-03`, `2026-Q1`, `2026`. */
export declare function periodOf(day: string, period: Period): string;

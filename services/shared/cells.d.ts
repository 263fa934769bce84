/** The cell says that there is no value: it is blank, a dash, `n/a`, `null` and the like. */
export declare function isMissing(cell: string): boolean;
/**
 * The number that a cell is: `12`, `-0.5`, `1e3`, `1,234.50`, `1 234,5`, `1.234,50` and `0,5`; undefined for all else. A blank is not 0, a
 * code such as 01067 is no amount, `1,234` is one thousand and `1.234` a little more than one.
 */
export declare function numberOf(cell: string): number | undefined;

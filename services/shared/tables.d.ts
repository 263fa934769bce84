import type { JsonObject } from "../../orchestrator/primitives/json.js";
import type { Item, ServiceInput } from "./contract.js";
/** The input of a service that works on the rows of a table. */
export declare const ROWS_INPUT: JsonObject;
/** A row as services on tables see it. */
export interface Row {
    readonly item: Item;
    /** Cells as written, by column. */
    readonly cells: ReadonlyMap<string, string>;
}
/** The rows of the input in order of id. */
export declare function rowsOf(input: ServiceInput): Row[];
export declare function cellsOf(item: Item): ReadonlyMap<string, string>;
/** Columns of the rows: those of the mission's table in its order, then what tasks added. */
export declare function columnsOf(rows: readonly Row[], { columns }?: Pick<ServiceInput, "columns">): string[];
export type CellType = "number" | "date" | "boolean" | "text" | "missing";
/** What a cell is. */
export declare function typeOf(cell: string): CellType;
/** The type of a column: that of nearly all its values, else text; `missing` without values. */
export declare function columnType(cells: readonly string[]): CellType;
/** A number for people: at most six decimals. */
export declare function rounded(value: number): number;

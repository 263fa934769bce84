import type { Item, ServiceContext } from "./contract.js";
/** A page as text, with what its format says: title and links, rows, a JSON value, headings. */
export declare function parsePage(item: Item, ctx: ServiceContext): Promise<Item>;

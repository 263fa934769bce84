import type { Item, ServiceContext } from "./contract.js";
/** An item as a page of HTML. */
export type PageRead = {
    readonly ok: true;
    readonly html: string /** Where it was found; "" for a file. */;
    readonly url: string;
} | {
    readonly ok: false;
    readonly problem: string;
};
/**
 * The HTML behind an item. An address, and a page that an earlier task made text of, are fetched (the mission keeps each page, so that
 * everybody reads the same); a file is taken as it is.
 */
export declare function readPage(item: Item, ctx: ServiceContext): Promise<PageRead>;

/** One `itemscope` of a page: its type as written and its properties, each with its values in order. */
export interface MicrodataItem {
    readonly type: string;
    readonly properties: Map<string, string[]>;
}
/** Collects microdata from the events of a parser. An item within an item stands in the outer one by its type. No `itemref`. */
export declare function microdataReader(most: number): {
    open(name: string, attributes: Readonly<Record<string, string>>): void;
    text(text: string): void;
    close(): void;
    found: () => readonly {
        readonly type: string;
        readonly properties: ReadonlyMap<string, readonly string[]>;
    }[];
};

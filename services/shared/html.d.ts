/** What a page of HTML says to a reader. */
export interface HtmlText {
    readonly title: string;
    readonly text: string;
    readonly headings: readonly string[];
    /** As written: relative ones are not completed. */
    readonly links: readonly string[];
}
/** Reads HTML as a text browser would. Never throws, and looks at each character once or twice, whatever the mark-up. */
export declare function readHtml(html: string): HtmlText;

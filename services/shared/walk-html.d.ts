export interface HtmlHandlers {
    open(name: string, attributes: Readonly<Record<string, string>>): void;
    text(text: string): void;
    close(name: string): void;
}
/** Reads HTML as browsers do, whatever is wrong with it. Returns why it stopped early, if it did. */
export declare function walkHtml(html: string, handlers: HtmlHandlers): string | undefined;

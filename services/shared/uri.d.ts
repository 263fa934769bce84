/** The five parts of a reference (RFC 3986, appendix B). Absent parts are undefined, empty ones "". */
export interface Uri {
    readonly scheme: string | undefined;
    readonly authority: string | undefined;
    readonly path: string;
    readonly query: string | undefined;
    readonly fragment: string | undefined;
}
/** Never fails: every text is a reference of some form. A service's realm has no URL class. */
export declare function parseUri(text: string): Uri;
/** A reference found in a document at `base`, made absolute (RFC 3986, 5.2.2). */
export declare function resolveUri(reference: Uri, base: Uri): Uri;
export declare function formatUri({ scheme, authority, path, query, fragment }: Uri): string;

/** Listed by code point: a later version of Unicode must not change what is dropped. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/**
 * Makes untrusted text safe to show in a terminal or a document. Control characters (ESC, NUL, …), lone surrogates and private-use
 * characters become U+FFFD; invisible format characters (direction overrides, zero-width characters, tags) are dropped; all line separators
 * become line feeds; stacks of combining marks are cut. Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|\p{Co}/gu, "\ufffd")
    .replace(INVISIBLE, "")
    .replace(/(\p{M}{3})\p{M}+/gu, "$1");
}

/** The same on one line: runs of white space become one space. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

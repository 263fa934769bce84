/** Lower-case words: letters, digits and inner hyphens. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
}

/** Lines without surrounding space or mark-up of headings, quotes and emphasis; empty lines left out. */
export function plainLines(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^[\s#>*=_/-]+|[\s#*=_]+$/g, ""))
    .filter((line) => line !== "");
}

/** UTF-8 bytes; lone surrogates become U+FFFD, as TextEncoder does (a service's realm has none). */
export function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    const raw = char.codePointAt(0) ?? 0;
    const code = raw >= 0xd800 && raw <= 0xdfff ? 0xfffd : raw;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return Uint8Array.from(bytes);
}

/** A letter of a script that does not part words; without Intl.Segmenter each of them counts as a word. */
const UNSPACED = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]";
const WORD = new RegExp(`${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+(?:['’-](?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+)*`, "gu");

/** Words as people count them: apostrophes and hyphens within a word belong to it. */
export function countedWords(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Sentences of running text: ended by a full stop, a question or exclamation mark before a space, or by an empty line. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n\s*\n|(?<=[.!?…][")\]’”]?)\s+(?=[\p{Lu}\p{N}"“(])|(?<=[。！？])/u)
    .map((sentence) =>
      sentence
        .replace(/^[\s#>*-]+/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}

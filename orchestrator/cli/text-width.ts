const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** East Asian wide and full-width blocks, and emoji. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Columns that a text occupies in a terminal. It must not contain control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Wraps a text at `width` columns, at spaces or within a longer word, keeping its indent. */
export function wrapped(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const [indent = ""] = /^ */.exec(text) ?? [];
  const lines: string[] = [];
  let line = "";
  const words = text.trim().split(" ");
  for (const word of words.flatMap((each) => pieces(each, width - indent.length))) {
    const longer = line === "" ? `${indent}${word}` : `${line} ${word}`;
    if (line !== "" && textWidth(longer) > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  const found = [""];
  for (const { segment } of graphemes.segment(word)) {
    const last = found.at(-1) ?? "";
    if (textWidth(last + segment) > width) found.push(segment);
    else found[found.length - 1] = last + segment;
  }
  return found;
}

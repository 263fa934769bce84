/** The encodings that files are read in: the first that fits. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

export interface Decoded {
  readonly text: string;
  readonly encoding: Encoding;
}

/** Bytes that windows-1252 leaves undefined. */
const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** Control characters that texts have: tab, line breaks, form feed, end of file (DOS), escape. */
const CONTROLS = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b];

/**
 * The text that bytes are: UTF-8, UTF-16 behind a byte order mark, else what Windows and old spreadsheets write (latin-1 included).
 * Undefined when they are none of these. `cut` says that more bytes follow, so that half a character at the end is dropped.
 */
export function decodeText(bytes: Uint8Array, cut = false): Decoded | undefined {
  for (const [mark, encoding] of MARKS) {
    if (mark.every((byte, index) => bytes[index] === byte)) {
      return { text: new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2))), encoding };
    }
  }
  if (bytes.includes(0)) return undefined;
  // In stream mode a decoder waits for the rest of a character that is cut.
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut }), encoding: "utf-8" };
  } catch {
    const strange = bytes.some((byte) => (byte < 0x20 && !CONTROLS.includes(byte)) || UNDEFINED.includes(byte));
    return strange ? undefined : { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252" };
  }
}

const MARKS: readonly (readonly [mark: readonly number[], encoding: "utf-16le" | "utf-16be"])[] = [
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

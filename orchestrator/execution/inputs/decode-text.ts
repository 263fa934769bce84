/** Supported encodings of files, in order of preference. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

export interface Decoded {
  readonly text: string;
  readonly encoding: Encoding;
}

/** Bytes that are undefined in windows-1252. */
const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** Control characters that occur in texts: tab, line breaks, form feed, end of file (DOS), escape. */
const CONTROLS = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b];

/**
 * Decodes text: UTF-8, UTF-16 with a byte order mark, otherwise windows-1252 (which includes latin-1). Undefined if none fits. `cut`: more
 * bytes follow, so that a truncated last character is dropped.
 */
export function decodeText(bytes: Uint8Array, cut = false): Decoded | undefined {
  for (const [mark, encoding] of MARKS) {
    if (mark.every((byte, index) => bytes[index] === byte)) {
      return { text: new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2))), encoding };
    }
  }
  if (bytes.includes(0)) return undefined;
  // In stream mode a decoder waits for the rest of a truncated character.
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

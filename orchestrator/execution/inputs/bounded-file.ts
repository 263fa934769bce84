import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The first `limit` bytes of a regular file. */
export interface Head {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  /** It holds a NUL byte, so it is no text; `text` is then "". */
  readonly binary: boolean;
}

/** Reads at most `limit` bytes; never follows what grows meanwhile. A character cut at the end is dropped. */
export function readHead(path: string, limit: number): Head {
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, limit));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = readSync(file, buffer, filled, buffer.length - filled, filled);
    const part = buffer.subarray(0, filled);
    if (part.includes(0)) return { text: "", bytes: size, binary: true };
    const text = part.toString("utf8").replace(/^\uFEFF/, "");
    return { text: filled < size ? text.replace(/\uFFFD+$/, "") : text, bytes: size, binary: false };
  } finally {
    closeSync(file);
  }
}

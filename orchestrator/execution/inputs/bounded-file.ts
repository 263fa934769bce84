import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { decodeText, type Encoding } from "./decode-text.ts";

/** The first `limit` bytes of a regular file. */
export interface Head {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  /** Not text in any known encoding; `text` is then "". */
  readonly binary: boolean;
  readonly encoding: Encoding;
}

/** Reads at most `limit` bytes; ignores growth meanwhile, and never waits for a pipe. A truncated last character is dropped. */
export function readHead(path: string, limit: number): Head {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, limit));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = readSync(file, buffer, filled, buffer.length - filled, filled);
    const decoded = decodeText(buffer.subarray(0, filled), filled < size);
    if (decoded === undefined) return { text: "", bytes: size, binary: true, encoding: "utf-8" };
    return { text: decoded.text, bytes: size, binary: false, encoding: decoded.encoding };
  } finally {
    closeSync(file);
  }
}

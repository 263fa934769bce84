import { statSync } from "node:fs";
import type { Item } from "../../../services/shared/contract.ts";
import { messageOf } from "../../primitives/errors.ts";
import { hostOf } from "../fetch/fetcher.ts";
import { DEFAULT_LIMITS } from "../sandbox/limits.ts";
import { readHead } from "./bounded-file.ts";
import { InputTooLarge, InputUnreadable } from "./errors.ts";

const LIST_BYTES = 1_048_576;

/**
 * One item per address in a text file; empty lines and those that begin with # are skipped. The mission's services fetch the pages later,
 * from these hosts only. The number is limited to a run's tool calls, since one executor may get the whole list.
 */
export function readUrls(path: string): Item[] {
  if (!statSync(path).isFile()) throw new InputUnreadable(path, "`kind: urls` needs a file with an address per line");
  const { bytes, binary, text } = readHead(path, LIST_BYTES);
  if (bytes > LIST_BYTES) throw new InputTooLarge(path, `${bytes} bytes; at most ${LIST_BYTES}`);
  if (binary) throw new InputUnreadable(path, "it contains bytes that are not text");
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const urls = new Set(lines.flatMap((line, index) => (line === "" || line.startsWith("#") ? [] : [addressIn(path, line, index + 1)])));
  if (urls.size > DEFAULT_LIMITS.tools) throw new InputTooLarge(path, `${urls.size} addresses; at most ${DEFAULT_LIMITS.tools}`);
  return [...urls].map((url) => ({ id: url, kind: "url", url }));
}

function addressIn(path: string, line: string, number: number): string {
  try {
    hostOf(line);
  } catch (error) {
    throw new InputUnreadable(path, `line ${number}: ${messageOf(error)}`, error);
  }
  return new URL(line).href;
}

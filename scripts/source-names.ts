import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** A position in a kept file, as stack traces have it. */
const POSITION = /(file:\/\/\S+\/agentcity\/program\/[^\s:]+\.mjs):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | undefined>();

/**
 * Makes stack traces name the sources of kept files. A map is read when an error first needs it; Node's own support reads all of them as the
 * files load, which is a third of a command's start.
 */
export function nameSources(): void {
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${String(frame).replace(POSITION, inSource)}`)].join("\n");
}

function inSource(position: string, file: string, line: string, column: string): string {
  if (!maps.has(file)) maps.set(file, mapOf(file));
  const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (entry === undefined || !("originalSource" in entry)) return position;
  return `${fileURLToPath(new URL(entry.originalSource, file))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), "utf8")));
  } catch {
    return undefined;
  }
}

import { z } from "zod";
import { blockFile } from "../../../orchestrator/city/bundle/bundle-layout.ts";
import { contentIdOf, sha256 } from "../../../orchestrator/primitives/hash.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../../../orchestrator/primitives/json.ts";
import { openBundle, writeBundle } from "../../../orchestrator/records/bundle.ts";

export type Files = Map<string, Uint8Array | string>;

/** Writes a bundle again with something changed, manifest and all: what a careful forger would hand over. */
export function forge(from: string, to: string, change: (files: Files) => void): string {
  const files: Files = new Map(openBundle(from).files);
  change(files);
  writeBundle(to, files);
  return to;
}

export function textOf(files: Files, name: string): string {
  const content = files.get(name);
  if (content === undefined) throw new Error(`no ${name} in the bundle`);
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

const entrySchema = z.object({
  seq: z.int(),
  time: z.int(),
  kind: z.string(),
  subjects: z.array(z.string()),
  content: z.string().nullable(),
});
type Entry = z.infer<typeof entrySchema>;

export function logOf(files: Files): Entry[] {
  return textOf(files, "log.ndjson")
    .trimEnd()
    .split("\n")
    .map((line) => entrySchema.parse(parseJson(line)));
}

/** Writes a log whose every link and hash is right. */
export function relink(files: Files, entries: readonly Entry[]): void {
  let prev = `0x${"0".repeat(64)}`;
  const lines = entries.map((entry, index) => {
    const body = { ...entry, seq: index + 1, prev };
    const hash = sha256(canonicalBytes(body));
    prev = hash;
    return `${canonicalJson({ ...body, hash })}\n`;
  });
  files.set("log.ndjson", lines.join(""));
}

/** Puts another payload behind a log entry: new block, new id, new hashes from there to the head. */
export function rewriteRecord(files: Files, kind: string, change: (record: Record<string, unknown>) => unknown): void {
  const entries = logOf(files);
  const at = entries.findIndex((entry) => entry.kind === kind);
  const entry = entries[at];
  if (entry?.content == null) throw new Error(`no ${kind} in the log`);
  const old = `blocks/${entry.content}`;
  const record = z.record(z.string(), z.unknown()).parse(parseJson(textOf(files, old)));
  const bytes = canonicalBytes(change(record));
  const id = contentIdOf(bytes);
  files.delete(old);
  files.set(blockFile(id), bytes);
  relink(files, entries.with(at, { ...entry, content: id }));
}

/** A file of JSON with some fields changed. */
export function edit(files: Files, name: string, change: (value: Record<string, unknown>) => unknown): void {
  files.set(name, canonicalBytes(change(z.record(z.string(), z.unknown()).parse(parseJson(textOf(files, name))))));
}

import type { z } from "zod";
import { overrideSchema } from "../../execution/settlement-record.ts";
import type { ContentId } from "../../primitives/hex.ts";
import type { JsonValue } from "../../primitives/json.ts";
import type { AuditContext } from "./context.ts";

/** Records of human acts on an attempt. */
export function overridesIn(
  records: Pick<AuditContext, "log" | "block" | "hasBlock">,
  place: readonly (string | number)[],
): readonly z.infer<typeof overrideSchema>[] {
  const about = place.map(String);
  const acts = records.log.flatMap(({ kind, subjects }) =>
    kind === "execution.override" && about.every((part, at) => subjects[at] === part) ? [subjects[3] ?? ""] : [],
  );
  return [...new Set(acts)].flatMap((digest) => recordOf(records, "execution.override", [...place, digest], overrideSchema)?.value ?? []);
}

/** A record of execution: `execution.work` about this mission, node, attempt and slot, and so on. The last one holds. */
export function recordOf<Value>(
  { log, block, hasBlock }: Pick<AuditContext, "log" | "block" | "hasBlock">,
  kind: string,
  subjects: readonly (string | number | bigint)[],
  schema: z.ZodType<Value>,
): { readonly id: ContentId; readonly value: Value } | undefined {
  const wanted = subjects.map(String);
  const entry = log.findLast(
    (each) =>
      each.kind === kind && each.subjects.length === wanted.length && each.subjects.every((subject, index) => subject === wanted[index]),
  );
  const id = entry?.content ?? undefined;
  if (id === undefined || !hasBlock(id)) return undefined;
  const value: JsonValue = block(id);
  return { id, value: schema.parse(value) };
}

import { exitSchema } from "../../orchestrator/execution/exits.ts";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { logOf, textOf } from "../city/audit/forgery.ts";

/** What a mission's bundle says of the attempts that nothing settled. */
export function exitsIn(bundle: string | null) {
  const files = new Map(openBundle(bundle ?? "").files);
  return logOf(files).flatMap(({ kind, content }) =>
    kind === "execution.exit" && content !== null ? [exitSchema.parse(parseJson(textOf(files, `blocks/${content}`))).exit] : [],
  );
}

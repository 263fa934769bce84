import { workSchema } from "../../execution/work.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { isObject, type JsonObject } from "../../primitives/json.ts";
import { compileSchema, describeProblem } from "../../primitives/json-schema.ts";
import { NAMED_GATES } from "../../protocol/gates.ts";
import type { AuditContext } from "./context.ts";
import type { Inspection } from "./inspection.ts";
import { schemasOf } from "./passports.ts";
import { END } from "./settlements.ts";
import { recordOf } from "./works.ts";

/** What issuers stated about schemas is measured again: an output that let the gate `keeps-schema` open keeps the schema of that statement. */
export async function keptSchemas(context: AuditContext, seen: Inspection): Promise<void> {
  const { client, law, mission, label } = context;
  const { number } = NAMED_GATES["keeps-schema"];
  if (law.header.outputPredicate !== number && law.nodes.every(({ predicate }) => predicate !== number)) return;
  const gate = client.schemaGate(await client.execution.predicateOf(number));
  for (const { args } of await gate.history("SchemaKept", { mission })) {
    const subject = `schema of the output of ${label(args.node)}`;
    await seen.part(subject, () => void seen.holds(...keptIn(context, args, subject)));
  }
}

interface Stated {
  readonly node: number;
  readonly obligation: Hash;
  readonly outputHash: Hash;
  readonly schemaHash: Hash;
}

/** Whether a statement is true, about what, and how it is not. */
function keptIn(context: AuditContext, stated: Stated, subject: string): [boolean, string, string] {
  const output = outputOf(context, stated);
  if (output === undefined) return [false, subject, "was stated of an output that nobody handed in under this obligation"];
  const schema = outputSchema(context, stated.schemaHash);
  if (schema === undefined) return [false, subject, "was stated of a schema that no service has"];
  const problem = compileSchema(schema)(output);
  return [problem === undefined, subject, `was stated to be kept, and is not: ${problem === undefined ? "" : describeProblem(problem)}`];
}

function outputOf(context: AuditContext, { node, obligation, outputHash }: Stated): JsonObject | undefined {
  const { history, mission, block } = context;
  for (let attempt = 0; attempt <= history.attemptAt(node, END); attempt += 1) {
    if (history.obligation(node, attempt) !== obligation) continue;
    for (const { slot } of history.executors(node, attempt)) {
      const work = recordOf(context, "execution.work", [mission, node, attempt, slot], workSchema)?.value;
      if (work?.ok !== true || work.outputHash !== outputHash) continue;
      const output = block(parseContentId(work.outputId));
      if (isObject(output)) return output;
    }
  }
  return undefined;
}

/** Of a service that was registered with these schemas. */
function outputSchema(context: AuditContext, schemaHash: Hash): JsonObject | undefined {
  const services = context.record.events("ServiceContract", "ServiceRegistered").filter(({ args }) => args.schemaHash === schemaHash);
  return services.map(({ args }) => schemasOf(context, args.service)?.output).find((schema) => schema !== undefined);
}

/**
 * Traces of other protocols as evidence (RAILS 9.1, 9.2): a runner's record of its MCP tool calls, an A2A agent's report of a task. They say what
 * happened, not that it was enough: verifiers compare them with the obligation. Their class is their emitter's: REC for a registered third party,
 * ATT with a quote, at most SIGN for the actors' own.
 */
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../primitives/json.ts";
import { jsonSchema, nameSchema } from "./fields.ts";
import { refOf } from "./seal.ts";
import type { Predicate } from "./verifiers/constraint.ts";
import { fieldOf } from "./verifiers/verifier.ts";

/** Types of evidence items. */
export const TOOL_TRACE = "mcp_tool_trace";
export const TASK_REPORT = "a2a_task";

/** A tool call as MCP's `tools/call` has it: parameters and result. Other fields of the protocol are ignored. */
const toolCallSchema = z.looseObject({
  request: z.looseObject({ name: nameSchema, arguments: z.record(z.string(), jsonSchema).optional() }),
  result: z.looseObject({ content: jsonSchema.optional(), structuredContent: jsonSchema.optional(), isError: z.boolean().optional() }),
});
export type ToolCall = z.input<typeof toolCallSchema>;

/** A task as A2A 1.0 has it. */
const taskSchema = z.looseObject({
  id: nameSchema,
  contextId: nameSchema,
  status: z.looseObject({ state: z.union([nameSchema, z.int()]) }),
  artifacts: z.array(z.looseObject({ artifactId: nameSchema, parts: jsonSchema })).optional(),
});
export type TaskReport = z.input<typeof taskSchema>;

/** What an item of evidence is about, before its emitter signs it (`emitted`). */
export interface Artifact {
  readonly id: string;
  readonly type: string;
  readonly content: JsonObject;
}

/**
 * All calls of a run as one artifact: signed as a whole, no unwelcome call can be left out later. `session`: the runner's name for the run. Throws
 * InvalidValue.
 */
export function toolTrace(id: string, { session, calls }: { readonly session: string; readonly calls: readonly ToolCall[] }): Artifact {
  const read = parsed(z.array(toolCallSchema), calls, "tool calls");
  const content = {
    session,
    calls: read.map(({ request, result }) => ({
      tool: request.name,
      arguments: request.arguments ?? {},
      result: result.structuredContent ?? result.content ?? null,
      is_error: result.isError ?? false,
    })),
  };
  return { id, type: TOOL_TRACE, content };
}

/** The state of a delegated task, with its artifacts by digest. Throws InvalidValue. */
export function taskReport(id: string, task: TaskReport): Artifact {
  const { id: name, contextId, status, artifacts = [] } = parsed(taskSchema, task, "task");
  const content = {
    task: name,
    context: contextId,
    state: status.state,
    artifacts: artifacts.map(({ artifactId, parts }) => ({ id: artifactId, digest: refOf(parts) })),
  };
  return { id, type: TASK_REPORT, content };
}

/** Every call of the trace went to one of these tools. */
export function toolsWithin(tools: readonly string[]): Predicate {
  return eachCall((call) => {
    const tool = call["tool"];
    return typeof tool === "string" && tools.includes(tool) ? undefined : `called ${JSON.stringify(tool ?? null)}`;
  });
}

/** No call of the trace ended with an error. */
export const noFailedCalls: Predicate = eachCall((call) => (call["is_error"] === false ? undefined : `${String(call["tool"])} failed`));

/** `problem`: of one call; undefined if there is none. A trace without calls proves nothing and does not hold. */
function eachCall(problem: (call: JsonObject) => string | undefined): Predicate {
  return (content: JsonValue) => {
    const calls = fieldOf(content, "calls");
    if (!Array.isArray(calls) || calls.length === 0) return { holds: false, why: "no calls" };
    const problems = calls.flatMap((call) => (isObject(call) ? (problem(call) ?? []) : ["malformed call"]));
    return { holds: problems.length === 0, why: problems.length === 0 ? `${calls.length} calls in order` : problems.join(", ") };
  };
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (!read.success) throw new InvalidValue(what, z.prettifyError(read.error));
  return read.data;
}

import { z } from "zod";
import { PRAMANA_EXTENSION } from "../attestation/index.ts";
import { isOver, missionStates } from "../execution/chain-view.ts";
import { messageOf } from "../primitives/errors.ts";
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import type { Command } from "./command.ts";
import { answerTo } from "./errors.ts";
import type { Extension } from "./extensions.ts";
import { type Ask, apart } from "./mcp.ts";

/** Path of A2A's JSON-RPC endpoint, and of its card. */
export const A2A_PATH = "/a2a";
export const CARD_PATH = "/.well-known/agent-card.json";
export const A2A_VERSION = "1.0";
/** Path of the keys that sign cards, and the header that lists extensions. */
export const KEYS_PATH = "/.well-known/jwks.json";
export const EXTENSIONS_HEADER = "a2a-extensions";

/** Error codes of the protocol in addition to those of JSON-RPC. */
const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  taskNotFound: -32_001,
  taskNotCancelable: -32_002,
  pushNotSupported: -32_003,
  unsupported: -32_004,
  contentType: -32_005,
  version: -32_009,
} as const;

class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;
  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const STATES: Readonly<Partial<Record<(typeof missionStates)[number], string>>> = {
  PENDING: "TASK_STATE_SUBMITTED",
  COMPLETED: "TASK_STATE_COMPLETED",
  FAILED: "TASK_STATE_FAILED",
  ABORTED: "TASK_STATE_CANCELED",
};

const requestSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(200), z.number(), z.null()]),
  method: z.string().max(100),
  params: z.record(z.string(), z.json()).default({}),
});
const partSchema = z.looseObject({ data: z.json().optional() });
const messageSchema = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1).max(200),
    contextId: z.string().max(200).optional(),
    taskId: z.string().max(200).optional(),
    role: z.literal("ROLE_USER"),
    parts: z.array(partSchema).min(1).max(8),
  }),
});
const callSchema = z.looseObject({ command: z.string().max(100), fields: z.record(z.string(), z.json()).default({}) });
const taskSchema = z.looseObject({ id: z.string().max(200) });
const listSchema = z.looseObject({ pageSize: z.int().min(1).max(100).optional(), pageToken: z.string().max(64).optional() });
const missionSchema = z.looseObject({ mission: z.string(), missionId: z.string(), state: z.enum(missionStates), deployedAt: z.number() });
const missionsSchema = z.object({ items: z.array(missionSchema), next: z.string().nullable() });

export interface A2aOptions {
  readonly commands: readonly Command[];
  readonly ask: Ask;
  readonly version: string;
  readonly url: () => string;
  readonly extensions: () => readonly Extension[];
}

/** The card of A2A 1.0, unsigned: one skill per group of commands. See `signedCard`. */
export function cardOf({ commands, version, url, extensions }: Omit<A2aOptions, "ask">): JsonObject {
  const groups = [...new Set(commands.map(({ group }) => group))];
  return {
    name: "AgentCity",
    description: "A city of agents under a law: missions, votes, verdicts, money, and work for external agents.",
    version,
    supportedInterfaces: [{ url: `${url()}${A2A_PATH}`, protocolBinding: "JSONRPC", protocolVersion: A2A_VERSION }],
    documentationUrl: `${url()}/docs`,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: extensions().map(({ uri, description, params }) => ({ uri, description, params })),
    },
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["application/json"],
    skills: groups.map((group) => {
      const own = commands.filter((each) => each.group === group);
      return {
        id: group.toLowerCase().replaceAll(" ", "-"),
        name: group,
        description: `A data part {"command", "fields"}: ${own.map(({ name }) => name).join(", ")}. Missions are tasks: their address is the id.`,
        tags: ["agentcity", group.toLowerCase()],
        examples: [canonicalJson({ command: own[0]?.name ?? "", fields: {} })],
        inputModes: ["application/json"],
        outputModes: ["application/json"],
      };
    }),
  };
}

/** Answers one JSON-RPC request of A2A 1.0. `said`: its A2A-Version header; `active`: extensions that it activates. */
export async function answerA2a(
  options: A2aOptions,
  text: string,
  said: string | undefined,
  active: readonly Extension[],
): Promise<JsonObject> {
  let id: JsonValue = null;
  try {
    const given = parsed(text);
    const asked = requestSchema.safeParse(given);
    if (!asked.success) throw new RpcError(CODES.request, "This is not a JSON-RPC 2.0 request");
    id = asked.data.id;
    // Without the header a client means 0.3, whose methods have other names.
    if (said === undefined || !/^1\.0(\.\d+)?$/.test(said))
      throw new RpcError(CODES.version, `This endpoint speaks A2A-Version ${A2A_VERSION}`, { supported: [A2A_VERSION] });
    return { jsonrpc: "2.0", id, result: await resultOf(options, asked.data.method, asked.data.params, active) };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: errorOf(error) };
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new RpcError(CODES.parse, messageOf(error));
  }
}

function errorOf(error: unknown): JsonObject {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: [error.data] }) };
  if (error instanceof z.ZodError)
    return { code: CODES.params, message: "The parameters are invalid", data: [z.prettifyError(error).slice(0, 500)] };
  const { body, isOurs } = answerTo(error);
  const { code: reason, message, details, action } = body.error;
  const info = { reason, ...(details === undefined ? {} : { details }), ...(action === undefined ? {} : { action }) };
  return { code: isOurs ? CODES.params : CODES.internal, message, data: [info] };
}

async function resultOf(options: A2aOptions, method: string, params: JsonObject, active: readonly Extension[]): Promise<JsonObject> {
  switch (method) {
    case "SendMessage":
      return { message: await answerToMessage(options, messageSchema.parse(params).message, active) };
    case "GetTask":
      return taskOf(options, await missionNamed(options, taskSchema.parse(params).id), true);
    case "ListTasks": {
      const { pageSize = 50, pageToken } = listSchema.parse(params);
      const cursor = pageToken === undefined || pageToken === "" ? {} : { cursor: pageToken };
      const { items, next } = missionsSchema.parse(await use(options, "list_missions", { limit: pageSize, newest: true, ...cursor }));
      const tasks = await Promise.all(items.map((mission) => taskOf(options, mission, false)));
      return { tasks, nextPageToken: next ?? "", pageSize, totalSize: tasks.length };
    }
    case "CancelTask":
      await missionNamed(options, taskSchema.parse(params).id);
      throw new RpcError(CODES.taskNotCancelable, "Missions are ended by adjudicators' orders: draft_order, relay_order");
    case "SendStreamingMessage":
    case "SubscribeToTask":
    case "GetExtendedAgentCard":
      throw new RpcError(CODES.unsupported, "Not offered here: events are streamed at GET /v1/events/stream");
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
    case "ListTaskPushNotificationConfigs":
    case "DeleteTaskPushNotificationConfig":
      throw new RpcError(CODES.pushNotSupported, "This city pushes to adjudicators only: set_webhook");
    default:
      throw new RpcError(CODES.method, "There is no such method in A2A 1.0");
  }
}

function use({ commands, ask }: A2aOptions, name: string, fields: JsonObject): Promise<JsonObject> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new RpcError(CODES.params, `There is no command ${name.slice(0, 60)}`, { reason: "NoSuchCommand" });
  const { fields: own, proof } = apart(command.access, fields);
  return ask(command, own, proof);
}

/** A message with one data part invokes a command; the answer is a message too. */
async function answerToMessage(
  options: A2aOptions,
  { messageId, contextId, parts }: z.infer<typeof messageSchema>["message"],
  active: readonly Extension[],
): Promise<JsonObject> {
  const call = callSchema.safeParse(parts.find(({ data }) => data !== undefined)?.data);
  if (!call.success) throw new RpcError(CODES.contentType, 'Expected a part {"data": {"command", "fields"}}: the card lists the commands');
  const { command, fields } = call.data;
  const answer = await use(options, command, fields);
  return {
    messageId: `answer-${messageId}`,
    contextId: contextId ?? messageId,
    role: "ROLE_AGENT",
    parts: [{ data: answer, mediaType: "application/json" }],
    extensions: active.filter(({ commands }) => commands.includes(command)).map(({ uri }) => uri),
    ...metadataOf(options, command, answer, active),
  };
}

/** Claims about an answer, for clients that speak their extension. */
function metadataOf({ commands }: A2aOptions, name: string, answer: JsonObject, active: readonly Extension[]): JsonObject {
  const command = commands.find((each) => each.name === name);
  const claims = command === undefined ? [] : (command.claims?.(answer) ?? []);
  return claims.length > 0 && active.some(({ uri }) => uri === PRAMANA_EXTENSION) ? { metadata: { [PRAMANA_EXTENSION]: claims } } : {};
}

async function missionNamed(options: A2aOptions, id: string): Promise<z.infer<typeof missionSchema>> {
  try {
    return missionSchema.parse(await use(options, "get_mission", { mission: id }));
  } catch (error) {
    // A caller over its rate limit must not conclude that its mission is gone.
    if (!["NotFound", "BadRequest", "InvalidValue"].includes(answerTo(error).body.error.code)) throw error;
    throw new RpcError(CODES.taskNotFound, "This city has no mission of that address");
  }
}

/** A mission as a task. `withRecord`: includes the results, once it is over. */
async function taskOf(options: A2aOptions, mission: z.infer<typeof missionSchema>, withRecord: boolean): Promise<JsonObject> {
  const { mission: id, missionId, state, deployedAt } = mission;
  const record =
    withRecord && isOver(state)
      ? await Promise.all(["list_verdicts", "get_mission_money"].map((name) => use(options, name, { mission: id })))
      : [];
  return {
    id,
    contextId: missionId,
    status: { state: STATES[state] ?? "TASK_STATE_WORKING", timestamp: new Date(1_000 * deployedAt).toISOString() },
    artifacts: record.map((data, at) => ({
      artifactId: at === 0 ? "verdicts" : "money",
      name: at === 0 ? "The chain's decision on each attempt" : "Where the deposit went",
      parts: [{ data, mediaType: "application/json" }],
    })),
    history: [],
    metadata: { state },
  };
}

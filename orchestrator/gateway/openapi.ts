import { z } from "zod";
import { canonicalJson, isObject, type JsonObject } from "../primitives/json.ts";
import { BLOCK_PATH } from "./block-routes.ts";
import { type Command, costInWords } from "./command.ts";
import { filterInput } from "./commands/events.ts";
import { contentId, hash } from "./wire.ts";

/** Where followers of events connect: the one route that is no question with an answer. */
export const STREAM_PATH = "/v1/events/stream";
/** Where MCP clients connect: the same commands as tools. */
export const MCP_PATH = "/mcp";

/** What a stream is asked: a filter, and the place after which it begins. */
export const streamInput = z.strictObject({
  ...filterInput,
  after: z
    .int()
    .nonnegative()
    .optional()
    .meta({ description: "Begin after this sequence; Last-Event-ID says the same. Default: live only" }),
});

/** A schema as JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.json().parse(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: "input" })))) as JsonObject;
  return rest;
}

/** Name in the document of the one recursive schema: any JSON value. */
const JSON_VALUE = "JsonValue";
const SELF = `"#/components/schemas/${JSON_VALUE}"`;
const jsonValue = canonicalJson(jsonSchemaOf(z.json())).replaceAll('"#"', SELF);

/** A schema as part of the document: references start at the document's root, where its own definitions are not. */
function schemaIn(schema: z.ZodType): JsonObject {
  const { $defs, ...rest } = jsonSchemaOf(schema);
  let text = canonicalJson(rest);
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {})) {
    const own = `"#/$defs/${name}"`;
    if (canonicalJson(definition).replaceAll(own, SELF) !== jsonValue)
      throw new RangeError(`the document has no name for the recursive schema ${canonicalJson(definition)}`);
    text = text.replaceAll(own, SELF);
  }
  return objectIn(text);
}

function objectIn(text: string): JsonObject {
  return z.record(z.string(), z.json()).parse(JSON.parse(text));
}

/** Fields that a path names in braces. */
export function pathFields(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

const propertySchema = z.object({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});

function parametersOf(input: z.ZodObject, path: string): JsonObject[] {
  const { properties = {}, required = [] } = propertySchema.parse(schemaIn(input));
  const inPath = pathFields(path);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: inPath.includes(name) ? "path" : "query",
    required: inPath.includes(name) || required.includes(name),
    schema: z.json().parse(schema),
  }));
}

const errorAnswer = (description: string): JsonObject => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

const headerField = (name: string, description: string): JsonObject => ({
  ...{ name, description },
  ...{ in: "header", required: false, schema: { type: "string" } },
});
/** What a request of a tagged command may bring, and what may come of it. */
const CONDITIONS = {
  GET: {
    headers: [headerField("If-None-Match", "Entity tags of answers that the caller has: one that is the same is not sent again")],
    answers: { 304: { description: "The caller has it" } },
  },
  POST: {
    headers: [
      headerField("Idempotency-Key", "Of the caller's choice: the same request under the same key gets its first answer for a day"),
      headerField("If-Match", "The entity tag of get_agreement that the caller acts upon"),
    ],
    answers: { 412: errorAnswer("It is no longer what If-Match names"), 422: errorAnswer("The key was for another request") },
  },
};

/** What shows whose a request is; of a reader's, nothing has to. */
const SECURITY = { reader: [{}, { bearer: [] }], bearer: [{ bearer: [] }], signed: [{ erc8128: [] }] };

function operationOf(command: Command): JsonObject {
  const { name, method, path, group, doc, access, input, output } = command;
  const isRead = method === "GET";
  const { headers, answers } = command.isTagged === true ? CONDITIONS[method] : { headers: [], answers: {} };
  return {
    operationId: name,
    tags: [group],
    summary: doc.split(/(?<=\.)\s/, 1)[0] ?? doc,
    description: `${doc}\n\nCost: ${costInWords(command)}.`,
    parameters: [...(isRead ? parametersOf(input, path) : []), ...headers],
    ...(isRead ? {} : { requestBody: { required: true, content: { "application/json": { schema: schemaIn(input) } } } }),
    ...(access === "open" || access === "order" ? {} : { security: SECURITY[access] }),
    responses: {
      200: { description: "The answer", content: { "application/json": { schema: schemaIn(output) } } },
      400: errorAnswer("The question is malformed"),
      ...(access === "open" || access === "order" ? {} : { 401: errorAnswer("No good signature or bearer") }),
      404: errorAnswer("There is no such thing here"),
      429: errorAnswer("This address asks too much at once"),
      ...answers,
    },
  };
}

/** Bytes by their id: a question's blocks, and an output too large for `deliver`. */
function blockOperations(): Record<string, JsonObject> {
  const cid: JsonObject = { name: "cid", in: "path", required: true, schema: schemaIn(contentId) };
  const bytes: JsonObject = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  const said: JsonObject = { type: "object", properties: { cid: { type: "string" }, bytes: { type: "integer" } } };
  const refusals = { 401: errorAnswer("No good signature or bearer"), 404: errorAnswer("Nothing that this key may read") };
  return {
    get: {
      operationId: "get_block",
      tags: ["Seats"],
      summary: "A block that a question gave to this key.",
      parameters: [cid],
      security: [{ bearer: [] }],
      responses: { 200: { description: "The bytes; they hash to the id", content: bytes }, ...refusals },
    },
    put: {
      operationId: "put_block",
      tags: ["Seats"],
      summary: "Brings an output's bytes, 8 MiB at most, while an open question of this key asks for one.",
      parameters: [cid, { name: "call", in: "query", required: true, schema: schemaIn(hash) }],
      security: [{ erc8128: [] }],
      requestBody: { required: true, content: bytes },
      responses: {
        200: { description: "Kept", content: { "application/json": { schema: said } } },
        ...refusals,
        413: errorAnswer("Too large, or beyond 64 MiB for a piece of work or 1 GiB for a mission"),
      },
    },
  };
}

/** The whole gateway as OpenAPI 3.1. */
export function openApiOf(commands: readonly Command[], version: string, url: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const command of commands) {
    paths[command.path] = { ...paths[command.path], [command.method.toLowerCase()]: operationOf(command) };
  }
  paths[STREAM_PATH] = {
    get: {
      operationId: "follow_events",
      tags: ["Events"],
      summary: "Events as they happen, as server-sent events.",
      description: "Each has the event's sequence as its id: a client that comes back with Last-Event-ID misses none.",
      parameters: [
        ...parametersOf(streamInput, STREAM_PATH),
        { name: "Last-Event-ID", in: "header", required: false, schema: { type: "integer", minimum: 0 } },
      ],
      responses: { 200: { description: "The stream", content: { "text/event-stream": { schema: { type: "string" } } } } },
    },
  };
  paths[`${BLOCK_PATH}/{cid}`] = blockOperations();
  return {
    openapi: "3.1.0",
    info: { title: "AgentCity gateway", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url }],
    paths,
    components: {
      schemas: {
        [JSON_VALUE]: objectIn(jsonValue),
        Error: {
          type: "object",
          required: ["error"],
          properties: {
            error: {
              type: "object",
              required: ["code", "message"],
              properties: {
                code: { type: "string" },
                message: { type: "string" },
                details: { type: "string" },
                action: { type: "string" },
              },
            },
          },
        },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "Fifteen minutes, from open_session" },
        erc8128: { type: "apiKey", in: "header", name: "Signature", description: "ERC-8128 over RFC 9421, label eth: docs/gateway.md" },
      },
    },
  };
}

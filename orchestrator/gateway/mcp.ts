import { createMcpHandler, type McpHttpHandler, McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { type ClaimEnvelope, claimEnvelopeSchema, withClaims } from "../attestation/index.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import type { Access, Command } from "./command.ts";
import { answerTo, outsideSchema } from "./errors.ts";
import { type ToolSignature, toolSignature } from "./tool-signature.ts";
import { PaymentRequired } from "./x402.ts";

/** How a tool's caller shows whose key it uses. */
export interface Proof {
  readonly bearer?: string | undefined;
  readonly signature?: ToolSignature | undefined;
  /** For what a tool costs, where its caller can pay at all. */
  readonly payment?: ToolPayment | undefined;
}

/** A payment that comes with the use of a tool (x402). */
export interface ToolPayment {
  /** As the header of an HTTP request has it; undefined where the caller sent none. */
  readonly header: string | undefined;
  /** Takes the header that an HTTP answer would have. */
  readonly paid: (receipt: string) => void;
}

/** Answers one command: from this city, or from one elsewhere. */
export type Ask = (command: Command, input: JsonObject, proof: Proof) => Promise<JsonObject>;

const bearer = z.string().max(64);
const proofFields = {
  reader: { bearer: bearer.optional().meta({ description: "From open_session: shows what its key may read" }) },
  bearer: { bearer: bearer.meta({ description: "From open_session" }) },
  signed: { signature: toolSignature },
} as const;

/** Names of a tool's fields that show its caller's key; no command has a field of these names where they are added. */
const proofSchema = z.object({ bearer: z.string().optional(), signature: toolSignature.optional() });

/** What a tool is asked: the command's own fields, and what shows the caller's key. */
function questionOf({ access, input }: Command): z.ZodObject {
  return access === "open" || access === "order" ? input : input.extend(proofFields[access]);
}

/** A command as a tool. */
interface Tool {
  readonly command: Command;
  /** Its own fields, and what shows whose key the caller uses. */
  readonly question: z.ZodObject;
  readonly config: {
    readonly description: string;
    readonly inputSchema: StandardSchemaWithJSON;
    readonly outputSchema: StandardSchemaWithJSON;
    readonly annotations: { readonly readOnlyHint: boolean; readonly openWorldHint: boolean };
  };
}

function toolOf(command: Command): Tool {
  const question = questionOf(command);
  return {
    command,
    question,
    config: {
      description: command.doc,
      // What the SDK refuses would have no code: the tool itself checks its fields.
      inputSchema: listedOnce(question, "input", (value) => ({ value })),
      outputSchema: listedOnce(command.output, "output", (value) => command.output["~standard"].validate(value)),
      annotations: { readOnlyHint: command.method === "GET", openWorldHint: false },
    },
  };
}

type Standard = StandardSchemaWithJSON["~standard"];

/** A schema whose JSON Schema is made once. The SDK asks for all tools' at each `tools/list`, and for a called tool's at each call. */
function listedOnce(schema: z.ZodType, io: "input" | "output", validate: Standard["validate"]): StandardSchemaWithJSON {
  let listed: Record<string, unknown> | undefined;
  const list: Standard["jsonSchema"]["input"] = (options) => {
    listed ??= schema["~standard"].jsonSchema[io](options);
    return listed;
  };
  return { "~standard": { version: 1, vendor: "agentcity", validate, jsonSchema: { input: list, output: list } } };
}

/** The table as an MCP server. */
function mcpServerOf(tools: readonly Tool[], version: string, ask: Ask): McpServer {
  const server = new McpServer({ name: "agentcity", version });
  register(server, tools, ask);
  return server;
}

/** Adds a tool a command, with the same name, question and answer. */
export function offerTools(server: McpServer, commands: readonly Command[], ask: Ask): void {
  register(server, commands.map(toolOf), ask);
}

function register(server: McpServer, tools: readonly Tool[], ask: Ask): void {
  for (const { command, question, config } of tools) {
    server.registerTool(command.name, config, async (given, { mcpReq }) => {
      let receipt: string | undefined;
      const payment = {
        header: headerOf(mcpReq._meta?.[PAYMENT_META.payment]),
        paid: (text: string) => {
          receipt = text;
        },
      };
      try {
        const asked = question.safeParse(given);
        if (!asked.success) throw outsideSchema(asked.error);
        const { fields, proof } = apart(command.access, asked.data);
        const answer = await ask(command, fields, { ...proof, payment });
        const meta = receipt === undefined ? {} : { _meta: { [PAYMENT_META.response]: documentOf(receipt) } };
        const result = { structuredContent: answer, content: [{ type: "text" as const, text: canonicalJson(answer) }], ...meta };
        const claims = claimsBeside(command, answer);
        return claims.length === 0 ? result : withClaims(result, claims, "_meta");
      } catch (error) {
        if (error instanceof PaymentRequired) {
          const required = documentOf(error.required);
          return { isError: true, structuredContent: required, content: [{ type: "text" as const, text: canonicalJson(required) }] };
        }
        return { isError: true, content: [{ type: "text" as const, text: canonicalJson(answerTo(error).body) }] };
      }
    });
  }
}

/** Claims that go beside an answer. */
function claimsBeside({ claims }: Command, answer: JsonObject): readonly ClaimEnvelope[] {
  return claims === undefined ? [] : z.array(claimEnvelopeSchema).parse(claims(answer));
}

/** Where x402 has payments and receipts in MCP. */
const PAYMENT_META = { payment: "x402/payment", response: "x402/payment-response" } as const;

/** A payment of `_meta` as an HTTP request would send it. */
function headerOf(payment: unknown): string | undefined {
  return payment === undefined ? undefined : Buffer.from(JSON.stringify(payment)).toString("base64");
}

/** What a header of ours says. */
function documentOf(header: string): JsonObject {
  const value = parseJson(Buffer.from(header, "base64").toString("utf8"));
  return isObject(value) ? value : {};
}

/** A tool's own fields, and what shows its caller's key. */
export function apart(access: Access, given: unknown): { readonly fields: JsonObject; readonly proof: Proof } {
  const plain: JsonValue = JSON.parse(JSON.stringify(given));
  const all = isObject(plain) ? plain : {};
  if (access === "open" || access === "order") return { fields: all, proof: {} };
  const { bearer: _, signature: __, ...fields } = all;
  return { fields, proof: proofSchema.parse(all) };
}

/** MCP by streamable HTTP, both of its eras, nothing kept between requests. */
export function mcpHandler(commands: readonly Command[], version: string, ask: Ask, mostBytes: number): McpHttpHandler {
  const tools = commands.map(toolOf);
  return createMcpHandler(() => mcpServerOf(tools, version, ask), { maxRequestBodySize: mostBytes });
}

/** MCP on this process's standard input and output, until its client leaves. */
export function serveMcpStdio(commands: readonly Command[], version: string, ask: Ask): void {
  const tools = commands.map(toolOf);
  serveStdio(() => mcpServerOf(tools, version, ask));
}

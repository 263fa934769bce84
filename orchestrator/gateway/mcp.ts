import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { canonicalJson, isObject, type JsonObject, type JsonValue } from "../primitives/json.ts";
import type { Access, Command } from "./command.ts";
import { answerTo } from "./errors.ts";
import { type ToolSignature, toolSignature } from "./tool-signature.ts";

/** How a tool's caller shows whose key it uses. */
export interface Proof {
  readonly bearer?: string | undefined;
  readonly signature?: ToolSignature | undefined;
}

/** Answers one command: from this city, or from one elsewhere. */
export type Ask = (command: Command, input: JsonObject, proof: Proof) => Promise<JsonObject>;

const proofFields = {
  bearer: { bearer: z.string().max(64).meta({ description: "From open_session" }) },
  signed: { signature: toolSignature },
} as const;

/** Names of a tool's fields that show its caller's key; no command has a field of these names where they are added. */
const proofSchema = z.object({ bearer: z.string().optional(), signature: toolSignature.optional() });

/** What a tool is asked: the command's own fields, and what shows the caller's key. */
function questionOf({ access, input }: Command): z.ZodObject {
  return access === "bearer" || access === "signed" ? input.extend(proofFields[access]) : input;
}

/** The table as an MCP server. */
function mcpServerOf(commands: readonly Command[], version: string, ask: Ask): McpServer {
  const server = new McpServer({ name: "agentcity", version });
  offerTools(server, commands, ask);
  return server;
}

/** Adds a tool a command, with the same name, question and answer. */
export function offerTools(server: McpServer, commands: readonly Command[], ask: Ask): void {
  for (const command of commands) {
    const config = {
      description: command.doc,
      inputSchema: questionOf(command),
      outputSchema: command.output,
      annotations: { readOnlyHint: command.method === "GET", openWorldHint: false },
    };
    server.registerTool(command.name, config, async (given) => {
      try {
        const { fields, proof } = apart(command.access, given);
        const answer = await ask(command, fields, proof);
        return { structuredContent: answer, content: [{ type: "text" as const, text: canonicalJson(answer) }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text" as const, text: canonicalJson(answerTo(error).body) }] };
      }
    });
  }
}

/** A tool's own fields, and what shows its caller's key. */
export function apart(access: Access, given: unknown): { readonly fields: JsonObject; readonly proof: Proof } {
  const plain: JsonValue = JSON.parse(JSON.stringify(given));
  const all = isObject(plain) ? plain : {};
  if (access !== "bearer" && access !== "signed") return { fields: all, proof: {} };
  const { bearer: _, signature: __, ...fields } = all;
  return { fields, proof: proofSchema.parse(all) };
}

/** MCP by streamable HTTP, both of its eras, nothing kept between requests. */
export function mcpHandler(commands: readonly Command[], version: string, ask: Ask, mostBytes: number): McpHttpHandler {
  return createMcpHandler(() => mcpServerOf(commands, version, ask), { maxRequestBodySize: mostBytes });
}

/** MCP on this process's standard input and output, until its client leaves. */
export function serveMcpStdio(commands: readonly Command[], version: string, ask: Ask): void {
  serveStdio(() => mcpServerOf(commands, version, ask));
}

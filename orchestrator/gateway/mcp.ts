import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { canonicalJson, type JsonObject } from "../primitives/json.ts";
import type { Command } from "./command.ts";
import { answerTo } from "./errors.ts";

/** Answers one command: from this city, or from one elsewhere. */
export type Ask = (command: Command, input: JsonObject) => Promise<JsonObject>;

/** Commands that MCP offers as tools: those that need no key. */
export function toolsOf(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ access }) => access === "open");
}

/** The table as an MCP server: a tool a command, with the same name, question and answer. */
function mcpServerOf(commands: readonly Command[], version: string, ask: Ask): McpServer {
  const server = new McpServer({ name: "agentcity", version });
  for (const command of toolsOf(commands)) {
    const config = {
      description: command.doc,
      inputSchema: command.input,
      outputSchema: command.output,
      annotations: { readOnlyHint: command.method === "GET", openWorldHint: false },
    };
    server.registerTool(command.name, config, async (input) => {
      try {
        const answer = await ask(command, JSON.parse(JSON.stringify(input)));
        return { structuredContent: answer, content: [{ type: "text" as const, text: canonicalJson(answer) }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text" as const, text: canonicalJson(answerTo(error).body) }] };
      }
    });
  }
  return server;
}

/** MCP by streamable HTTP, both of its eras, nothing kept between requests. */
export function mcpHandler(commands: readonly Command[], version: string, ask: Ask, mostBytes: number): McpHttpHandler {
  return createMcpHandler(() => mcpServerOf(commands, version, ask), { maxRequestBodySize: mostBytes });
}

/** MCP on this process's standard input and output, until its client leaves. */
export function serveMcpStdio(commands: readonly Command[], version: string, ask: Ask): void {
  serveStdio(() => mcpServerOf(commands, version, ask));
}

/**
 * Somebody who has nothing of ours: the MCP SDK's own client, and a city's address. Prints what it learned as one JSON document.
 * usage: node stranger.ts http <url> | node stranger.ts stdio <command> <argument>…
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [face = "", target = "", ...args] = process.argv.slice(2);
const client = new Client({ name: "stranger", version: "1.0.0" });
await client.connect(
  face === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, stderr: "ignore", env: process.env as Record<string, string> }),
);
const { tools } = await client.listTools();
const call = (name: string, input: Record<string, unknown> = {}) => client.callTool({ name, arguments: input });
const missions = await call("list_missions", { limit: 1 });
const [first] = (missions.structuredContent as { items: { mission: string }[] }).items;
const mission = await call("get_mission", { mission: first?.mission });
const nobody = await call("get_mission", { mission: `0x${"00".repeat(20)}` });
const wrong = await call("list_events", { limit: 0 }).catch((error: unknown) => ({ isError: true, content: String(error) }));
console.log(
  JSON.stringify({
    tools: tools.map(({ name }) => name),
    withAnswers: tools.filter(({ outputSchema }) => outputSchema !== undefined).length,
    mission: mission.structuredContent,
    text: mission.content,
    nobody,
    wrong: wrong.isError,
  }),
);
await client.close();

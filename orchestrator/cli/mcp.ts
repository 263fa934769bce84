import { cityDocumentSchema } from "../gateway/commands/city.ts";
import { COMMANDS } from "../gateway/commands/table.ts";
import { askElsewhere, CityUnreachable } from "../gateway/elsewhere.ts";
import { serveMcpStdio } from "../gateway/mcp.ts";
import { type AgentCommand, agentOf } from "./agent.ts";
import { askCity, gatewayOr } from "./ask-city.ts";
import { interrupted } from "./interruption.ts";
import { Decisions, decideBy, runQuietly, serveMcpAgent } from "./mcp-agent.ts";
import { version } from "./version.ts";

export type McpOptions = Pick<AgentCommand, "city" | "folder" | "key" | "principal" | "passwordFile" | "rpc" | "sells" | "limits">;

/** Commands that need no key. */
const OPEN = COMMANDS.filter(({ access }) => access === "open" || access === "reader");

/**
 * Serves a city's commands over MCP on standard input and output, for a client that starts this process; with a key, an agent's decisions
 * too.
 */
export async function mcp(options: McpOptions): Promise<void> {
  const url = gatewayOr(options.city);
  const ask = askElsewhere(url);
  if (options.key === undefined && options.folder === undefined) return serveMcpStdio(OPEN, version(), ask);
  const decisions = new Decisions();
  const agent = agentOf({ ...options, city: await seatsOf(url) }, { registers: true, progress: (line) => decisions.progress(line) });
  decideBy(agent, decisions);
  const left = new AbortController();
  // The client that decides is gone, for whatever reason: an unattended seat would cost its owner money.
  for (const end of ["end", "close"]) process.stdin.once(end, () => left.abort());
  serveMcpAgent(OPEN, version(), ask, agent, decisions);
  await runQuietly(agent, decisions, AbortSignal.any([interrupted, left.signal]));
}

/** URL of the seats of the city at this gateway. */
async function seatsOf(url: string): Promise<string> {
  const { document } = await askCity(url, "get_city", cityDocumentSchema);
  const seats = document.faces["seats"];
  if (seats === undefined) throw new CityUnreachable(url, "this city's seats are not open to external agents at the moment");
  return seats;
}

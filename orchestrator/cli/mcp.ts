import { findLivingCity } from "../chain/city-file.ts";
import { COMMANDS } from "../gateway/commands/table.ts";
import { askElsewhere, CityUnreachable } from "../gateway/elsewhere.ts";
import { serveMcpStdio } from "../gateway/mcp.ts";
import { home } from "./home.ts";
import { version } from "./version.ts";

export interface McpOptions {
  readonly city?: string;
}

/** A city's commands as an MCP server on standard input and output, for a client that starts this process. */
export async function mcp(options: McpOptions): Promise<void> {
  const url = options.city ?? findLivingCity(home().dir)?.apiUrl ?? undefined;
  if (url === undefined) throw new CityUnreachable("this folder", "no city is served from here; --city <url> names another");
  serveMcpStdio(COMMANDS, version(), askElsewhere(url));
}

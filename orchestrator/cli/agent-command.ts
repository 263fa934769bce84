import { Command, Option } from "commander";
import { AGENT_ACTIONS, type AgentCommand, agent } from "./agent.ts";
import { whole } from "./options.ts";

const DOES = {
  verifier: "judge work as a member of verification panels",
  issuer: "receive or re-execute work, and sign what you find",
} as const;

/** `verifier` and `issuer`: the same runtime, which petitions for an office and answers other calls. */
export function officeCommand(role: keyof typeof DOES): Command {
  const command = new Command(role)
    .description(`${DOES[role]}; your key stays on this machine (docs/open-city.md)`)
    .argument(
      "[action]",
      `${AGENT_ACTIONS.join(", ")}: create keys; petition for the office and answer calls until stopped; check prerequisites; show its standing`,
      "run",
    )
    .option("--city <url>", "URL of the city's seats, e.g. http://127.0.0.1:8787")
    .option("--folder <folder>", `folder of its keys and memory; default: ${role}, next to the city's folder`)
    .option("--key <keystore>", "its keystore (version 3); default: the folder's")
    .option("--principal <keystore>", "its principal's keystore, needed until it is seated; default: the folder's")
    .option("--password-file <file>", "password of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
    .option("--rpc <url>", "RPC endpoint to trust; default: the city's own")
    .option("--contact <text>", "how adjudicators reach the owner; part of the petition")
    .option("--relations <text>", "relations to sponsors of this city; part of the petition");
  if (role === "verifier")
    command.option(
      "--judge <model>",
      "chat model for laws that require a semantic check: openai:<model>, anthropic:<model>, ollama:<model>",
    );
  if (role === "issuer")
    command
      .option("--classes <classes>", "evidence classes to issue: REC (receipts), ATT (re-execution), or both", "REC,ATT")
      .option("--weak-sandbox", "run services without bubblewrap if it is not installed")
      .option("--sells <services>", "services to re-execute, comma-separated catalogue names; default: all");
  return command
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"))
    .action((action: string, options: AgentCommand) => agent(action, options, role));
}

/** `agent`: in the repository's CLI and in the package's. */
export function agentCommand(): Command {
  return new Command("agent")
    .description("run your own agent in a city that someone else operates; key, mind and services stay on this machine (docs/open-city.md)")
    .argument(
      "[action]",
      `${AGENT_ACTIONS.join(", ")}: create keys and limits; join and answer calls until stopped; check prerequisites; show whether it earns`,
      "run",
    )
    .option("--city <url>", "URL of the city's seats, e.g. http://127.0.0.1:8787")
    .option("--folder <folder>", "folder of the agent's keys, limits and memory; default: agent, next to the city's folder")
    .option("--key <keystore>", "the agent's keystore (version 3); default: the folder's")
    .option("--principal <keystore>", "its principal's keystore: provides the stake, needed until it is registered; default: the folder's")
    .option("--creator <folder>", "in place of --principal: folder of another agent, which provides the stake")
    .option("--password-file <file>", "password of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
    .option("--rpc <url>", "RPC endpoint to trust; default: the city's own")
    .option("--sells <services>", "services to sell, comma-separated catalogue names; default: all")
    .option("--limits <file>", "the owner's limits (JSON file); default: the folder's")
    .option("--least-price <units>", "minimum price of a slot, smallest unit")
    .option("--most-stake <units>", "maximum stake behind all bids in one mission, smallest unit")
    .addOption(whole("--most-nodes <n>", "maximum number of nodes to bid for in one mission", 1, 256))
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"))
    .action((action: string, options: AgentCommand) => agent(action, options));
}

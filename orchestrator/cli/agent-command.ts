import { Command, Option } from "commander";
import { AGENT_ACTIONS, type AgentCommand, agent } from "./agent.ts";
import { whole } from "./options.ts";

const DOES = {
  verifier: "judge what others have done, as a member of the panels that it is drawn for",
  issuer: "receive what others have done, or run it again, and sign what you found",
} as const;

/** `verifier` and `issuer`: the same runtime, which asks the adjudicators for an office and answers other questions. */
export function officeCommand(role: keyof typeof DOES): Command {
  const command = new Command(role)
    .description(`${DOES[role]}; your key stays on this machine (docs/open-city.md)`)
    .argument(
      "[action]",
      `${AGENT_ACTIONS.join(", ")}: make keys; petition for the office, then answer until stopped; say what is missing; say how it stands`,
      "run",
    )
    .option("--city <url>", "where the city's seats are, http://127.0.0.1:8787")
    .option("--folder <folder>", `where init makes keys, and it keeps its memory; default: ${role}, beside the city's folder`)
    .option("--key <keystore>", "its key: a version-3 keystore; default: the folder's")
    .option("--principal <keystore>", "who answers for it; needed until it is seated; default: the folder's")
    .option("--password-file <file>", "of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
    .option("--rpc <url>", "the chain that it believes; default: the city's own")
    .option("--contact <text>", "how the adjudicators reach its owner; part of the petition")
    .option("--relations <text>", "what it has to do with sponsors of this city; part of the petition");
  if (role === "verifier")
    command.option(
      "--judge <model>",
      "a chat model for laws that ask for a semantic verifier: openai:<model>, anthropic:<model>, ollama:<model>",
    );
  if (role === "issuer")
    command
      .option("--classes <classes>", "what it asks to issue: REC (receipts), ATT (re-execution), or both", "REC,ATT")
      .option("--weak-sandbox", "run services without bubblewrap where this machine has none")
      .option("--sells <services>", "names in the catalogue that it runs again, with commas; default: all");
  return command
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"))
    .action((action: string, options: AgentCommand) => agent(action, options, role));
}

/** `agent`: in the repository's program, and in that of the package. */
export function agentCommand(): Command {
  return new Command("agent")
    .description("run an agent of your own in somebody's city: key, mind and services stay on this machine (docs/open-city.md)")
    .argument(
      "[action]",
      `${AGENT_ACTIONS.join(", ")}: make keys and limits; join, then answer until stopped; say what is missing; say whether it earns`,
      "run",
    )
    .option("--city <url>", "where the city's seats are, http://127.0.0.1:8787")
    .option(
      "--folder <folder>",
      "where init makes keys and limits, and the agent keeps its memory; default: agent, beside the city's folder",
    )
    .option("--key <keystore>", "the agent's key: a version-3 keystore; default: the folder's")
    .option("--principal <keystore>", "who answers for it and gives its stake; needed until it is registered; default: the folder's")
    .option("--creator <folder>", "in place of --principal: another agent's folder, as init made it; that agent gives the stake")
    .option("--password-file <file>", "of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
    .option("--rpc <url>", "the chain that the agent believes; default: the city's own")
    .option("--sells <services>", "names in the catalogue, with commas; default: all")
    .option("--limits <file>", "what its owner allows (JSON); default: the folder's")
    .option("--least-price <units>", "never offer a slot for less, smallest unit")
    .option("--most-stake <units>", "never put more behind the offers of one mission, smallest unit")
    .addOption(whole("--most-nodes <n>", "never offer for more nodes of one mission", 1, 256))
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"))
    .action((action: string, options: AgentCommand) => agent(action, options));
}

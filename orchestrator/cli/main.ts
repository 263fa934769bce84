import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { BLOC_STRATEGIES } from "../minds/bloc-mind.ts";
import { MODES } from "../protocol/mission-file-schema.ts";
import { approveCodification } from "./approve-codification.ts";
import { audit } from "./audit.ts";
import { genesis } from "./genesis.ts";
import { mission } from "./mission.ts";
import { runProgram } from "./run-program.ts";
import { session } from "./session.ts";
import { start } from "./start.ts";
import { verify } from "./verify.ts";

const json = () => new Option("--json", "print one JSON document on stdout and nothing else");
const explain = () => new Option("--explain", "also show how the vote went, the market, gas and reputations");
const devnet = () => new Option("--network <name>", "embedded: in this process; anvil: in a process of its own").default("embedded");
const ask = () => new Option("--ask", "let a person decide what needs a human, instead of a simulated adjudicator");

const waitForHumans = () =>
  new Option("--wait-for-humans", "leave what needs a human to adjudicators elsewhere (npm run override), and wait for them").conflicts(
    "ask",
  );

const simulateHumans = () =>
  new Option("--simulate-humans", "let a labelled simulation decide from here on, in a run that was begun with people").conflicts([
    "ask",
    "waitForHumans",
  ]);

const newCity = () => new Option("--new-city", "begin anew although something waits in the city there; that city is moved aside");

const model = () =>
  new Option("--model <provider:model>", "chat model that decides for the producers (key from the environment)").env("AGENTCITY_MODEL");

const database = () =>
  new Option(
    "--database <url>",
    "a Postgres of the city's own for its records, instead of the embedded one (give a URL with a password in the environment)",
  ).env("AGENTCITY_DATABASE");

/** An option that takes a whole number within bounds. */
const whole = (flags: string, description: string, least: number, most: number) =>
  new Option(flags, `${description} (${least}–${most})`).argParser((text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
    return value;
  });

function version(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))).version;
}

const program = new Command("agentcity")
  .description("Agents legislate, software executes, humans adjudicate.")
  .version(version(), "--version", "print the version")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) });

program
  .command("start")
  .description("found a city on a devnet and run the sample mission, from goal to payout")
  .addOption(devnet())
  .addOption(new Option("--seed <seed>", "names every random choice").default("7"))
  .addOption(newCity())
  .addOption(new Option("--cheat", "let one executor lie, to see it caught"))
  .addOption(ask())
  .addOption(waitForHumans())
  .addOption(simulateHumans())
  .addOption(model())
  .addOption(database())
  .addOption(explain())
  .addOption(json())
  .action(start);

program
  .command("mission")
  .description("run a mission file in the city of this folder")
  .argument("<file>", "mission file (YAML)")
  .addOption(new Option("--input <path>", "another input than the file names"))
  .addOption(new Option("--seed <seed>", "seed of a city that is founded now"))
  .addOption(new Option("--mode <name>", "every stage on chain, or a checkpoint per wave: another than the file says").choices(MODES))
  .addOption(devnet())
  .addOption(new Option("--rpc <url>", "with --network anvil: an Anvil that runs already, with a city's flags (docs/genesis.md)"))
  .addOption(ask())
  .addOption(waitForHumans())
  .addOption(simulateHumans())
  .addOption(model())
  .addOption(database())
  .addOption(explain())
  .addOption(json())
  .action(mission);

program
  .command("session")
  .description("found a city of many agents on the embedded chain and hold one legislative session in it")
  .addOption(whole("--agents <n>", "producers, each with one vote", 5, 5_000).default(200))
  .addOption(whole("--candidates <m>", 'entries on the ballot, "no law" among them', 2, 16).default(8))
  .addOption(whole("--bloc <k>", "agents who vote as one of them tells", 0, 64).default(0))
  .addOption(new Option("--strategy <name>", "how closely the bloc votes alike").choices(BLOC_STRATEGIES).default("identical"))
  .option("--petition", "producers call for the session, and the sponsor adopts it")
  .addOption(new Option("--seed <seed>", "names every random choice").default("7"))
  .addOption(newCity())
  .addOption(ask())
  .addOption(simulateHumans())
  .addOption(json())
  .action(session);

program
  .command("approve-codification")
  .description("read a law of HIGH risk that waits for an adjudicator, and sign for it")
  .argument("[request]", "file that the waiting session wrote; default: the only one of this folder")
  .addOption(new Option("--network <name>", "where to look for it").default("embedded"))
  .addOption(new Option("--as <adjudicator>", "on a devnet: adjudicator-1 … adjudicator-7 (else AGENTCITY_ADJUDICATOR_KEY, or a keystore)"))
  .addOption(
    new Option("--because <text>", "why; it goes on record with the signature").default("I read this law and approve its codification."),
  )
  .addOption(new Option("--dry-run", "show what would be signed, and sign nothing"))
  .addOption(json())
  .action(approveCodification);

program
  .command("audit")
  .description("verify a finished mission again, from its bundle alone")
  .argument("<mission>", "address of the mission, or the path of its bundle")
  .addOption(json())
  .action(audit);

program
  .command("genesis")
  .description("found a city on any EVM network, step by step, and read everything back")
  .requiredOption("--network <name>", "embedded, anvil, a public L2, or one of agentcity.networks.json")
  .option("--rpc <url>", "its RPC URL (or AGENTCITY_RPC_URL)")
  .option("--city <file>", "what the founders decided (YAML, docs/genesis.md); a devnet has its own")
  .addOption(json())
  .action(genesis);

program
  .command("verify")
  .description("compare a live deployment with what its founders decided: code, wiring, parameters, offices, seats, seal")
  .requiredOption("--network <name>", "embedded, anvil, a public L2, or one of agentcity.networks.json")
  .option("--rpc <url>", "its RPC URL (or AGENTCITY_RPC_URL)")
  .option("--deployment <file>", "another deployment.json than this folder's")
  .addOption(json())
  .action(verify);

program.addHelpText(
  "after",
  `
Programs with a command line of their own (add --help):
  override              what adjudicators do: read, judge, sign, relay
  clearing              reproduces the figures of RAILS
  watchdog              how often the adjudicators' watchdog is wrong
  calibrate             what the Guardian's scorers catch and what they let pass
  modelcheck            explores the state machines whole, and finds seeded faults
  bench                 measures this machine`,
);

await runProgram(program);

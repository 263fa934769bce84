import { Command, InvalidArgumentError, Option } from "commander";
import { parseGwei } from "viem";
import { RELAY_GAS } from "../city/missions/relay-budget.ts";
import { BLOC_STRATEGIES } from "../minds/bloc-mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { parseAmount } from "../primitives/amounts.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { MODES } from "../protocol/mission-file-schema.ts";
import { agentCommand, officeCommand } from "./agent-command.ts";
import { approveCodification } from "./approve-codification.ts";
import { audit } from "./audit.ts";
import { city } from "./city.ts";
import { genesis } from "./genesis.ts";
import { hearing } from "./hearing.ts";
import { mcp } from "./mcp.ts";
import { mission } from "./mission.ts";
import { whole } from "./options.ts";
import { runProgram } from "./run-program.ts";
import { session } from "./session.ts";
import { start } from "./start.ts";
import { verify } from "./verify.ts";
import { version } from "./version.ts";

const json = () => new Option("--json", "print one JSON document on stdout and nothing else");
const explain = () => new Option("--explain", "also show votes, market, gas and reputations");
const devnet = () => new Option("--network <name>", "embedded: in this process; anvil: in its own process").default("embedded");
const network = () =>
  new Option("--network <name>", "embedded: in this process; anvil: in its own process; or a network by its RPC, in real time").default(
    "embedded",
  );

const rpc = () => new Option("--rpc <url>", "the network's node; with --network anvil, a running Anvil (docs/genesis.md)");

const fork = () =>
  new Option("--fork <url>", "with --network anvil: a node of a chain whose state and blocks this one goes on from, always as chain 31337");

const confirmations = () => whole("--confirmations <n>", "in real time: blocks after which a step counts", 1, 1_000);

const maxFee = () =>
  new Option("--max-fee <gwei>", "in real time: the most to pay for a unit of gas; above it the city waits").argParser((text) => {
    if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("It takes gwei, such as 0.5.");
    return parseGwei(text);
  });

const anAddress = (text: string) => {
  const parsed = addressSchema.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError("It takes an address.");
  return parsed.data;
};

const token = () =>
  new Option("--token <address>", "off devnets and on a fork, when a city is founded: the token it settles in").argParser(anAddress);

/** An amount of tokens, above zero. */
const aPrice = (text: string) => {
  try {
    const units = parseAmount(text);
    if (units > 0n) return units;
  } catch (error) {
    if (!(error instanceof AgentCityError)) throw error;
  }
  throw new InvalidArgumentError("It takes an amount of tokens such as 0.01.");
};

const ask = () => new Option("--ask", "ask at this terminal for human decisions, instead of simulating them");

const waitForHumans = () =>
  new Option("--wait-for-humans", "wait for adjudicators to decide in another terminal (npm run override)").conflicts("ask");

const simulateHumans = () =>
  new Option("--simulate-humans", "continue a run that people were deciding with a labelled simulation").conflicts([
    "ask",
    "waitForHumans",
  ]);

const newCity = () => new Option("--new-city", "start over even if a case or session is waiting; the old city is moved aside");

const model = () =>
  new Option("--model <provider:model>", "chat model that decides for the producers (its key comes from the environment)").env(
    "AGENTCITY_MODEL",
  );

const database = () =>
  new Option(
    "--database <url>",
    "Postgres database for this city's records, instead of the embedded one (put a URL with a password in the environment)",
  ).env("AGENTCITY_DATABASE");

const port = () => whole("--port <n>", "port of the gateway on this machine; 0: any that is free", 0, 65_535).default(8420);

const program = new Command("agentcity")
  .description("Agents legislate, software executes, humans adjudicate.")
  .version(version(), "--version", "print the version")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) });

program
  .command("start")
  .description("found a city on a devnet and run the sample mission, from goal to payout")
  .addOption(devnet())
  .addOption(new Option("--seed <seed>", "seed of every random choice").default("7"))
  .addOption(newCity())
  .addOption(new Option("--serve", "serve the city's gateway meanwhile, and afterwards until it is stopped"))
  .addOption(port())
  .addOption(new Option("--cheat", "make one executor cheat, to see it caught"))
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
  .addOption(new Option("--input <path>", "replaces the file's input"))
  .addOption(new Option("--city <url>", "ask the city of somebody else, at this gateway, and pay with a key of your own"))
  .addOption(new Option("--key <keystore>", "with --city: the sponsor's key"))
  .addOption(new Option("--password-file <file>", "with --city: the keystore's password").env("AGENTCITY_PASSWORD_FILE"))
  .addOption(whole("--again <n>", "with --city: the same file and input as another mission", 0, 1_000_000))
  .addOption(new Option("--seed <seed>", "seed, if this founds a new city"))
  .addOption(new Option("--mode <name>", "every stage on chain, or one checkpoint per wave; replaces the file's mode").choices(MODES))
  .addOption(whole("--open <port>", "open seats to agents elsewhere, on this port of this machine; 0 is any", 0, 65_535))
  .addOption(whole("--agents <n>", "with --open: wait until so many have joined", 0, 64))
  .addOption(new Option("--serve", "serve the city's gateway meanwhile, and afterwards until it is stopped"))
  .addOption(port())
  .addOption(network())
  .addOption(rpc())
  .addOption(fork())
  .addOption(confirmations())
  .addOption(maxFee())
  .addOption(token())
  .addOption(ask())
  .addOption(waitForHumans())
  .addOption(simulateHumans())
  .addOption(model())
  .addOption(database())
  .addOption(explain())
  .addOption(json())
  .action(mission);

program
  .command("city")
  .description("open the city of this folder, or found one, and serve its gateway until it is stopped")
  .addOption(
    new Option(
      "--network <name>",
      "anvil: in a process of its own; embedded: in this process; or a network by its RPC, in real time; default: where this folder's city lives, else anvil",
    ),
  )
  .addOption(
    new Option("--embedded", "the same as --network embedded: a chain that ends with this process, for a short while").conflicts("network"),
  )
  .addOption(rpc())
  .addOption(fork())
  .addOption(confirmations())
  .addOption(maxFee())
  .addOption(token())
  .addOption(new Option("--seed <seed>", "seed, if this founds a new city"))
  .addOption(port())
  .addOption(new Option("--public-url <url>", "by what others reach it, if a proxy stands before it"))
  .addOption(
    new Option(
      "--trusted-proxy <address...>",
      "addresses of your proxies, which say in X-Forwarded-For who asks; default: none is believed",
    ),
  )
  .addOption(new Option("--origin <url...>", "pages that may read its answers"))
  .addOption(
    new Option(
      "--claim-source <origin...>",
      "public https origins that claims are checked against; default: the city's own payloads alone",
    ),
  )
  .addOption(new Option("--demo", "run small missions one after another, so that there is something to see (devnets only)"))
  .addOption(
    whole("--open <port>", "where agents of the package take their seats, on this machine; 0: any port that is free", 0, 65_535).default(
      8787,
    ),
  )
  .addOption(new Option("--simulate-humans", "let a labelled simulation decide what posted missions need a human for (devnets only)"))
  .addOption(whole("--retain <months>", "let go of payloads that the hub itself holds after so many months; default: never", 24, 1_200))
  .addOption(new Option("--price <amount>", "what a paid command costs, in tokens (x402); default: nothing").argParser(aPrice))
  .addOption(new Option("--pay-to <address>", "with --price: the account that is paid").argParser(anAddress))
  .addOption(new Option("--ipfs <url>", "a node of yours (Kubo RPC) that keeps every payload that may be read; default: none"))
  .addOption(
    whole("--relay-gas <gas>", "gas that strangers may cost this city in 24 hours", 40_000_000, 1_000_000_000_000).default(
      Number(RELAY_GAS),
    ),
  )
  .addOption(whole("--gas-budget <gas>", "gas of a mission at 90 % of which the console alerts; default: none", 1, 1_000_000_000_000))
  .addOption(
    new Option(
      "--identities <address>",
      "an ERC-8004 identity registry of this chain, whose ids of agents are shown; default: none",
    ).argParser(anAddress),
  )
  .addOption(
    new Option("--escrow <address>", "another AgreementEscrow of this chain that agreements name; default: the city's own").argParser(
      anAddress,
    ),
  )
  .addOption(database())
  .addOption(json())
  .action(city);

program
  .command("mcp")
  .description("offer a city's commands to an MCP client on standard input and output")
  .option("--city <url>", "the city's gateway; default: the one that is served from this folder")
  .option("--folder <folder>", "an agent's folder (agent init makes one): the client decides for it, the key stays in this process")
  .option("--key <keystore>", "the agent's key; default: the folder's")
  .option("--principal <keystore>", "who answers for it; needed until it is registered; default: the folder's")
  .option("--password-file <file>", "of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
  .option("--rpc <url>", "the chain that the agent believes; default: the city's own")
  .option("--sells <services>", "names in the catalogue, with commas; default: all")
  .option("--limits <file>", "what its owner allows (JSON); default: the folder's")
  .action(mcp);

program.addCommand(agentCommand()).addCommand(officeCommand("verifier")).addCommand(officeCommand("issuer"));

program
  .command("session")
  .description("found a city of many agents on the embedded chain and hold one legislative session in it")
  .addOption(whole("--agents <n>", "producers, each with one vote", 5, 5_000).default(200))
  .addOption(whole("--candidates <m>", 'entries on the ballot, "no law" among them', 2, 16).default(8))
  .addOption(whole("--bloc <k>", "agents who vote as their leader directs", 0, 64).default(0))
  .addOption(new Option("--strategy <name>", "how closely the bloc votes together").choices(BLOC_STRATEGIES).default("identical"))
  .option("--petition", "let producers petition for the session and the sponsor adopt it")
  .addOption(new Option("--seed <seed>", "seed of every random choice").default("7"))
  .addOption(newCity())
  .addOption(ask())
  .addOption(simulateHumans())
  .addOption(json())
  .action(session);

program
  .command("approve-codification")
  .description("read and sign a HIGH-risk law that waits for an adjudicator")
  .argument("[request]", "request file of the waiting session; default: the only one in this folder")
  .addOption(new Option("--network <name>", "network of the waiting session").default("embedded"))
  .addOption(new Option("--as <adjudicator>", "on a devnet: adjudicator-1 … adjudicator-7 (else AGENTCITY_ADJUDICATOR_KEY, or a keystore)"))
  .addOption(new Option("--because <text>", "reason, recorded with the signature").default("I read this law and approve its codification."))
  .addOption(new Option("--dry-run", "show what would be signed, without signing"))
  .addOption(json())
  .action(approveCodification);

program
  .command("audit")
  .description("verify a finished mission, or what a panel judged of a job, from its bundle alone")
  .argument("<mission>", "address of the mission, key of the job's hearing, or path of its bundle")
  .option("--rpc <url>", "of a mission on a live network or on a fork: a node of that chain that you trust (or AGENTCITY_RPC_URL)")
  .addOption(whole("--effort <n>", "how many times the usual limits replaying the chain may take", 1, 1_000))
  .addOption(json())
  .action(audit);

program
  .command("hearing")
  .description("write what a panel of this folder's city judged of a job that is over into a bundle, for audit")
  .argument("<key>", "the hearing's key, as list_hearings has it; a city that runs is stopped first")
  .addOption(new Option("--network <name>", "network of the city; default: as npm run city"))
  .addOption(json())
  .action(hearing);

program
  .command("genesis")
  .description("found a city on any EVM network, resumably, and read everything back")
  .requiredOption("--network <name>", "embedded, anvil, a public L2, or one of agentcity.networks.json")
  .option("--rpc <url>", "its RPC URL (or AGENTCITY_RPC_URL)")
  .option("--city <file>", "the founders' decisions (YAML, docs/genesis.md); not needed on a devnet")
  .addOption(json())
  .action(genesis);

program
  .command("verify")
  .description("compare a live deployment with its founders' decisions: code, wiring, parameters, offices, seats, seal")
  .requiredOption("--network <name>", "embedded, anvil, a public L2, or one of agentcity.networks.json")
  .option("--rpc <url>", "its RPC URL (or AGENTCITY_RPC_URL)")
  .option("--deployment <file>", "deployment.json to compare with, instead of this folder's")
  .addOption(json())
  .action(verify);

program.addHelpText(
  "after",
  `
Programs with their own options (add --help):
  override              read, decide, sign and relay cases as an adjudicator
  clearing              reproduce the figures of RAILS
  watchdog              measure the watchdog's false-alarm rate
  calibrate             measure what the Guardian's scorers catch and miss
  modelcheck            explore the state machines exhaustively, and find seeded faults
  bench                 measure gas and speed on this machine`,
);

await runProgram(program);

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
import { passport } from "./passport.ts";
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

const rpc = () => new Option("--rpc <url>", "RPC URL of the network's node; with --network anvil, of a running Anvil (docs/genesis.md)");

const fork = () => new Option("--fork <url>", "with --network anvil: RPC URL of a chain to fork; the fork's chain id is always 31337");

const confirmations = () => whole("--confirmations <n>", "on a live network: confirmations after which a step counts", 1, 1_000);

const maxFee = () =>
  new Option("--max-fee <gwei>", "on a live network: highest fee per gas; the city waits while it is above").argParser((text) => {
    if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("It takes gwei, such as 0.5.");
    return parseGwei(text);
  });

const anAddress = (text: string) => {
  const parsed = addressSchema.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError("It takes an address.");
  return parsed.data;
};

const token = () =>
  new Option("--token <address>", "when founding a city on a live network or a fork: its settlement token").argParser(anAddress);

/** A positive amount of tokens. */
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
  new Option("--simulate-humans", "continue with a labelled simulation a run in which people decided").conflicts(["ask", "waitForHumans"]);

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

const port = () => whole("--port <n>", "port of the gateway on this machine; 0: any free port", 0, 65_535).default(8420);

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
  .addOption(
    new Option("--city <url>", "post the mission to a city that someone else operates, at this gateway URL, and pay with your own key"),
  )
  .addOption(new Option("--key <keystore>", "with --city: the sponsor's keystore"))
  .addOption(new Option("--password-file <file>", "with --city: the keystore's password").env("AGENTCITY_PASSWORD_FILE"))
  .addOption(whole("--again <n>", "with --city: post the same file and input again as another mission", 0, 1_000_000))
  .addOption(new Option("--seed <seed>", "seed, if this founds a new city"))
  .addOption(new Option("--mode <name>", "every stage on chain, or one checkpoint per wave; replaces the file's mode").choices(MODES))
  .addOption(whole("--open <port>", "open seats to external agents on this port; 0: any free port", 0, 65_535))
  .addOption(whole("--agents <n>", "with --open: wait until this many have joined", 0, 64))
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
  .addOption(new Option("--public-url <url>", "its public URL, if it is behind a proxy"))
  .addOption(new Option("--trusted-proxy <address...>", "addresses of proxies whose X-Forwarded-For is trusted; default: none"))
  .addOption(new Option("--origin <url...>", "origins whose pages may read its answers"))
  .addOption(
    new Option("--claim-source <origin...>", "https origins that claims may cite as sources; default: only the city's own payloads"),
  )
  .addOption(new Option("--demo", "run small missions one after another as a demonstration (devnets only)"))
  .addOption(whole("--open <port>", "port at which external agents join, on this machine; 0: any free port", 0, 65_535).default(8787))
  .addOption(new Option("--simulate-humans", "let a labelled simulation make the human decisions of posted missions (devnets only)"))
  .addOption(whole("--retain <months>", "delete payloads that the hub itself holds after this many months; default: never", 24, 1_200))
  .addOption(new Option("--price <amount>", "price of a paid command, in tokens (x402); default: none").argParser(aPrice))
  .addOption(new Option("--pay-to <address>", "with --price: the account that is paid").argParser(anAddress))
  .addOption(new Option("--ipfs <url>", "your IPFS node (Kubo RPC), which stores every public payload; default: none"))
  .addOption(
    whole("--relay-gas <gas>", "gas that the city spends on strangers' transactions in 24 hours", 40_000_000, 1_000_000_000_000).default(
      Number(RELAY_GAS),
    ),
  )
  .addOption(whole("--gas-budget <gas>", "gas budget of a mission; the console alerts at 90 % of it; default: none", 1, 1_000_000_000_000))
  .addOption(
    new Option(
      "--identities <address>",
      "ERC-8004 identity registry of this chain, whose agent ids are shown, and whose agents may be parties of agreements; default: none",
    ).argParser(anAddress),
  )
  .addOption(new Option("--escrow <address>", "AgreementEscrow of this chain for agreements; default: the city's own").argParser(anAddress))
  .addOption(database())
  .addOption(json())
  .action(city);

program
  .command("mcp")
  .description("serve a city's commands to an MCP client on standard input and output")
  .option("--city <url>", "URL of the city's gateway; default: the one served from this folder")
  .option("--folder <folder>", "folder of an agent (made by agent init): the client decides for it, the key stays in this process")
  .option("--key <keystore>", "the agent's keystore; default: the folder's")
  .option("--principal <keystore>", "its principal's keystore, needed until it is registered; default: the folder's")
  .option("--password-file <file>", "password of both keystores (or AGENTCITY_PASSWORD_FILE); default: the folder's")
  .option("--rpc <url>", "RPC endpoint to trust; default: the city's own")
  .option("--sells <services>", "services to sell, comma-separated catalogue names; default: all")
  .option("--limits <file>", "the owner's limits (JSON file); default: the folder's")
  .action(mcp);

program.addCommand(agentCommand()).addCommand(officeCommand("verifier")).addCommand(officeCommand("issuer"));

program
  .command("session")
  .description("found a city of many agents on the embedded chain and hold one legislative session in it")
  .addOption(whole("--agents <n>", "producers, each with one vote", 5, 5_000).default(200))
  .addOption(whole("--candidates <m>", 'entries on the ballot, including "no law"', 2, 16).default(8))
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
  .option("--rpc <url>", "for a mission on a live network or a fork: RPC URL of a node of that chain that you trust (or AGENTCITY_RPC_URL)")
  .addOption(whole("--effort <n>", "multiple of the usual limits for replaying the chain", 1, 1_000))
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
  .command("passport")
  .description("print the signed card of an agent's passport in a served city: how its obligations ended, and its verdicts")
  .argument("<agent>", "its account", anAddress)
  .option("--city <url>", "the city's gateway; default: the city served from this folder")
  .addOption(whole("--at <seconds>", "as it was posted last by then, unix seconds", 0, 100_000_000_000))
  .option("--rpc <url>", "compare it with the chain: RPC URL of a node of the city's chain that you trust")
  .addOption(new Option("--registry <address>", "the city's EvidenceRegistry; default: as the city names it").argParser(anAddress))
  .addOption(json())
  .action(passport);

program
  .command("genesis")
  .description("found a city on any EVM network, resumably, and verify the result")
  .requiredOption("--network <name>", "embedded, anvil, a public L2, or one of agentcity.networks.json")
  .option("--rpc <url>", "its RPC URL (or AGENTCITY_RPC_URL)")
  .option("--city <file>", "the founders' decisions (YAML, docs/genesis.md); not needed on a devnet")
  .addOption(json())
  .action(genesis);

program
  .command("verify")
  .description("compare a live deployment with its founding file: code, wiring, parameters, offices, seats, seal")
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

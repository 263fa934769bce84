/**
 * An adjudicator's day: reads what waits, shows in words what an order would change, signs it, and brings it to the chain.
 *
 * usage: npm run override -- --help
 */
import { Command, Option } from "commander";
import { runProgram } from "../../orchestrator/cli/run-program.ts";
import { adjustReputation } from "./actions/adjust-reputation.ts";
import { admit } from "./actions/admit.ts";
import { amend } from "./actions/amend.ts";
import { appoint, dismiss } from "./actions/appoint.ts";
import { approve } from "./actions/approve.ts";
import { auditUnilateral } from "./actions/audit-unilateral.ts";
import { clearStop } from "./actions/clear-stop.ts";
import { disburse } from "./actions/disburse.ts";
import { envelope } from "./actions/envelope.ts";
import { falsePositive } from "./actions/false-positive.ts";
import { freeze } from "./actions/freeze.ts";
import { impeach } from "./actions/impeach.ts";
import { insure } from "./actions/insure.ts";
import { predicate } from "./actions/predicate.ts";
import { publish } from "./actions/publish.ts";
import { redirect } from "./actions/redirect.ts";
import { reject } from "./actions/reject.ts";
import { release } from "./actions/release.ts";
import { releaseWatchdog } from "./actions/release-watchdog.ts";
import { replace } from "./actions/replace.ts";
import { resolve } from "./actions/resolve.ts";
import { role } from "./actions/role.ts";
import { sanction } from "./actions/sanction.ts";
import { slash } from "./actions/slash.ts";
import { stop } from "./actions/stop.ts";
import { terminate } from "./actions/terminate.ts";
import { unfreeze } from "./actions/unfreeze.ts";
import { veto } from "./actions/veto.ts";
import { countersign, relay } from "./order.ts";
import { queue } from "./queue.ts";
import { show } from "./show.ts";

const program = new Command("override")
  .description("What adjudicators do: read, judge, sign, relay. Every order is one typed message (docs/adjudication.md).")
  .exitOverride();

/** A command that reads a city. */
function reading(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(new Option("--network <name>", "embedded, anvil, or a network of genesis").default("embedded"))
    .addOption(new Option("--rpc <url>", "its RPC URL, when no city of this folder runs (or AGENTCITY_RPC_URL)"))
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"));
}

/** A command that pays or signs. */
function acting(name: string, description: string): Command {
  return reading(name, description)
    .addOption(
      new Option("--as <seat>", "on a devnet adjudicator-1 … adjudicator-7; with --wallet the account (else AGENTCITY_ADJUDICATOR_KEY)"),
    )
    .addOption(new Option("--wallet <url>", "a wallet's JSON-RPC on this machine signs: Frame, a Ledger bridge, Clef"))
    .addOption(new Option("--dry-run", "show what would be signed and what it would change, and sign nothing"));
}

/** A command that begins an order. */
function ordering(name: string, description: string): Command {
  return acting(name, description)
    .addOption(new Option("--because <text>", "why; it goes on record with the signature"))
    .addOption(new Option("--sign-only", "leave the signed order as a file, for others to sign or relay"));
}

reading("queue", "list what waits for adjudicators").action(queue);
reading("show", "show one case whole").argument("<case>", "its name in the queue").action(show);
ordering("approve", "accept work, release a freeze, let a vote stand, resume a mission").argument("<case>").action(approve);
ordering("reject", "refuse work, or void a vote").argument("<case>").action(reject);
ordering("freeze", "stop a node and its clock").argument("<mission>").argument("<node>").action(freeze);
ordering("unfreeze", "release a frozen node").argument("<mission>").argument("<node>").action(unfreeze);
ordering("redirect", "have a frozen node done anew, by the same executors under an amended mandate")
  .argument("<mission>")
  .argument("<node>")
  .argument("<mandate>", "what they are to do, as text")
  .action(redirect);
ordering("veto", "hold a node's output until a human releases it").argument("<mission>").argument("<node>").action(veto);
ordering("release", "release an output that was vetoed")
  .argument("<case>")
  .addOption(new Option("--slot <n>", "whose output (default: the first of those who agreed)"))
  .action(release);
ordering("terminate", "end a mission").argument("<mission>").action(terminate);
ordering("stop", "stop a mission: nothing of it is routed").argument("<mission>").action(stop);
ordering("clear-stop", "let a stopped or suspended mission go on (two signatures)").argument("<mission>").action(clearStop);
ordering("false-positive", "call a freeze a false alarm")
  .argument("<mission>")
  .argument("<reporter>")
  .argument("<freeze>")
  .action(falsePositive);
ordering("resolve", "decide the open appeals on a node")
  .argument("<mission>")
  .argument("<node>")
  .addOption(new Option("--attempt <n>", "the attempt that is appealed").default("1"))
  .addOption(new Option("--filed <n>", "how many appeals on it you read (default: all on the node)"))
  .addOption(new Option("--uphold <appeals...>", "positions of the appeals that are right, from 0"))
  .addOption(new Option("--share <percent>", "what is earned after all"))
  .addOption(new Option("--slash <tokens>", "what the culprits lose"))
  .addOption(new Option("--culprits <slots...>", "whose stake it is"))
  .action(resolve);
ordering("amend", "change a parameter of the constitution").argument("<parameter>").argument("<value>").action(amend);
ordering("adjust-reputation", "add points to a reputation, or take them away")
  .argument("<agent>")
  .argument("<points>")
  .action(adjustReputation);
ordering("slash", "take stake of an agent (two signatures)")
  .argument("<agent>")
  .argument("<tokens>")
  .addOption(new Option("--ban", "and bar it for ever"))
  .action(slash);
ordering("sanction", "freeze a principal's whole portfolio (two signatures)")
  .argument("<principal>")
  .addOption(new Option("--lift", "take that back"))
  .action(sanction);
ordering("insure", "compensate an executor from insurance (two signatures)")
  .argument("<mission>")
  .argument("<agent>")
  .argument("<tokens>")
  .action(insure);
ordering("disburse", "pay from the treasury (two signatures)")
  .argument("<purpose>")
  .argument("<recipient>")
  .argument("<tokens>")
  .action(disburse);
ordering("appoint", "give an office to a clerk").argument("<office>").argument("<clerk>").argument("<principal>").action(appoint);
ordering("dismiss", "take an office away").argument("<office>").argument("<clerk>").action(dismiss);
ordering("envelope", "say what an office may call (two signatures)")
  .argument("<office>")
  .argument("<times>", "most calls of a function in a session")
  .argument("<functions...>", "as LegislativeProcedure.openDebate")
  .action(envelope);
ordering("publish", "publish a version of a template that missions are cloned from (two signatures)")
  .argument("<implementation>")
  .argument("<name>", "agentcity.collaboration is the one that sessions use")
  .argument("<audit-hash>")
  .action(publish);
ordering("role", "give an account a role in evidence; NONE takes all it has")
  .argument("<account>")
  .argument("<role>")
  .argument("[principal]")
  .argument("[value]")
  .action(role);
ordering("predicate", "let laws name a contract as their gate").argument("<id>").argument("<contract>").action(predicate);
ordering("replace", "announce another procedure; without one, take that back")
  .argument("<institution>")
  .argument("[procedure]")
  .action(replace);
ordering("admit", "seat a new adjudicator").argument("<candidate>").argument("<principal>").action(admit);
ordering("impeach", "take seat and stake of an adjudicator").argument("<adjudicator>").action(impeach);
ordering("audit-unilateral", "close the audit of what the senior did alone")
  .argument("<senior>")
  .argument("<digest>")
  .action(auditUnilateral);
ordering("release-watchdog", "end the watchdog's freeze of the panel").action(releaseWatchdog);
acting("sign-only", "add a signature to an order that somebody began, and send nothing")
  .argument("<file>")
  .action((file, options) => countersign(file, { ...options, signOnly: true }));
acting("relay", "bring signed orders to the chain; anybody may").argument("<file...>").action(relay);

await runProgram(program);

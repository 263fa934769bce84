/**
 * An adjudicator's commands: list pending cases, describe what an order would change, sign it, and send it to the chain.
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
import { collect } from "./actions/collect.ts";
import { disburse } from "./actions/disburse.ts";
import { envelope } from "./actions/envelope.ts";
import { falsePositive } from "./actions/false-positive.ts";
import { fault } from "./actions/fault.ts";
import { freeze } from "./actions/freeze.ts";
import { freezeAgent } from "./actions/freeze-agent.ts";
import { impeach } from "./actions/impeach.ts";
import { insure } from "./actions/insure.ts";
import { mandate } from "./actions/mandate.ts";
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
import { resumeCity, stopCity } from "./actions/stop-city.ts";
import { terminate } from "./actions/terminate.ts";
import { unfreeze } from "./actions/unfreeze.ts";
import { veto } from "./actions/veto.ts";
import { descriptor } from "./descriptor.ts";
import { countersign, relay } from "./order.ts";
import { queue } from "./queue.ts";
import { show } from "./show.ts";

const program = new Command("agentcity override")
  .description(
    "Read, decide, sign and relay cases as an adjudicator. Every order is one message, of its act's own type (docs/adjudication.md).",
  )
  .exitOverride();

/** A command that reads a city. */
function reading(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(new Option("--network <name>", "embedded, anvil, or a network of genesis; default: where this folder's city runs"))
    .addOption(new Option("--rpc <url>", "its RPC URL, when no city of this folder runs (or AGENTCITY_RPC_URL)"))
    .addOption(new Option("--json", "print one JSON document on stdout and nothing else"));
}

/** A command that pays or signs. */
function acting(name: string, description: string): Command {
  return reading(name, description)
    .addOption(
      new Option("--as <seat>", "on a devnet adjudicator-1 … adjudicator-7; with --wallet the account (else AGENTCITY_ADJUDICATOR_KEY)"),
    )
    .addOption(new Option("--wallet <url>", "sign with a wallet's JSON-RPC on this machine: Frame, a Ledger bridge, Clef"))
    .addOption(new Option("--dry-run", "show what would be signed and what it would change, without signing"));
}

/** A command that begins an order. */
function ordering(name: string, description: string): Command {
  return acting(name, description)
    .addOption(new Option("--because <text>", "reason, recorded with the signature"))
    .addOption(new Option("--sign-only", "write the signed order to a file, for others to sign or relay"));
}

reading("queue", "list cases that wait for adjudicators").action(queue);
reading("descriptor", "print how a hardware wallet shows this city's acts (ERC-7730)").action(descriptor);
reading("show", "show one case in full").argument("<case>", "its name in the queue").action(show);
ordering("approve", "accept work, release a freeze, let a vote stand, resume a mission, grant a petition for an office (two signatures)")
  .argument("<case>")
  .action(approve);
ordering("reject", "refuse work, or void a vote").argument("<case>").action(reject);
ordering("freeze", "stop a node and its clock").argument("<mission>").argument("<node>").action(freeze);
ordering("unfreeze", "release a frozen node").argument("<mission>").argument("<node>").action(unfreeze);
ordering("redirect", "have the same executors redo a frozen node under an amended mandate")
  .argument("<mission>")
  .argument("<node>")
  .argument("<mandate>", "the amended mandate, as text")
  .action(redirect);
ordering("veto", "hold a node's output until a human releases it").argument("<mission>").argument("<node>").action(veto);
ordering("release", "release a vetoed output")
  .argument("<case>")
  .addOption(new Option("--slot <n>", "executor slot to release (default: the first in agreement)"))
  .action(release);
ordering("terminate", "end a mission").argument("<mission>").action(terminate);
ordering("fault", "find executors of a terminated mission's node at fault: their stake goes after a window (two signatures)")
  .argument("<mission>")
  .argument("<node>")
  .argument("<slots...>", "slots of the node that had begun, from 0")
  .action(fault);
ordering("stop", "stop a mission: none of its nodes is routed").argument("<mission>").action(stop);
ordering("stop-city", "stop the city, or prolong its stop (two signatures; two thirds of the seats to prolong)").action(stopCity);
ordering("resume-city", "end the city's stop (two signatures; two thirds of the seats if it was prolonged)").action(resumeCity);
ordering("clear-stop", "resume a stopped or suspended mission (two signatures)").argument("<mission>").action(clearStop);
ordering("false-positive", "call a freeze a false alarm")
  .argument("<mission>")
  .argument("<reporter>")
  .argument("<freeze>")
  .action(falsePositive);
ordering("resolve", "decide the open appeals on a node")
  .argument("<mission>")
  .argument("<node>")
  .addOption(new Option("--attempt <n>", "the appealed attempt").default("1"))
  .addOption(new Option("--filed <n>", "number of appeals you read (default: all on the node)"))
  .addOption(new Option("--uphold <appeals...>", "appeals to uphold, by position from 0"))
  .addOption(new Option("--share <percent>", "share of the price that is earned"))
  .addOption(new Option("--slash <tokens>", "stake taken from the culprits"))
  .addOption(new Option("--culprits <slots...>", "slots to slash"))
  .action(resolve);
ordering("amend", "change a parameter of the constitution").argument("<parameter>").argument("<value>").action(amend);
ordering("adjust-reputation", "add or remove up to 100 points of reputation (two signatures)")
  .argument("<agent>")
  .argument("<points>")
  .action(adjustReputation);
ordering("slash", "take an agent's stake (two signatures)")
  .argument("<agent>")
  .argument("<tokens>")
  .addOption(new Option("--ban", "also ban it permanently"))
  .action(slash);
ordering("freeze-agent", "keep one agent from new work for a time (two signatures)")
  .argument("<agent>")
  .addOption(new Option("--lift", "lift the freeze"))
  .action(freezeAgent);
ordering("sanction", "freeze a principal's whole portfolio (two signatures)")
  .argument("<principal>")
  .addOption(new Option("--lift", "lift the freeze"))
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
ordering("envelope", "set which functions an office may call (two signatures)")
  .argument("<office>")
  .argument("<times>", "calls of each function per session")
  .argument("<functions...>", "for example LegislativeProcedure.openDebate")
  .action(envelope);
ordering("mandate", "have an office's operation done by another service (two signatures)")
  .argument("<office>")
  .argument("<operation>", "its name, or its id")
  .argument("<service>", "id of the service")
  .addOption(new Option("--intermediate", "results must come with an intermediate one"))
  .addOption(new Option("--schema <hash>", "hash of the schema of its results"))
  .action(mandate);
ordering("publish", "publish a version of the template of missions (two signatures)")
  .argument("<implementation>")
  .argument("<name>", "sessions use agentcity.collaboration")
  .argument("<audit-hash>")
  .action(publish);
ordering("role", "give an account a role in evidence; NONE removes them all")
  .argument("<account>")
  .argument("<role>")
  .argument("[principal]")
  .argument("[value]")
  .action(role);
ordering("predicate", "let laws name a contract as their gate").argument("<id>").argument("<contract>").action(predicate);
ordering("replace", "announce a new procedure; without one, withdraw the announcement")
  .argument("<institution>")
  .argument("[procedure]")
  .action(replace);
ordering("admit", "seat a new adjudicator").argument("<candidate>").argument("<principal>").action(admit);
ordering("impeach", "take an adjudicator's seat and stake").argument("<adjudicator>").action(impeach);
ordering("audit-unilateral", "close the audit of the senior's unilateral act")
  .argument("<senior>")
  .argument("<digest>")
  .action(auditUnilateral);
ordering("release-watchdog", "end the watchdog's freeze of the panel").action(releaseWatchdog);
reading("collect", "pay an adjudicator for the cases it decided; anyone may").argument("<adjudicator>").action(collect);
acting("sign-only", "add your signature to an order file, without sending it")
  .argument("<file>")
  .action((file, options) => countersign(file, { ...options, signOnly: true }));
acting("relay", "send signed orders to the chain; anyone may").argument("<file...>").action(relay);

await runProgram(program);

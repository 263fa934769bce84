/**
 * Writes the documentation that is data elsewhere: `docs/parameters.md` from the parameter table, `docs/transitions.md` from the
 * exported transition tables, and `docs/authority.md` from the contracts' ABIs and the statements in their interfaces of who may
 * call. Fails when a mutating function does not say who may call it.
 *
 * usage: npm run docs [-- --check]      --check writes nothing and fails when a file is not current
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DEVNET, PARAMETERS } from "../../orchestrator/protocol/parameters.ts";
import type { TransitionTable } from "../../orchestrator/rules/arcs.ts";
import { missionTransitions } from "../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../orchestrator/rules/transitions/node.ts";
import { sessionTransitions } from "../../orchestrator/rules/transitions/session.ts";
import { filesIn, root } from "./files.ts";

const MADE = (source: string) => `<!-- Made by \`npm run docs\` from ${source}. Do not edit. -->\n`;

/** Lines of a Markdown table. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [line(head), `|${head.map(() => "---|").join("")}\n`, ...rows.map(line)].join("");
}

// --- Parameters ------------------------------------------------------------------------------------------------------

const grouped = (value: bigint): string => value.toString().replace(/\B(?=(\d{3})+$)/g, ",");

function parametersPage(): string {
  const rows = PARAMETERS.map((p) => [
    String(p.index),
    `\`${p.name}\``,
    p.unit,
    grouped(p.default),
    DEVNET[p.name] === p.default ? "" : grouped(DEVNET[p.name]),
    `${grouped(p.min)} – ${grouped(p.max)}`,
    p.locked ? "yes" : "",
    p.risk,
    p.weaker.toLowerCase(),
    p.source,
  ]);
  return [
    MADE("orchestrator/protocol/parameters.ts"),
    "\n# Parameters of the constitution\n\n",
    `${PARAMETERS.length} numbers that humans may change and agents may not. \`ConstitutionContract.param(index)\` returns the value in force;\n`,
    "`setParam` refuses a value outside the range. Genesis of the embedded chain uses the column *devnet* where it is filled: windows\n",
    "that somebody waits for are as short as allowed there.\n\n",
    "*Locked*: a mission copies the value when its session opens, so a later change does not reach it. *Risk*: how much a change can\n",
    "hurt. *Weaker*: the direction in which the parameter protects less. *bps* are hundredths of a percent, *tokens* whole tokens,\n",
    "*class* a number of `EvidenceClass` (0 SELF, 1 SIGN, 2 WIT, 3 REC, 4 ATT, 5 PROOF), *band* one of `Band` (0 LOW to 3 CRITICAL).\n\n",
    table(["#", "parameter", "unit", "default", "devnet", "range", "locked", "risk", "weaker", "source"], rows),
  ].join("");
}

// --- Transitions -----------------------------------------------------------------------------------------------------

function lifecycle(title: string, source: string, { states, arcs }: TransitionTable<string>): string {
  const targets = (state: string) => arcs[state] ?? [];
  const drawn = states.flatMap((state) => [
    ...targets(state).map((target) => `  ${state} --> ${target}\n`),
    ...(targets(state).length === 0 ? [`  ${state} --> [*]\n`] : []),
  ]);
  const rows = states.map((state, code) => [String(code), state, targets(state).join(", ") || "final"]);
  return [
    `\n## ${title}\n\nFrom [${source}](../${source}), whose comment says what each arc means.\n\n`,
    `\`\`\`mermaid\nstateDiagram-v2\n  [*] --> ${states[0]}\n${drawn.join("")}\`\`\`\n\n`,
    table(["code", "state", "may go to"], rows),
  ].join("");
}

function transitionsPage(): string {
  return [
    MADE("orchestrator/rules/transitions"),
    "\n# Transitions\n\n",
    "What can become what. The tables are constants of the contracts; an arc that is not in its table cannot be taken, on chain or\n",
    "off. `node scripts/dev/export-transitions.ts --check` compares the exported tables with the compiled contracts.\n",
    lifecycle("Session", "contracts/libraries/SessionTransitions.sol", sessionTransitions),
    lifecycle("Mission", "contracts/libraries/MissionTransitions.sol", missionTransitions),
    lifecycle("Node", "contracts/libraries/NodeTransitions.sol", nodeTransitions),
  ].join("");
}

// --- Authority -------------------------------------------------------------------------------------------------------

interface Argument {
  type: string;
  components?: Argument[] | undefined;
}
const Argument: z.ZodType<Argument> = z.object({
  type: z.string(),
  get components() {
    return z.array(Argument).optional();
  },
});
const Item = z.object({
  type: z.string(),
  name: z.string().optional(),
  inputs: z.array(Argument).optional(),
  stateMutability: z.string().optional(),
});

/** Functions that public standards define and OpenZeppelin implements: the standard says who may call. */
const STANDARD: Readonly<Record<string, string>> = {
  approve: "Caller: the holder. ERC-20.",
  permit: "Caller: anyone with the holder's signature. ERC-2612.",
  transfer: "Caller: the holder. ERC-20.",
  transferFrom: "Caller: a spender the holder allowed. ERC-20.",
};

/** Who may call: a sentence that begins with `Caller:` or `Anyone`. */
const CALLER = /(?<=^|[.;:] )(?:Caller: |Anyone\b).*?\.(?= |$)/;

export interface Authority {
  readonly signature: string;
  readonly caller: string | undefined;
  readonly does: string;
}

/** The comment above each function of a Solidity source, by name, on one line. */
export function noticesOf(source: string): Map<string, string> {
  const notices = new Map<string, string>();
  for (const [, comment = "", name = ""] of source.matchAll(/((?:^[ \t]*\/\/\/.*\n)+)[ \t]*function (\w+)\(/gm)) {
    const lines = comment.split("\n").map((line) => line.trim().replace(/^\/\/\/ ?/, ""));
    const start = lines.findIndex((line) => line.startsWith("@notice"));
    const rest = start < 0 ? [] : lines.slice(start);
    const end = rest.findIndex((line, index) => index > 0 && line.startsWith("@"));
    const text = (end < 0 ? rest : rest.slice(0, end)).join(" ").replace(/^@notice /, "");
    notices.set(name, text.replace(/\s+/g, " ").trim());
  }
  return notices;
}

/** Splits a notice into who may call and what the function does. */
export function authorityOf(signature: string, notice: string): Authority {
  const [caller] = CALLER.exec(notice) ?? [];
  const does = notice
    .replace(caller ?? "", "")
    .replace(/\s+/g, " ")
    .trim();
  return { signature, caller: caller?.replace(/^Caller: /, "").replace(/\.$/, ""), does };
}

const typeOf = ({ type, components }: Argument): string => type.replace("tuple", `(${(components ?? []).map(typeOf).join(",")})`);

/** Every mutating function of a contract, with what its interface (or its own source) says. */
async function authoritiesOf(contract: string, source: string): Promise<Authority[]> {
  const loaded: unknown = await import(new URL(`../../orchestrator/chain/abi/${contract}.ts`, import.meta.url).href);
  const [abi] = Object.values(z.record(z.string(), z.array(Item)).parse(loaded));
  const iface = join(root, "contracts", "interfaces", `I${contract}.sol`);
  const notices = noticesOf(readFileSync(existsSync(iface) ? iface : join(root, source), "utf8"));
  return (abi ?? [])
    .filter(({ type, stateMutability }) => type === "function" && (stateMutability === "nonpayable" || stateMutability === "payable"))
    .map(({ name = "", inputs = [] }) => {
      const signature = `${name}(${inputs.map(typeOf).join(",")})`;
      return authorityOf(signature, notices.get(name) ?? (existsSync(iface) ? "" : (STANDARD[name] ?? "")));
    });
}

async function authorityPage(): Promise<string> {
  const parts: string[] = [];
  const silent: string[] = [];
  for (const source of filesIn("contracts/**/*.sol")) {
    for (const [, contract = ""] of readFileSync(join(root, source), "utf8").matchAll(/^contract (\w+)/gm)) {
      const authorities = await authoritiesOf(contract, source);
      silent.push(...authorities.filter(({ caller }) => caller === undefined).map(({ signature }) => `${contract}.${signature}`));
      if (authorities.length === 0) continue;
      const rows = authorities.map(({ signature, caller, does }) => [`\`${signature.replace(/\(.*/, "")}\``, caller ?? "", does]);
      parts.push(`\n## ${contract}\n\n[${source}](../${source})\n\n`, table(["function", "who may call", "what it does"], rows));
    }
  }
  if (silent.length > 0) throw new Error(`No "Caller: …" or "Anyone …" in the interface for:\n  ${silent.join("\n  ")}`);
  return [
    MADE("the contracts' ABIs and interfaces"),
    "\n# Who may do what\n\n",
    "Every function that changes state, in every contract. *Governor* is the adjudication procedure: adjudicators' signatures are its\n",
    "only way in, action by action; until genesis is sealed it is the deployer too. *Mission* is a clone that `TemplateRegistry`\n",
    "deployed. Who is named by a signature needs no gas: anybody may relay the call. All other functions only read.\n",
    ...parts,
  ].join("");
}

/** Every generated page: path → text. */
export async function pages(): Promise<Map<string, string>> {
  return new Map([
    ["docs/authority.md", await authorityPage()],
    ["docs/parameters.md", parametersPage()],
    ["docs/transitions.md", transitionsPage()],
  ]);
}

if (import.meta.main) {
  try {
    for (const [path, text] of await pages()) {
      const file = join(root, path);
      if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
      if (process.argv.includes("--check")) {
        console.error(`${path} is not current: npm run docs`);
        process.exitCode = 1;
      } else {
        writeFileSync(file, text);
        console.log(`wrote ${path}`);
      }
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

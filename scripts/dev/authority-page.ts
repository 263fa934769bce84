/**
 * `docs/authority.md`: every mutating function with its interface's statement of who may call, and the row proven by tests. Fails on a function
 * without such a statement or row.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ACTION_NAMES } from "../../orchestrator/protocol/actions.ts";
import { ANYONE, AUTHORITY, ROLES, type Rule } from "./authority.ts";
import { filesIn, root } from "./files.ts";
import { MADE, table } from "./markdown.ts";
import { answerTo, NO_MISSION, NO_SIGNER, NO_SIGNERS, SIGNERS, SIGNS, WITH_MISSION } from "./signers.ts";

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

/** Functions of public standards, implemented by OpenZeppelin; the standard defines who may call. */
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

/** Every mutating function of a contract, with its interface's (or its own source's) notice. */
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

const HEAD = ["function", "who may call", "let in", "everyone else", "what it does"];

/** The kinds of caller that a rule admits. */
function admitted({ when, callers }: Rule): string {
  const who = callers === ANYONE ? ANYONE : callers.join(", ");
  return when === undefined ? who : `${when}: ${who}`;
}

/** The errors of a rule for everyone else. */
function refused({ refusal, except = {} }: Rule): string {
  const exceptions = Object.entries(except).map(([role, error]) => `${role} \`${error}\``);
  return [...(refusal === undefined ? [] : [`\`${refusal}\``]), ...exceptions].join(", ");
}

/** Who may sign which action. */
function signersPart(): string {
  const kinds = Object.entries(SIGNERS);
  const cell = (answer: string) => (answer === SIGNS ? "✓" : `\`${answer}\``);
  return [
    "\n## Signatures\n\n",
    "Anyone may relay an order of the panel; its signers determine its effect. One signature of each kind among those that the action needs is\n",
    "tested by `test/contracts/authority/signers.test.ts`:\n\n",
    table(
      ["kind", "who"],
      kinds.map(([kind, { who }]) => [kind, who]),
    ),
    "\n",
    table(
      ["action", ...kinds.map(([kind]) => kind)],
      ACTION_NAMES.map((action) => [action, ...kinds.map(([, rule]) => cell(answerTo(rule, action)))]),
    ),
    `\n\`${NO_SIGNER}\` for any action: ${NO_SIGNERS.join(", ")}. An action on a mission works for old and new templates\n`,
    `alike, and is \`${NO_MISSION}\` on a contract that is not a mission; an order about the city that names a mission is \`${WITH_MISSION}\`.\n`,
  ].join("");
}

export async function authorityPage(): Promise<string> {
  const parts: string[] = [];
  const silent: string[] = [];
  for (const source of filesIn("contracts/**/*.sol")) {
    for (const [, contract = ""] of readFileSync(join(root, source), "utf8").matchAll(/^contract (\w+)/gm)) {
      const authorities = await authoritiesOf(contract, source);
      silent.push(...authorities.filter(({ caller }) => caller === undefined).map(({ signature }) => `${contract}.${signature}`));
      if (authorities.length === 0) continue;
      const rows = authorities.map(({ signature, caller, does }) => {
        const name = signature.replace(/\(.*/, "");
        const rules = AUTHORITY[contract]?.[name] ?? [];
        return [`\`${name}\``, caller ?? "", rules.map(admitted).join("<br>"), rules.map(refused).join("<br>"), does];
      });
      parts.push(`\n## ${contract}\n\n[${source}](../${source})\n\n`, table(HEAD, rows));
    }
  }
  if (silent.length > 0) throw new Error(`No "Caller: …" or "Anyone …" in the interface for:\n  ${silent.join("\n  ")}`);
  return [
    MADE("the contracts' ABIs, their interfaces and scripts/dev/authority.ts"),
    "\n# Who may do what\n\n",
    "Every function that changes state, in every contract. *Governor* is the adjudication procedure, which acts only on adjudicators' signatures,\n",
    "action by action; until genesis is sealed it is also the deployer. *Mission* is a clone deployed by `TemplateRegistry`.\n",
    "Accounts identified by signature need no gas: anyone may relay the call. All other functions only read.\n\n",
    "*Let in* and *everyone else* are proven: `test/contracts/authority/` records a successful call of each row and repeats it as every\n",
    "kind of caller. It succeeds, or fails with exactly the named error. Kinds of caller:\n\n",
    table(
      ["kind", "who"],
      Object.entries(ROLES).map(([role, who]) => [role, who]),
    ),
    signersPart(),
    ...parts,
  ].join("");
}

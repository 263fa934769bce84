import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { createAgent, folderOf, type Limits, type OfficeTerms, readLimits } from "../agent/index.ts";
import { decryptKeystore, encryptKeystore, KeyUnusable } from "../agent/keystore.ts";
import type { Judge } from "../clearing/mesh.ts";
import { AgentCityError, InvalidValue, messageOf } from "../primitives/errors.ts";
import { makeFolder } from "../primitives/files.ts";
import type { Hex } from "../primitives/hex.ts";
import { EXIT } from "./exit-codes.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import { judgeNamed } from "./judge.ts";
import { asTyped, typedPath } from "./shell.ts";
import { version } from "./version.ts";

export interface AgentCommand {
  readonly city?: string;
  readonly folder?: string;
  readonly key?: string;
  readonly principal?: string;
  readonly creator?: string;
  readonly passwordFile?: string;
  readonly rpc?: string;
  readonly sells?: string;
  readonly limits?: string;
  readonly leastPrice?: string;
  readonly mostStake?: string;
  readonly mostNodes?: number;
  /** For verifiers and issuers. */
  readonly contact?: string;
  readonly relations?: string;
  readonly classes?: string;
  readonly weakSandbox?: boolean;
  /** For verifiers: a chat model. */
  readonly judge?: string;
  readonly json?: boolean;
}

/** The role that a command belongs to. */
export type AgentRole = "agent" | OfficeTerms["office"];

/** Files that `agent init` creates, and other actions read by default. */
const FILES = { key: "agent.json", principal: "owner.json", password: "password", limits: "limits.json" } as const;

const ACTIONS = { init, run, doctor, status } as const;
export const AGENT_ACTIONS = Object.keys(ACTIONS);

/** Creates an agent's keys, runs it until it is stopped, or shows its prerequisites or its standing. */
export async function agent(action: string, options: AgentCommand, role: AgentRole = "agent"): Promise<void> {
  const found = Object.entries(ACTIONS).find(([name]) => name === action)?.[1];
  if (found === undefined) throw new InvalidValue("action", `it is none of ${AGENT_ACTIONS.join(", ")}`, { details: action });
  await found(options, role);
}

/**
 * Creates two keystores, their password and the limits, each readable by this user only; an agent with a creator has no principal of its
 * own. Existing files are kept.
 */
async function init(options: AgentCommand, role: AgentRole): Promise<void> {
  const folder = folderIn(options, role);
  const path = (name: keyof typeof FILES) => join(folder, FILES[name]);
  const there = Object.values(FILES).filter((file) => existsSync(join(folder, file)));
  if (there.length > 0)
    throw new AgentCityError("AgentExists", `There already is an agent in ${folder}`, {
      details: there.join(", "),
      action: "add --folder <another> for a new one; an existing one is never overwritten, since its keys control its stake",
    });
  makeFolder(folder);
  const password = randomBytes(24).toString("base64url");
  const random = (bytes: number) => randomBytes(bytes);
  const { creator } = options;
  const key = generatePrivateKey();
  const owner = creator === undefined ? generatePrivateKey() : undefined;
  const written: readonly (readonly [keyof typeof FILES, string])[] = [
    ["password", `${password}\n`],
    ["key", encryptKeystore(key, password, random)],
    ...(owner === undefined ? [] : [["principal", encryptKeystore(owner, password, random)] as const]),
    ["limits", `${JSON.stringify(STRICT, null, 2)}\n`],
  ];
  for (const [name, text] of written) writeFileSync(path(name), text, { mode: 0o600, flag: "wx" });
  const answers = owner === undefined ? { creator } : { principal: privateKeyToAddress(owner) };
  const made = { folder, agent: privateKeyToAddress(key), ...answers, limits: path("limits") };
  if (options.json === true) process.stdout.write(`${JSON.stringify({ status: "done", ...made })}\n`);
  else
    process.stdout.write(
      [
        `${role.toUpperCase().padEnd(7)} ${made.agent}`,
        owner === undefined
          ? `CREATOR ${creator}   (provides the stake; its owner answers for both)`
          : `OWNER   ${privateKeyToAddress(owner)}   (provides the stake; move ${FILES.principal} elsewhere once the agent is registered)`,
        `LIMITS  ${made.limits}`,
        `NEXT    ${asTyped(`npm run ${role} -- --city http://127.0.0.1:8787`)}${options.folder === undefined ? "" : ` --folder ${options.folder}`}${creator === undefined ? "" : ` --creator ${creator}`}`,
        "",
      ].join("\n"),
    );
}

/** Limits of a new agent, which its owner may widen. Amounts in the smallest unit, six decimals. */
const STRICT = {
  leastPrice: "1",
  mostStake: "9000000000",
  mostNodes: 16,
  mostMissions: 4,
  risks: ["LOW", "MEDIUM"],
  notFor: [],
  votes: true,
};

async function run(options: AgentCommand, role: AgentRole): Promise<void> {
  const judge = options.judge === undefined ? undefined : await judgeNamed(options.judge, process.env);
  const made = agentOf(options, { role, registers: true, judge });
  await made.run(interrupted);
  if (options.json === true) process.stdout.write(`${JSON.stringify({ status: "stopped", [role]: made.address })}\n`);
}

async function doctor(options: AgentCommand, role: AgentRole): Promise<void> {
  const findings = await agentOf(options, { role }).doctor();
  if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.FAILED;
  if (options.json === true) process.stdout.write(`${JSON.stringify({ status: "done", findings })}\n`);
  else for (const { what, ok, details } of findings) process.stdout.write(`${ok ? "ok     " : "MISSING"}  ${what}: ${details}\n`);
}

async function status(options: AgentCommand, role: AgentRole): Promise<void> {
  const standing = await agentOf(options, { role }).status();
  if (options.json === true) process.stdout.write(`${JSON.stringify({ status: "done", ...standing })}\n`);
  else
    process.stdout.write(
      [
        `${standing.state.toUpperCase()}   reputation ${standing.reputation}, ${standing.bids} offers, ${standing.won} slots won`,
        ...standing.reasons.map((reason) => `  ${reason}`),
        "",
      ].join("\n"),
    );
}

/** The agent for the given options and folder; the principal's key is read only if it may have to register. */
export function agentOf(
  options: AgentCommand,
  {
    role = "agent",
    registers = false,
    judge,
    progress = (line) => process.stderr.write(`${line}\n`),
  }: {
    readonly role?: AgentRole;
    readonly registers?: boolean;
    readonly judge?: Judge | undefined;
    readonly progress?: (line: string) => void;
  } = {},
) {
  const { city, rpc, leastPrice, mostStake, mostNodes } = options;
  if (city === undefined) throw new InvalidValue("--city", "it is required", { details: "add --city http://127.0.0.1:8787" });
  const folder = folderIn(options, role);
  const own = (name: keyof typeof FILES) => (existsSync(join(folder, FILES[name])) ? join(folder, FILES[name]) : undefined);
  const passwordFile = options.passwordFile ?? process.env["AGENTCITY_PASSWORD_FILE"] ?? own("password");
  const keystore = options.key ?? own("key");
  if (keystore === undefined)
    throw new KeyUnusable(`There is no agent in ${folder}: ${asTyped(`npm run ${role} -- init`)} creates one`, "AGENTCITY_PASSWORD_FILE");
  const key = secretIn(keystore, passwordFile);
  if (options.creator !== undefined && options.principal !== undefined)
    throw new InvalidValue("--creator", "it excludes --principal", { details: "give only one of them" });
  const owner = options.creator === undefined ? (options.principal ?? own("principal")) : undefined;
  const limitsFile = options.limits ?? own("limits");
  const limits: Partial<Limits> = {
    ...(limitsFile === undefined ? {} : readLimits(typedPath(limitsFile))),
    ...(leastPrice === undefined ? {} : { leastPrice: unitsIn("--least-price", leastPrice) }),
    ...(mostStake === undefined ? {} : { mostStake: unitsIn("--most-stake", mostStake) }),
    ...(mostNodes === undefined ? {} : { mostNodes }),
  };
  return createAgent({
    ...{ city, rpc, key, limits },
    folder: folderOf(folder, { city, key }),
    principal: !registers || owner === undefined ? undefined : secretIn(owner, passwordFile),
    creator: !registers || options.creator === undefined ? undefined : keyIn(options.creator),
    services: options.sells?.split(","),
    office: role === "agent" ? undefined : officeOf(role, options),
    weakSandbox: options.weakSandbox,
    judge,
    build: `agentcity/${version()} node/${process.versions.node}`,
    progress,
  });
}

/** A verifier's or issuer's statement about itself for the adjudicators. */
function officeOf(office: OfficeTerms["office"], { contact, relations, classes = "REC,ATT" }: AgentCommand): OfficeTerms {
  const named = classes.toUpperCase().split(",");
  const unknown = named.find((name) => name !== "REC" && name !== "ATT");
  if (unknown !== undefined) throw new InvalidValue("--classes", "an issuer gives REC, ATT or both", { details: unknown });
  return {
    office,
    classes: office === "verifier" ? [] : (["REC", "ATT"] as const).filter((name) => named.includes(name)),
    runtime: `realm/1 node/${process.versions.node}`,
    contact: contact ?? "none given",
    relations: relations ?? "none declared",
  };
}

function folderIn({ folder }: AgentCommand, role: AgentRole): string {
  return folder === undefined ? join(home().root, role) : typedPath(folder);
}

/** The key of an agent whose folder `init` created. */
function keyIn(folder: string): Hex {
  return secretIn(join(folder, FILES.key), join(folder, FILES.password));
}

function unitsIn(option: string, text: string): bigint {
  if (!/^\d{1,30}$/.test(text)) throw new InvalidValue(option, "expected a whole number in the token's smallest unit", { details: text });
  return BigInt(text);
}

/** Decrypts a keystore. Its password comes from a file, never from the command line. */
export function secretIn(keystore: string, passwordFile: string | undefined): Hex {
  if (passwordFile === undefined) throw new KeyUnusable("No password file was given", "AGENTCITY_PASSWORD_FILE");
  const read = (file: string) => {
    try {
      return readFileSync(typedPath(file), "utf8");
    } catch (error) {
      throw new KeyUnusable(`${file} cannot be read: ${messageOf(error)}`, "AGENTCITY_PASSWORD_FILE");
    }
  };
  return decryptKeystore(read(keystore), read(passwordFile).replace(/\r?\n$/, ""));
}

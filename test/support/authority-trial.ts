/**
 * Tries authority: while a call that succeeds is on its way to the chain, the same calldata is simulated in the same pending block
 * from every kind of caller, and each answer is kept.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { id, Transaction } from "ethers";
import hre from "hardhat";
import { type Abi, type Hex, isHex, toFunctionSelector } from "viem";
import { formatAbiItem } from "viem/utils";
import { z } from "zod";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import type { Role } from "../../scripts/dev/authority.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { type City, ethers, INSTITUTIONS, Kind, keyOf, Office, predecessorOf, tokens } from "./city-fixture.ts";
import { seatVerifier } from "./judges.ts";

/** One address per kind of caller; a kind that plays no part in a call is absent. */
export type Cast = Readonly<Partial<Record<Role, string>>>;

/** What became of the call, by kind of caller: `ok`, or the name of the error. */
export type Answers = ReadonlyMap<Role, string>;

const OK = "ok";
const WHY = id("why");
/** `enum Decision`. */
const APPROVES = 1;

const sentSchema = z.object({ to: z.string(), data: z.string(), from: z.string() });
const failureSchema = z.object({ message: z.string(), data: z.unknown() });
const revertSchema = z.union([z.string(), z.object({ data: z.string() }).transform(({ data }) => data)]);

const artifactSchema = z.object({
  contractName: z.string(),
  sourceName: z.string(),
  abi: z.custom<Abi>(Array.isArray),
  bytecode: z.string(),
});
const compiled = filesIn("**/*.json", join(root, "artifacts/contracts")).map((path) =>
  artifactSchema.parse(JSON.parse(readFileSync(join(root, "artifacts/contracts", path), "utf8"))),
);

/** ABI by name of every contract that is deployed by itself: neither interface nor abstract nor library. */
export const DEPLOYED: ReadonlyMap<string, Abi> = new Map(
  compiled
    .filter(({ bytecode }) => bytecode !== "0x")
    .filter(({ contractName, sourceName }) => {
      const source = readFileSync(join(root, sourceName.replace(/^project\//, "")), "utf8");
      return new RegExp(`^contract ${contractName}\\b`, "m").test(source);
    })
    .map(({ contractName, abi }) => [contractName, abi]),
);

/** Names of all errors by selector. */
const ERRORS: ReadonlyMap<string, string> = new Map(
  compiled.flatMap(({ abi }) =>
    abi
      .filter((item) => item.type === "error")
      .map((item) => [toFunctionSelector(formatAbiItem(item).replace("error", "function")), item.name]),
  ),
);

/** The transaction that a request would send, if it sends one. */
function sentBy(method: string, params: unknown): z.infer<typeof sentSchema> | undefined {
  const [first] = z.array(z.unknown()).catch([]).parse(params);
  if (method === "eth_sendTransaction") return sentSchema.safeParse(first).data;
  if (method !== "eth_sendRawTransaction" || !isHex(first)) return undefined;
  const { to, data, from } = Transaction.from(first);
  return sentSchema.safeParse({ to, data, from }).data;
}

export class AuthorityTrial {
  /** By `Contract.function` and situation. */
  readonly answers = new Map<string, Answers>();

  static key(functionName: string, when = ""): string {
    return when === "" ? functionName : `${functionName} (${when})`;
  }

  /** Runs `act`, which must succeed and send `functionName`, and tries that call as everyone in the cast. */
  async record(functionName: string, cast: Cast, act: () => Promise<unknown>, when = ""): Promise<void> {
    const key = AuthorityTrial.key(functionName, when);
    const selectors = this.#selectorsOf(functionName);
    let answers: Map<Role, string> | undefined;
    const handlers: Parameters<typeof hre.hooks.registerHandlers<"network">>[1] = {
      onRequest: async (context, connection, request, next) => {
        const sent = sentBy(request.method, request.params);
        if (sent === undefined || answers !== undefined || !selectors.has(sent.data.slice(0, 10))) {
          return next(context, connection, request);
        }
        answers = new Map();
        for (const [role, from] of Object.entries(cast)) {
          const params = [{ from, to: sent.to, data: sent.data, gas: "0x1c9c380" }, "pending"];
          const call = { jsonrpc: "2.0", id: request.id, method: "eth_call", params } as const;
          answers.set(role as Role, await next(context, connection, call).then(() => OK, refusalOf));
        }
        return next(context, connection, request);
      },
    };
    hre.hooks.registerHandlers("network", handlers);
    try {
      await act();
    } finally {
      hre.hooks.unregisterHandlers("network", handlers);
    }
    if (answers === undefined) throw new Error(`${key}: nothing called it`);
    this.answers.set(key, answers);
  }

  #selectorsOf(functionName: string): Set<string> {
    const [contract = "", name] = functionName.split(".");
    const abi = DEPLOYED.get(contract);
    if (abi === undefined) throw new Error(`${contract} is no contract`);
    return new Set(
      mutatingFunctions(abi)
        .filter((one) => one.name === name)
        .map(({ selector }) => selector),
    );
  }
}

/** The name of the custom error a simulated call reverted with, or what else went wrong. */
export function refusalOf(error: unknown): string {
  const { data, message } = failureSchema.parse(error);
  const selector = (revertSchema.safeParse(data).data ?? "").slice(0, 10);
  return ERRORS.get(selector) ?? `${selector} ${message}`;
}

/** Functions of an ABI that change state. */
export function mutatingFunctions(abi: Abi): { name: string; selector: Hex }[] {
  return abi
    .filter((item) => item.type === "function")
    .filter(({ stateMutability }) => stateMutability === "nonpayable" || stateMutability === "payable")
    .map((item) => ({ name: item.name, selector: toFunctionSelector(item) }));
}

/** Everyone whom a city knows: those whom a fixture has are given, the others come in here. Ends the deployer's power. */
export async function castOf(city: City, known: Cast): Promise<Cast> {
  const cast: Partial<Record<Role, string>> = { deployer: city.deployer.address };
  const named = async (name: string) => (await city.account(`cast ${name}`)).address;
  for (const institution of INSTITUTIONS) cast[institution] = city.addresses[institution];
  cast.CONSTITUTION = city.built.ConstitutionContract;
  cast.outsider = await named("outsider");
  cast.contract = String((await ethers.deployContract("MissionProbe")).target);
  cast["old clone"] = (await city.probe(899)).address;
  await city.publishProbe();
  cast.mission = (await city.probe(900)).address;
  for (const institution of ["LEGISLATION", "EXECUTION", "ADJUDICATION"] as const)
    cast[`former ${institution}`] = predecessorOf(institution);
  if (known.producer === undefined) {
    const { agent, principal } = await city.register("cast producer");
    Object.assign(cast, { producer: agent.address, principal: principal.address });
  }
  cast["sub-agent"] = await subAgentOf(city);
  const verifying = await city.register("cast verifier", { kind: Kind.VERIFIER });
  cast.verifier = verifying.agent.address;
  for (const role of ["registrar", "speaker", "regulator", "codifier"] as const) {
    if (known[role] !== undefined) continue;
    cast[role] = await named(role);
    const office = { registrar: Office.REGISTRAR, speaker: Office.SPEAKER, regulator: Office.REGULATOR, codifier: Office.CODIFIER }[role];
    await city.clerks.appoint(office, cast[role], await named(`${role}'s principal`));
  }
  Object.assign(cast, await seatPanel(city, { ...cast, ...known }, verifying.principal.address));
  for (const [role, register] of [
    ["runner", city.evidence.registerRunner],
    ["monitor", city.evidence.registerMonitor],
  ] as const) {
    if (known[role] !== undefined) continue;
    cast[role] = await named(role);
    await register(cast[role], await named(`${role}'s principal`));
  }
  if (known.issuer === undefined) {
    cast.issuer = await named("issuer");
    await city.evidence.registerIssuer(cast.issuer, await named("issuer's principal"), 1);
  }
  Object.assign(cast, known);
  await city.constitution.seal();
  return cast;
}

/** A producer that another one made. */
async function subAgentOf(city: City): Promise<string> {
  const { agent: creator } = await city.register("cast creator");
  const agent = await city.account("cast sub-agent");
  const { message, did, byCreator, byAgent } = await city.subBinding(agent, creator);
  await city.fund(creator, city.addresses.PRODUCERS, message.stake);
  await city.producers.registerSubAgent(message, did, byCreator, byAgent);
  // The electorate stays what the play expects.
  const legislature = city.producers.connect(await city.as("LEGISLATION"));
  for (const one of [creator, agent]) await legislature.lapse(one.address);
  return agent.address;
}

/** A seat of each kind, and former ones. `principal`, who verifies, becomes part of the missions in the cast. */
async function seatPanel(city: City, cast: Cast, principal: string): Promise<Cast> {
  const { roster, watchdog, producers, constitution, addresses } = city;
  const seat = async (role: Role, owner?: string) => {
    const judge = await city.account(`cast ${role}`);
    await city.fund(judge, addresses.ROSTER, tokens(5000));
    await roster.seat(judge.address, owner ?? keyOf(`cast ${role}'s principal`).address);
    return judge;
  };
  await constitution.setParam(parameterIndex("SENIOR_ADJUDICATOR_ENABLED"), 1, WHY);
  if ((await roster.activeCount()) === 0n) await seat("senior");
  const adjudicator = cast.adjudicator ?? (await seat("adjudicator")).address;
  const [conflicted, flagged] = [await seat("conflicted", principal), await seat("flagged")];
  for (const mission of [cast.mission, cast["old clone"], cast.itself]) {
    if (mission !== undefined) await seatVerifier(city, mission, cast.verifier ?? "");
  }
  // Twenty-one approvals in a row.
  await watchdog.note(Array(21).fill(flagged.address), APPROVES, false);
  const [resigned, impeached] = [await seat("resigned"), await seat("impeached")];
  await roster.connect(resigned).resign();
  await roster.impeach(impeached.address, WHY);
  await producers.ban(impeached.address, WHY);
  return {
    adjudicator,
    senior: await roster.senior(),
    conflicted: conflicted.address,
    flagged: flagged.address,
    resigned: resigned.address,
    impeached: impeached.address,
  };
}

/** Lets everyone in the cast pay what `payee` asks for. */
export async function endow(city: City, cast: Cast, payee: string): Promise<void> {
  for (const address of new Set(Object.values(cast))) {
    await city.token.mint(address, tokens(1000));
    await city.token.connect(await city.as(address)).approve(payee, tokens(500));
  }
}

import {
  type Abi,
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToHex,
  zeroAddress,
} from "viem";
import { z } from "zod";
import { functionNames } from "../orchestrator/primitives/selectors.ts";
import { plain } from "../orchestrator/primitives/values.ts";
import type { CityContract } from "../orchestrator/protocol/addresses.ts";
import { OFFICE_NAMES, OFFICES } from "../orchestrator/protocol/offices.ts";
import { PARAMETERS } from "../orchestrator/protocol/parameters.ts";
import { readArtifact } from "./artifacts.ts";
import type { Deployment, Finding, FoundedCity, Verification } from "./deployment.ts";
import { entries, envelopes, institutions, missionTemplate, selectorsOf, sources, templateAuditHash } from "./genesis.ts";
import { ENACTMENT, LAW_GRANTS } from "./grants.ts";

/** The chain queries of a verification. */
export interface ChainReader {
  readonly chainId: number;
  call(to: Address, data: Hex): Promise<Hex>;
  codeAt(address: Address): Promise<Hex>;
  /** Number of the last block. */
  head(): Promise<number>;
  /** Logs of one contract and event between two blocks. */
  logs(address: Address, topic: Hex, fromBlock: number, toBlock: number): Promise<readonly ChainLog[]>;
}

export interface ChainLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly transactionHash: Hex;
}

/** Runtime code by genesis step, from the same steps on another chain: with immutables and library links. */
export type ExpectedCode = ReadonlyMap<string, Hex>;

/** `enum Standing`. */
const CURRENT = 1;
const PROCEDURES = ["LegislativeProcedure", "ExecutionProcedure", "AdjudicationProcedure"] as const;
/** Decimals assumed by all amounts in the contracts. */
const TOKEN_DECIMALS = 6;
const EVIDENCE_CLASSES = 6;

/** Reads back and compares everything decided by genesis. */
export function verifyDeployment(
  reader: ChainReader,
  deployment: Deployment,
  city: FoundedCity,
  code: ExpectedCode,
): Promise<Verification> {
  return run(CHECKS, { asked: new Reading(reader, city), deployment, city, code, reader });
}

/** Cheap comparisons for every opening of a city: chain, wiring, mandate, parameters and seal. */
export function verifyCore(reader: ChainReader, deployment: Deployment, city: FoundedCity): Promise<Verification> {
  const core = CHECKS.filter(({ name }) => CORE.has(name));
  return run(core, { asked: new Reading(reader, city), deployment, city, code: new Map(), reader });
}

const CORE: ReadonlySet<string> = new Set(["CHAIN", "WIRING", "MANDATE", "PARAMETERS", "SEAL"]);

async function run(list: readonly Check[], subject: Subject): Promise<Verification> {
  const checks: Verification["checks"] = [];
  for (const { name, what, run: compare } of list) {
    const seen = new Comparison();
    await compare(subject, seen);
    checks.push({ name, what, verified: seen.verified, findings: seen.findings });
  }
  return {
    passed: checks.every(({ findings }) => findings.every(({ amendable }) => amendable)),
    network: subject.deployment.network,
    chainId: subject.reader.chainId,
    constitution: subject.city.addresses.ConstitutionContract,
    checks,
  };
}

interface Subject {
  readonly asked: Reading;
  readonly deployment: Deployment;
  readonly city: FoundedCity;
  readonly code: ExpectedCode;
  readonly reader: ChainReader;
}

interface Check {
  readonly name: string;
  readonly what: string;
  run(subject: Subject, seen: Comparison): Promise<void>;
}

const CHECKS: readonly Check[] = [
  {
    name: "CHAIN",
    what: "the chain's id",
    async run({ reader, deployment }, seen) {
      seen.same("chain id", deployment.chainId, reader.chainId);
    },
  },
  {
    name: "CODE",
    what: "every byte of every contract and library, immutables and links included",
    async run({ reader, city, code, deployment }, seen) {
      for (const [step, address] of Object.entries(city.created)) {
        const found = await reader.codeAt(address);
        seen.same(`code of ${step} at ${address}`, told(code.get(step)), told(found));
      }
      const known = new Set(Object.values(city.created).map((address) => address.toLowerCase()));
      for (const [contract, address] of entries(city.addresses)) {
        if (contract === "CityToken" && deployment.plan.token !== null) continue;
        seen.holds(`${contract} at ${address}`, "created by genesis", known.has(address.toLowerCase()));
      }
    },
  },
  {
    name: "WIRING",
    what: "each institution where it must be, three procedures current, the token's decimals",
    async run({ asked, city, deployment }, seen) {
      for (const [contract, institution] of entries(institutions))
        seen.same(contract, city.addresses[contract], await asked.one("ConstitutionContract", "at", [institution]), isProcedure(contract));
      for (const procedure of PROCEDURES) {
        const standing = await asked.one("ConstitutionContract", "standingOf", [institutions[procedure], city.addresses[procedure]]);
        seen.same(`standing of ${procedure}`, CURRENT, standing, true);
      }
      if (deployment.plan.token !== null) seen.same("token", deployment.plan.token, city.addresses.CityToken);
      seen.same("decimals of the token", TOKEN_DECIMALS, await asked.one("CityToken", "decimals", []));
    },
  },
  {
    name: "MANDATE",
    what: "hash and content id of the mandate",
    async run({ asked, deployment: { plan } }, seen) {
      seen.same(
        "mandate",
        [keccak256(stringToHex(plan.mandate)), plan.mandateDigest],
        await asked.one("ConstitutionContract", "mandate", []),
      );
    },
  },
  {
    name: "PARAMETERS",
    what: "every parameter of the constitution",
    async run({ asked, deployment: { plan } }, seen) {
      for (const { name, index } of PARAMETERS)
        seen.same(name, plan.parameters[index], await asked.one("ConstitutionContract", "param", [index]), true);
    },
  },
  {
    name: "SEAL",
    what: "the city is sealed and its deployer has no power",
    async run({ asked, deployment: { deployer } }, seen) {
      seen.same("sealed", true, await asked.one("ConstitutionContract", "isSealed", []));
      seen.same("deployer governs", false, await asked.one("ConstitutionContract", "isGovernor", [deployer]));
      seen.same("deployer has a seat", false, await asked.one("AdjudicatorRoster", "isActive", [deployer]), true);
      for (const office of OFFICE_NAMES)
        seen.same(`deployer is ${office}`, false, await asked.one("ClerkContract", "isClerk", [OFFICES[office], deployer]), true);
    },
  },
  {
    name: "CLERKS",
    what: "who holds each office, and that nobody else does",
    async run({ asked, deployment: { plan } }, seen) {
      for (const office of OFFICE_NAMES) {
        const listed = plan.clerks.filter((clerk) => clerk.office === office);
        for (const { address } of listed)
          seen.same(`${office} ${address}`, true, await asked.one("ClerkContract", "isClerk", [OFFICES[office], address]), true);
        seen.same(`clerks in office ${office}`, listed.length, await asked.one("ClerkContract", "appointedTo", [OFFICES[office]]), true);
      }
    },
  },
  {
    name: "ENVELOPES",
    what: "every function of every contract for every office: permitted or not; uses per session",
    run: envelopesCheck,
  },
  {
    name: "DELEGATION",
    what: "which artifacts must come from which registered service",
    async run({ asked, deployment: { plan } }, seen) {
      for (const { office, operation, service, needsIntermediate, schemaHash } of plan.mandates) {
        const mandate = { office: OFFICES[office], needsIntermediate, service, schemaHash };
        seen.same(`mandate ${operation}`, mandate, await asked.one("ManagementContract", "mandateOf", [operation]), true);
      }
      for (const office of OFFICE_NAMES) {
        const operations = plan.mandates.filter((mandate) => mandate.office === office).map(({ operation }) => operation);
        seen.same(`operations of ${office}`, operations, await asked.one("ManagementContract", "operationsOf", [OFFICES[office]]), true);
      }
    },
  },
  {
    name: "TEMPLATE",
    what: "the mission template, its version and audit hash",
    async run({ asked, city, deployment: { profile } }, seen) {
      const { name, source } = missionTemplate;
      const implementation = city.created[`genesis:${readArtifact(source).name}`];
      const first = template.parse(await asked.one("TemplateRegistry", "templateOf", [name, 1]));
      seen.same("version 1", { implementation, auditHash: templateAuditHash(profile) }, first);
      seen.same("version in force", 1, await asked.one("TemplateRegistry", "latestVersion", [name]), true);
      const announced = template.parse(await asked.one("TemplateRegistry", "templateOf", [name, 2]));
      seen.same("version 2", zeroAddress, announced.implementation, true);
    },
  },
  {
    name: "SEATS",
    what: "who sits on the panel, for whom, and that nobody else does",
    async run({ asked, deployment: { plan } }, seen) {
      for (const { adjudicator, principal } of plan.seats) {
        seen.same(`seat of ${adjudicator}`, true, await asked.one("AdjudicatorRoster", "isActive", [adjudicator]), true);
        seen.same(`principal of ${adjudicator}`, principal, await asked.one("AdjudicatorRoster", "principalOf", [adjudicator]), true);
      }
      seen.same("seats", plan.seats.length, await asked.one("AdjudicatorRoster", "activeCount", []), true);
    },
  },
  {
    name: "EVIDENCE",
    what: "issuers and their classes, verifiers and their weights, runners, monitors",
    run: evidenceCheck,
  },
  {
    name: "GRANTS",
    what: "whatever changed the law since genesis came with adjudicators' signatures, in the same transaction",
    run: grantsCheck,
  },
];

/** Every event that changes the law is in a transaction with an executed override; enacted procedures were announced before. */
async function grantsCheck({ city, reader }: Subject, seen: Comparison): Promise<void> {
  const [from, to] = [city.toBlock + 1, await reader.head()];
  if (to < from) return;
  const logsOf = async (contract: CityContract, eventName: string, address = city.addresses[contract]) => {
    const { abi } = readArtifact(sources[contract]);
    const [topic] = encodeEventTopics({ abi, eventName });
    return reader.logs(address, topic as Hex, from, to);
  };
  const enacted = await logsOf(ENACTMENT.contract, ENACTMENT.event);
  const announced = await logsOf(ENACTMENT.contract, ENACTMENT.announced);
  for (const { topics, blockNumber, transactionHash } of enacted) {
    // The institution is the first indexed field of both.
    const before = announced.some((each) => each.topics[1] === topics[1] && each.blockNumber < blockNumber);
    seen.holds(`procedure put in office in ${transactionHash}`, "announced before", before);
  }
  const signed = new Set<Hex>();
  // A replaced adjudication procedure signed during its own term; its successor is in the third topic.
  const procedures = [city.addresses.AdjudicationProcedure, ...enacted.map(({ topics }) => addressIn(topics[3]))];
  for (const procedure of procedures)
    for (const { transactionHash } of await logsOf("AdjudicationProcedure", "OverrideExecuted", procedure)) signed.add(transactionHash);
  for (const { contract, gives, events } of LAW_GRANTS)
    for (const event of events)
      for (const { transactionHash } of await logsOf(contract, event))
        seen.holds(`${gives}: ${contract}.${event} in ${transactionHash}`, "signed by adjudicators", signed.has(transactionHash));
}

/** The address in an indexed field. */
function addressIn(topic: Hex | undefined): Address {
  return `0x${(topic ?? "").slice(-40).padStart(40, "0")}`;
}

const UNANSWERED = { implementation: "no answer", auditHash: "no answer" };
/** `struct Template`, without the time from which on it is in force. */
const template = z.object({ implementation: z.string(), auditHash: z.string() }).catch(UNANSWERED);
/** Of `event EnvelopeSet`. */
const envelopeSet = z.object({ office: z.coerce.number() });

async function envelopesCheck({ asked, city, reader }: Subject, seen: Comparison): Promise<void> {
  const abis = entries(sources).map(([contract, source]) => [contract, readArtifact(source).abi.filter(isMutating)] as const);
  const selectors = functionNames(abis);
  const { abi } = readArtifact(sources.ClerkContract);
  const [topic] = encodeEventTopics({ abi, eventName: "EnvelopeSet" });
  const set = await reader.logs(city.addresses.ClerkContract, topic as Hex, city.fromBlock, city.toBlock);
  const events = set.map(
    ({ topics, data }) => decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data, eventName: "EnvelopeSet" }).args,
  );
  for (const { office, perSession, permitted } of envelopes) {
    const allowed = new Set(selectorsOf(permitted));
    for (const [selector, name] of selectors)
      seen.same(
        `${office} may call ${name}`,
        allowed.has(selector),
        await asked.one("ClerkContract", "isPermitted", [OFFICES[office], selector]),
        true,
      );
    const given = events.filter((args) => envelopeSet.safeParse(args).data?.office === OFFICES[office]);
    seen.same(`envelope of ${office}`, [{ office: OFFICES[office], permitted: [...allowed], maxPerSession: perSession }], given);
  }
}

async function evidenceCheck({ asked, deployment: { plan } }: Subject, seen: Comparison): Promise<void> {
  const roles = [...plan.issuers, ...plan.runners, ...plan.monitors];
  for (const { address, principal } of roles)
    seen.same(`principal of ${address}`, principal, await asked.one("EvidenceRegistry", "principalOf", [address]), true);
  for (const { address, classes } of plan.issuers)
    for (let item = 0; item < EVIDENCE_CLASSES; item += 1) {
      const may = ((classes >> item) & 1) === 1;
      seen.same(`${address} issues class ${item}`, may, await asked.one("EvidenceRegistry", "mayIssue", [address, item]), true);
    }
  for (const { address, weight } of plan.verifiers)
    seen.same(`weight of ${address}`, weight, await asked.one("EvidenceRegistry", "weightOf", [address]), true);
  seen.same("verifiers", plan.verifiers.length, await asked.one("EvidenceRegistry", "verifierCount", []), true);
  for (const { address } of plan.runners)
    seen.same(`runner ${address}`, true, await asked.one("EvidenceRegistry", "isRunner", [address]), true);
  for (const { address } of plan.monitors)
    seen.same(`monitor ${address}`, true, await asked.one("EvidenceRegistry", "isMonitor", [address]), true);
}

/** Decoded reads of a city's contracts. */
class Reading {
  readonly #reader: ChainReader;
  readonly #city: FoundedCity;
  readonly #abis = new Map<CityContract, Abi>();

  constructor(reader: ChainReader, city: FoundedCity) {
    this.#reader = reader;
    this.#city = city;
  }

  async one(contract: CityContract, functionName: string, args: readonly unknown[]): Promise<unknown> {
    const abi = this.#abis.get(contract) ?? readArtifact(sources[contract]).abi;
    this.#abis.set(contract, abi);
    const data = await this.#reader.call(this.#city.addresses[contract], encodeFunctionData({ abi, functionName, args }));
    if (data === "0x") return "no answer";
    return decodeFunctionResult({ abi, functionName, args, data });
  }
}

class Comparison {
  verified = 0;
  readonly findings: Finding[] = [];

  same(subject: string, expected: unknown, found: unknown, amendable = false): void {
    const [wanted, got] = [plain(expected), plain(found)];
    this.verified += 1;
    if (wanted !== got) this.findings.push({ subject, expected: wanted, found: got, amendable });
  }

  holds(subject: string, expected: string, isSo: boolean): void {
    this.same(subject, expected, isSo ? expected : `not ${expected}`);
  }
}

function told(code: Hex | undefined): string {
  if (code === undefined) return "what this deployer created";
  return code === "0x" ? "no code" : `${(code.length - 2) / 2} bytes, ${keccak256(code)}`;
}

/** Adjudicators may replace a procedure; all other wiring is permanent (decision 14). */
function isProcedure(contract: CityContract): boolean {
  return PROCEDURES.some((procedure) => procedure === contract);
}

function isMutating(item: Abi[number]): boolean {
  return item.type === "function" && item.stateMutability !== "view" && item.stateMutability !== "pure";
}

import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, stringToHex } from "viem";
import { AgentCityError } from "../orchestrator/primitives/errors.ts";
import { selectorIn } from "../orchestrator/primitives/selectors.ts";
import { type CityAddresses, type CityContract, cityAddressesSchema } from "../orchestrator/protocol/addresses.ts";
import { OFFICES } from "../orchestrator/protocol/offices.ts";
import { type Artifact, link, type Profile, readArtifact } from "./artifacts.ts";
import type { Constitution, Envelope, GenesisPlan } from "./plan.ts";

/** Connects genesis to a chain. Steps have names, so that a repeated run finds the results of an earlier one. */
export interface GenesisPort {
  /** Address that sends every step and loses its power at `seal`. */
  readonly deployer: Address;
  /** Compiler profile of the deployed artifacts. */
  readonly profile: Profile;
  /** Sends creation code once per step and returns the contract's address. */
  create(step: string, code: Hex): Promise<Address>;
  /** Sends a call once per step. */
  call(step: string, to: Address, data: Hex): Promise<void>;
}

/** Values of `enum Institution` (contracts/types/Roles.sol) by contract. */
export const institutions: Partial<Record<CityContract, number>> = {
  CityToken: 0,
  ProducerContract: 1,
  ClerkContract: 2,
  ManagementContract: 3,
  ServiceContract: 4,
  EvidenceRegistry: 5,
  Treasury: 6,
  TemplateRegistry: 7,
  ConstitutionalValidator: 8,
  LegislativeProcedure: 9,
  ExecutionProcedure: 10,
  AdjudicationProcedure: 11,
  AdjudicatorRoster: 12,
  StakePool: 13,
  AdjudicatorWatchdog: 14,
};

/** Contracts without a constitution; all others take its address. */
const WITHOUT_CITY: ReadonlySet<CityContract> = new Set(["CityToken", "ServiceContract", "AgreementEscrow"]);
/** Contracts whose constructor reads the institutions from the constitution. */
const AFTER_WIRING: ReadonlySet<CityContract> = new Set(["ClearingEvaluator"]);

/** Path of each contract's source below `contracts/`. */
export const sources: Record<CityContract, string> = {
  ConstitutionContract: "foundational/ConstitutionContract",
  CityToken: "interop/CityToken",
  ProducerContract: "foundational/ProducerContract",
  ClerkContract: "foundational/ClerkContract",
  ManagementContract: "foundational/ManagementContract",
  ServiceContract: "foundational/ServiceContract",
  EvidenceRegistry: "meta/EvidenceRegistry",
  Treasury: "collaboration/Treasury",
  TemplateRegistry: "meta/TemplateRegistry",
  ConstitutionalValidator: "meta/ConstitutionalValidator",
  LegislativeProcedure: "meta/LegislativeProcedure",
  ExecutionProcedure: "meta/ExecutionProcedure",
  AdjudicationProcedure: "meta/AdjudicationProcedure",
  AdjudicatorRoster: "meta/AdjudicatorRoster",
  StakePool: "collaboration/StakePool",
  AdjudicatorWatchdog: "meta/AdjudicatorWatchdog",
  AgreementEscrow: "agreements/AgreementEscrow",
  ClearingEvaluator: "agreements/ClearingEvaluator",
};

/** The template of all missions. */
export const missionTemplate = {
  source: "collaboration/CollaborationContract",
  name: keccak256(stringToHex("agentcity.collaboration")),
} as const;

/** Maximum calls of an office per session (AgentCity B.3; decision 13), by function of the contract. */
export const envelopes: readonly Envelope[] = [
  { office: "REGISTRAR", perSession: 4, permitted: { LegislativeProcedure: ["confirmIdentities"], ProducerContract: ["enfranchise"] } },
  { office: "SPEAKER", perSession: 8, permitted: { LegislativeProcedure: ["draft", "openDebate", "openVoting", "approve"] } },
  {
    office: "REGULATOR",
    perSession: 64,
    permitted: {
      LegislativeProcedure: ["approve", "flagBloc"],
      ExecutionProcedure: ["awardEarly"],
      ProducerContract: ["attestCapabilities"],
      EvidenceRegistry: ["postPassports"],
    },
  },
  { office: "CODIFIER", perSession: 8, permitted: { LegislativeProcedure: ["codify"], ManagementContract: ["delegate", "recordResult"] } },
];

/** Deploys and wires all contracts. Idempotent. A given token is wired, not deployed. */
export async function deployLaw(port: GenesisPort, constitution: Constitution, token: Address | null = null): Promise<CityAddresses> {
  const libraries = new Map<string, Hex>();
  const found: Partial<Record<CityContract, Address>> = token === null ? {} : { CityToken: token };
  const root = await create(port, libraries, sources.ConstitutionContract, [
    keccak256(stringToHex(constitution.mandate)),
    constitution.mandateDigest,
    constitution.parameters,
  ]);
  found.ConstitutionContract = root;
  const createAll = async (isDue: (contract: CityContract) => boolean): Promise<void> => {
    for (const [contract, source] of entries(sources)) {
      if (found[contract] !== undefined || !isDue(contract)) continue;
      found[contract] = await create(port, libraries, source, WITHOUT_CITY.has(contract) ? [] : [root]);
    }
  };
  await createAll((contract) => !AFTER_WIRING.has(contract));
  const wired = entries(institutions);
  await callContract(port, "wire", { ConstitutionContract: root }, "ConstitutionContract", "wire", [
    wired.map(([, institution]) => institution),
    wired.map(([contract]) => found[contract]),
  ]);
  await createAll((contract) => AFTER_WIRING.has(contract));
  return cityAddressesSchema.parse(found);
}

/** Publishes the mission template. After `deployLaw`: its constructor reads the wired institutions. */
export async function publishTemplate(port: GenesisPort, addresses: CityAddresses): Promise<Address> {
  const implementation = await create(port, new Map(), missionTemplate.source, [addresses.ConstitutionContract]);
  await callContract(port, "publish-template", addresses, "TemplateRegistry", "publish", [
    missionTemplate.name,
    implementation,
    templateAuditHash(port.profile),
  ]);
  return implementation;
}

/** The registry's record of the template: the hash of its unlinked creation code. */
export function templateAuditHash(profile: Profile): Hex {
  return keccak256(stringToHex(readArtifact(missionTemplate.source, profile).bytecode));
}

/** Sets every office's envelope. */
export async function setEnvelopes(port: GenesisPort, addresses: CityAddresses): Promise<void> {
  for (const { office, perSession, permitted } of envelopes)
    await callContract(port, `envelope-${office}`, addresses, "ClerkContract", "setEnvelope", [
      OFFICES[office],
      selectorsOf(permitted),
      perSession,
    ]);
}

/** Selectors of an envelope, in its order. */
export function selectorsOf(permitted: Envelope["permitted"]): readonly Hex[] {
  return entries(permitted).flatMap(([contract, functions]) =>
    functions.map((functionName) => selectorOf(readArtifact(sources[contract]), functionName)),
  );
}

/** Appoints clerks, which must precede the registration of their services. */
export async function appointClerks(port: GenesisPort, addresses: CityAddresses, { clerks }: Pick<GenesisPlan, "clerks">): Promise<void> {
  for (const { office, address, principal } of clerks)
    await callContract(port, `appoint-${office}-${address}`, addresses, "ClerkContract", "appoint", [OFFICES[office], address, principal]);
}

/** Seats, evidence roles and mandates: the deployer's last acts as governor. Stakes, agents and services must exist. */
export async function fillOffices(port: GenesisPort, addresses: CityAddresses, plan: GenesisPlan): Promise<void> {
  const call = (step: string, contract: CityContract, functionName: string, args: readonly unknown[]) =>
    callContract(port, step, addresses, contract, functionName, args);
  for (const { adjudicator, principal } of plan.seats)
    await call(`seat-${adjudicator}`, "AdjudicatorRoster", "seat", [adjudicator, principal]);
  for (const { address, weight } of plan.verifiers)
    await call(`verifier-${address}`, "EvidenceRegistry", "registerVerifier", [address, weight]);
  for (const { address, principal, classes } of plan.issuers)
    await call(`issuer-${address}`, "EvidenceRegistry", "registerIssuer", [address, principal, classes]);
  for (const { address, principal } of plan.runners)
    await call(`runner-${address}`, "EvidenceRegistry", "registerRunner", [address, principal]);
  for (const { address, principal } of plan.monitors)
    await call(`monitor-${address}`, "EvidenceRegistry", "registerMonitor", [address, principal]);
  for (const { office, operation, service, needsIntermediate, schemaHash } of plan.mandates)
    await call(`mandate-${operation}`, "ManagementContract", "setMandate", [
      OFFICES[office],
      operation,
      service,
      needsIntermediate,
      schemaHash,
    ]);
}

/** Funds the treasury; the deployer must have the tokens. */
export async function seedTreasury(
  port: GenesisPort,
  addresses: CityAddresses,
  { treasury }: Pick<GenesisPlan, "treasury">,
): Promise<void> {
  const { free, insurance } = treasury;
  if (free + insurance === 0n) return;
  await callContract(port, "seed-approve", addresses, "CityToken", "approve", [addresses.Treasury, free + insurance]);
  await callContract(port, "seed", addresses, "Treasury", "deposit", [free, insurance, keccak256(stringToHex("genesis"))]);
}

/** Ends the deployer's power. */
export async function seal(port: GenesisPort, addresses: CityAddresses): Promise<void> {
  await callContract(port, "seal", addresses, "ConstitutionContract", "seal", []);
}

/** One call of a city contract as a genesis step. */
async function callContract<Contract extends CityContract>(
  port: GenesisPort,
  step: string,
  addresses: Pick<CityAddresses, Contract>,
  contract: Contract,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  const { abi } = readArtifact(sources[contract]);
  await port.call(`genesis:${step}`, addresses[contract], encodeFunctionData({ abi, functionName, args }));
}

async function create(port: GenesisPort, libraries: Map<string, Hex>, source: string, args: readonly unknown[]): Promise<Address> {
  const artifact = readArtifact(source, port.profile);
  await createLibraries(port, libraries, artifact);
  const declared = artifact.abi.find((item) => item.type === "constructor");
  const encoded = declared === undefined ? "0x" : encodeAbiParameters(declared.inputs, args);
  return port.create(`genesis:${artifact.name}`, `${link(artifact, libraries)}${encoded.slice(2)}`);
}

/** A linked library may link others, which come first. */
async function createLibraries(port: GenesisPort, libraries: Map<string, Hex>, user: Artifact): Promise<void> {
  for (const { name, source } of user.libraries) {
    if (libraries.has(name)) continue;
    const artifact = readArtifact(source, port.profile);
    await createLibraries(port, libraries, artifact);
    libraries.set(name, await port.create(`genesis:${name}`, link(artifact, libraries)));
  }
}

function selectorOf(artifact: Artifact, functionName: string): Hex {
  const selector = selectorIn(artifact.abi, functionName);
  if (selector === undefined) throw new AgentCityError("UnknownFunction", `${artifact.name} has no function ${functionName}`);
  return selector;
}

export function entries<Key extends string, Value>(record: Partial<Record<Key, Value>>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][];
}

import {
  type Address,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToHex,
  toFunctionSelector,
} from "viem";
import { AgentCityError } from "../orchestrator/primitives/errors.ts";
import { type CityAddresses, type CityContract, cityAddressesSchema } from "../orchestrator/protocol/addresses.ts";
import { type Artifact, link, readArtifact } from "./artifacts.ts";

/** How genesis reaches a chain. Every step has a name, so that a repeated run finds what an earlier one did. */
export interface GenesisPort {
  /** Address that sends every step and loses its power at `seal`. */
  readonly deployer: Address;
  /** Sends creation code once per step and returns the contract's address. */
  create(step: string, code: Hex): Promise<Address>;
  /** Sends a call once per step. */
  call(step: string, to: Address, data: Hex): Promise<void>;
  read(to: Address, data: Hex): Promise<Hex>;
}

/** What the humans of a city decide before it exists. */
export interface Constitution {
  /** The mandate, in words; its hash is on chain for ever. */
  readonly mandate: string;
  /** Content-id digest of the mandate's bytes. */
  readonly mandateDigest: Hex;
  /** One value per `Param`, in its order and unit. */
  readonly parameters: readonly bigint[];
}

/** Numbers of `enum Institution` (contracts/types/Roles.sol) by contract. */
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
};

/** Where each contract's source lies below `contracts/`; all but the first two take the constitution's address. */
const sources: Record<CityContract, string> = {
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
};

/** The template every mission is a clone of. */
export const missionTemplate = {
  source: "collaboration/CollaborationContract",
  name: keccak256(stringToHex("agentcity.collaboration")),
} as const;

/** One office's authority; `office` is the position in `enum Office`. */
export interface Envelope {
  readonly office: "REGISTRAR" | "SPEAKER" | "REGULATOR" | "CODIFIER";
  readonly perSession: number;
  readonly permitted: Partial<Record<CityContract, readonly string[]>>;
}

/** What an office may call at most, per session (AgentCity 2990–3040; decisions 13). Names are functions of the contract. */
export const envelopes: readonly Envelope[] = [
  { office: "REGISTRAR", perSession: 4, permitted: { LegislativeProcedure: ["confirmIdentities"] } },
  { office: "SPEAKER", perSession: 8, permitted: { LegislativeProcedure: ["openVoting", "approve"] } },
  { office: "REGULATOR", perSession: 64, permitted: { LegislativeProcedure: ["approve"], ExecutionProcedure: ["awardEarly"] } },
  { office: "CODIFIER", perSession: 8, permitted: { LegislativeProcedure: ["codify"], ManagementContract: ["delegate", "recordResult"] } },
];

/** Deploys every contract and wires them. Running it again finds what is there. */
export async function deployLaw(port: GenesisPort, constitution: Constitution): Promise<CityAddresses> {
  const libraries = new Map<string, Hex>();
  const found: Partial<Record<CityContract, Address>> = {};
  const root = await create(port, libraries, sources.ConstitutionContract, [
    keccak256(stringToHex(constitution.mandate)),
    constitution.mandateDigest,
    constitution.parameters,
  ]);
  found.ConstitutionContract = root;
  for (const [contract, source] of entries(sources)) {
    if (contract === "ConstitutionContract") continue;
    found[contract] = await create(port, libraries, source, contract === "CityToken" ? [] : [root]);
  }
  const addresses = cityAddressesSchema.parse(found);
  const wired = entries(institutions);
  await callContract(port, "wire", addresses, "ConstitutionContract", "wire", [
    wired.map(([, institution]) => institution),
    wired.map(([contract]) => addresses[contract]),
  ]);
  return addresses;
}

/** Publishes the mission template. After `deployLaw`: its constructor reads the wired institutions. */
export async function publishTemplate(port: GenesisPort, addresses: CityAddresses): Promise<Address> {
  const implementation = await create(port, new Map(), missionTemplate.source, [addresses.ConstitutionContract]);
  const code = readArtifact(missionTemplate.source).bytecode;
  await callContract(port, "publish-template", addresses, "TemplateRegistry", "publish", [
    missionTemplate.name,
    implementation,
    keccak256(stringToHex(code)),
  ]);
  return implementation;
}

/** Gives every office its envelope. */
export async function setEnvelopes(port: GenesisPort, addresses: CityAddresses): Promise<void> {
  for (const [office, { office: name, perSession, permitted }] of envelopes.entries()) {
    const selectors = entries(permitted).flatMap(([contract, functions]) =>
      functions.map((functionName) => selectorOf(readArtifact(sources[contract]), functionName)),
    );
    await callContract(port, `envelope-${name}`, addresses, "ClerkContract", "setEnvelope", [office, selectors, perSession]);
  }
}

/** Ends the deployer's power. */
export async function seal(port: GenesisPort, addresses: CityAddresses): Promise<void> {
  await callContract(port, "seal", addresses, "ConstitutionContract", "seal", []);
}

/** One call of a city contract as a genesis step. */
export async function callContract(
  port: GenesisPort,
  step: string,
  addresses: CityAddresses,
  contract: CityContract,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  const { abi } = readArtifact(sources[contract]);
  await port.call(`genesis:${step}`, addresses[contract], encodeFunctionData({ abi, functionName, args }));
}

/** The law as it stands on chain does not match what genesis was asked for. */
export class GenesisMismatch extends AgentCityError {
  constructor(problems: readonly string[]) {
    super("GenesisMismatch", "The deployed constitution differs from the requested one", { details: problems.join("\n") });
  }
}

/** Reads everything back: wiring, parameters, mandate, the deployer's lost power. Throws `GenesisMismatch` naming each difference. */
export async function verifyGenesis(port: GenesisPort, addresses: CityAddresses, constitution: Constitution): Promise<void> {
  const { abi } = readArtifact(sources.ConstitutionContract);
  const problems: string[] = [];
  const expect = async (what: string, functionName: string, args: readonly unknown[], expected: unknown) => {
    const data = await port.read(addresses.ConstitutionContract, encodeFunctionData({ abi, functionName, args }));
    const actual = decodeFunctionResult({ abi, functionName, args, data });
    if (String(actual).toLowerCase() !== String(expected).toLowerCase()) problems.push(`${what}: expected ${expected}, found ${actual}`);
  };
  for (const [contract, institution] of entries(institutions)) await expect(contract, "at", [institution], addresses[contract]);
  for (const [index, value] of constitution.parameters.entries()) await expect(`parameter ${index}`, "param", [index], value);
  await expect("mandate", "mandate", [], [keccak256(stringToHex(constitution.mandate)), constitution.mandateDigest]);
  await expect("sealed", "isSealed", [], true);
  await expect("deployer's power", "isGovernor", [port.deployer], false);
  if (problems.length > 0) throw new GenesisMismatch(problems);
}

async function create(port: GenesisPort, libraries: Map<string, Hex>, source: string, args: readonly unknown[]): Promise<Address> {
  const artifact = readArtifact(source);
  await createLibraries(port, libraries, artifact);
  const declared = artifact.abi.find((item) => item.type === "constructor");
  const encoded = declared === undefined ? "0x" : encodeAbiParameters(declared.inputs, args);
  return port.create(`genesis:${artifact.name}`, `${link(artifact, libraries)}${encoded.slice(2)}`);
}

/** A linked library may itself link others: those come first. */
async function createLibraries(port: GenesisPort, libraries: Map<string, Hex>, user: Artifact): Promise<void> {
  for (const { name, source } of user.libraries) {
    if (libraries.has(name)) continue;
    const artifact = readArtifact(source);
    await createLibraries(port, libraries, artifact);
    libraries.set(name, await port.create(`genesis:${name}`, link(artifact, libraries)));
  }
}

function selectorOf(artifact: Artifact, functionName: string): Hex {
  const item = artifact.abi.filter((candidate) => candidate.type === "function").find(({ name }) => name === functionName);
  if (item === undefined) throw new AgentCityError("UnknownFunction", `${artifact.name} has no function ${functionName}`);
  return toFunctionSelector(item);
}

function entries<Key extends string, Value>(record: Partial<Record<Key, Value>>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][];
}

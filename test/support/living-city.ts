/**
 * A small city on an embedded chain in memory, with everything real: genesis, sender, relayers, offices, adjudicators, producers
 * and verifiers. Keys come from names, so every run is the same.
 */

import { parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deployLaw, type GenesisPort, missionTemplate, publishTemplate, seal, setEnvelopes } from "../../deploy/genesis.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { createSender, type SenderBoundary } from "../../orchestrator/chain/sender.ts";
import { openOffices } from "../../orchestrator/clerks/clerks.ts";
import type { CodifierServices } from "../../orchestrator/clerks/codifier.ts";
import type { LogNote } from "../../orchestrator/client/base.ts";
import { createCityClient } from "../../orchestrator/client/client.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { signAuth } from "../../orchestrator/client/sign/auth.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import type { Boundary } from "../../orchestrator/primitives/boundary.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { bytesToHex, type Hash, type Hex } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { KINDS } from "../../orchestrator/protocol/kinds.ts";
import { OFFICES } from "../../orchestrator/protocol/offices.ts";
import { type CodifierOperation, operationId } from "../../orchestrator/protocol/operations.ts";
import { DEVNET, PARAMETERS, type ParameterName, type ParameterValues, parameterIndex } from "../../orchestrator/protocol/parameters.ts";

export const hashOf = (text: string): Hash => keccak256(bytesToHex(new TextEncoder().encode(text)));
export const keyOf = (name: string) => privateKeyToAccount(hashOf(`agentcity test key ${name}`));
export const tokens = (whole: number): bigint => BigInt(whole) * 1_000_000n;

const STAKE = tokens(20_000);

export interface LivingCityOptions {
  readonly producers?: number;
  readonly principals?: number;
  readonly verifiers?: number;
  readonly parameters?: Partial<ParameterValues>;
  readonly boundary?: Boundary<SenderBoundary>;
  /** False: the deployer is still governor and can change parameters and publish templates. Default true. */
  readonly sealed?: boolean;
}

export async function openLivingCity(options: LivingCityOptions = {}) {
  const chain = await openEmbeddedChain();
  const deployer = devnetAccount(0);
  const relayers = [devnetAccount(1), devnetAccount(2)];
  const outbox = memoryOutbox();
  const notes: LogNote[] = [];
  const sender = createSender<LogNote>({
    chain,
    outbox: {
      ...outbox,
      insert: (rows, added) => {
        notes.push(...added);
        return outbox.insert(rows, []);
      },
    },
    relayers,
    abis: Object.values(contractAbis),
    ...(options.boundary === undefined ? {} : { boundary: options.boundary }),
  });
  const port: GenesisPort = {
    deployer: deployer.address,
    profile: "default",
    async create(step, data) {
      const receipt = await sender.send({ intent: intentKey(step), data, account: deployer, what: step });
      if (receipt.contractAddress == null) throw new Error(`${step} created nothing`);
      return receipt.contractAddress;
    },
    async call(step, to, data) {
      await sender.send({ intent: intentKey(step), to, data, account: deployer, what: step });
    },
  };
  const parameters = { ...DEVNET, ...options.parameters };
  const addresses = await deployLaw(port, {
    mandate: "Serve the humans who sign.",
    mandateDigest: hashOf("mandate"),
    parameters: PARAMETERS.map(({ name }) => parameters[name]),
  });
  await publishTemplate(port, addresses);
  await setEnvelopes(port, addresses);
  const client = createCityClient({ chain, addresses, sender });
  const asDeployer = (step: string) => ({ intent: intentKey("test", step), account: deployer });

  /** A key with gas. */
  async function account(name: string) {
    const key = keyOf(name);
    await sender.send({ intent: intentKey("gas", name), to: key.address, value: parseEther("1"), account: deployer });
    return key;
  }
  async function fund(name: string, spender: Hex, amount: bigint) {
    const key = await account(name);
    await client.token.mint([key.address, amount], asDeployer(`mint ${name}`));
    await client.token.approve([spender, amount], { intent: intentKey("approve", name, spender), account: key });
    return key;
  }

  const clerkAccounts = {
    registrar: await account("registrar"),
    speaker: await account("speaker"),
    regulators: [await account("regulator 1"), await account("regulator 2")],
    codifier: await account("codifier"),
    runner: keyOf("runner"),
  };
  await client.evidence.registerRunner([clerkAccounts.runner.address, keyOf("runner's principal").address], asDeployer("runner"));
  const { registrar, speaker, regulators, codifier } = clerkAccounts;
  for (const [office, clerk] of [
    ["REGISTRAR", registrar],
    ["SPEAKER", speaker],
    ["REGULATOR", regulators[0]],
    ["REGULATOR", regulators[1]],
    ["CODIFIER", codifier],
  ] as const) {
    if (clerk === undefined) continue;
    await client.clerks.appoint(
      [OFFICES[office], clerk.address, keyOf("clerks' principal").address],
      asDeployer(`appoint ${clerk.address}`),
    );
  }
  for (let seat = 1; seat <= 7; seat += 1) {
    const adjudicator = await fund(`adjudicator ${seat}`, addresses.AdjudicatorRoster, tokens(5_000));
    await client.roster.seat([adjudicator.address, keyOf(`adjudicator ${seat}'s principal`).address], asDeployer(`seat ${seat}`));
  }

  async function register(name: string, principalName: string, kind: number, capabilities: bigint) {
    const agent = keyOf(name);
    const principal = keyOf(principalName);
    const did = `did:city:${agent.address.toLowerCase()}`;
    const nonce = await client.agents.nonceOf(principal.address);
    const deadline = Number(chain.clock.now()) + 3_600;
    const message = {
      agent: agent.address,
      principal: principal.address,
      kind,
      did: hashOf(did),
      capabilities,
      stake: STAKE,
      nonce,
      deadline,
    };
    const signatures = await Promise.all([principal, agent].map((key) => signMessage(client, key, "PrincipalBinding", message)));
    await client.agents.register([message, did, signatures[0] ?? "0x", signatures[1] ?? "0x"], { intent: intentKey("register", name) });
    return { account: agent, principal: principal.address };
  }

  const levels = randomStream(7, "capabilities");
  const producers = [];
  for (let index = 0; index < (options.principals ?? 4); index += 1)
    await fund(`principal ${index}`, addresses.ProducerContract, 100n * STAKE);
  for (let index = 0; index < (options.producers ?? 8); index += 1) {
    const capabilities = Array.from({ length: 10 }).reduce<bigint>(
      (word, _, d) => word | (BigInt(36_000 + levels.int(20_000)) << BigInt(16 * d)),
      0n,
    );
    producers.push(await register(`producer ${index}`, `principal ${index % (options.principals ?? 4)}`, KINDS.PRODUCER, capabilities));
  }
  const verifying: Address[] = [];
  for (const index of [0, 1]) await fund(`verifying principal ${index}`, addresses.ProducerContract, 100n * STAKE);
  for (let index = 0; index < (options.verifiers ?? 5); index += 1) {
    const { account: verifier, principal } = await register(`verifier ${index}`, `verifying principal ${index % 2}`, KINDS.VERIFIER, 0n);
    verifying.push(principal);
    await client.evidence.registerVerifier([verifier.address, 100], asDeployer(`verifier ${index}`));
  }

  // The Codifier's mandates: laws are compiled and audited by registered services.
  const [owner] = producers;
  if (owner === undefined) throw new Error("a city needs producers");
  const mandated = async (operation: CodifierOperation) => {
    const record = { codeHash: hashOf(operation), schemaHash: hashOf("schema"), endpoint: `city:${operation}`, constraints: hashOf("") };
    const deadline = Number(chain.clock.now()) + 3_600;
    const auth = await signAuth(client, owner.account, "RegisterService", { agent: owner.account.address, ...record, deadline });
    await client.services.registerService([record.codeHash, record.schemaHash, record.endpoint, record.constraints, auth], {
      intent: intentKey("service", operation),
    });
    const service = await client.services.idOf({ owner: owner.account.address, ...record });
    await client.mandates.setMandate(
      [OFFICES.CODIFIER, operationId(operation), service, true, record.schemaHash],
      asDeployer(`mandate ${operation}`),
    );
    return service;
  };
  const codifierServices = {
    "compile-law": await mandated("compile-law"),
    "audit-codification": await mandated("audit-codification"),
  };
  if (options.sealed !== false) await seal(port, addresses);
  /** Changes the constitution of a city that is not sealed. */
  const amend = (name: ParameterName, value: bigint) =>
    client.constitution.setParam([parameterIndex(name), value, hashOf("test")], asDeployer(`amend ${name} to ${value}`));

  /** Keeps those who verify from being drawn, or lets them, in a city that is not sealed. */
  async function silenceVerifiers(silent: boolean, step: string): Promise<void> {
    for (const principal of new Set(verifying)) {
      await client.evidence.suspend([principal, silent], asDeployer(`${step}: ${silent ? "suspend" : "admit"} ${principal}`));
    }
  }

  /** Publishes the template once more, changed, under the reviewed build's audit hash: only the governor of an unsealed city can. */
  async function publishChanged(name: string, change: (creation: Hex) => Hex): Promise<void> {
    const template = `genesis:${missionTemplate.source.split("/").at(-1)}`;
    const again: GenesisPort = {
      ...port,
      create: (step, data) => (step === template ? port.create(`${name} template`, change(data)) : port.create(step, data)),
      call: (step, to, data) => port.call(`${name} ${step}`, to, data),
    };
    await publishTemplate(again, addresses);
  }

  const sponsor = await account("sponsor");
  await client.token.mint([sponsor.address, tokens(50_000)], asDeployer("mint sponsor"));
  return {
    chain,
    client,
    sender,
    notes,
    clerks: openOffices(client, clerkAccounts, codifierServices),
    /** The same offices where a Codifier's code is no longer what the city was founded with. */
    clerksWith: (changed: Partial<CodifierServices>) => openOffices(client, clerkAccounts, { ...codifierServices, ...changed }),
    sponsor,
    producers,
    parameters,
    amend,
    silenceVerifiers,
    publishChanged,
  };
}

export type LivingCity = Awaited<ReturnType<typeof openLivingCity>>;

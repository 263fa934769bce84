import { keccak256, type LocalAccount, stringToHex } from "viem";
import { signPermit } from "../city/permit.ts";
import type { CityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { RegisteredService } from "../execution/world.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import type { KINDS } from "../protocol/kinds.ts";
import type { CityLink } from "./link.ts";

/** Claimed levels: enough for everything that is asked of a newcomer (0.6 of the scale). */
const CLAIMED = 39_322n;
/** Smallest units of stake that it registers with. */
const STAKE = 10_000_000_000n;
/** Seconds of chain time that a registration's signatures hold. */
const VALIDITY = 86_400;

/** Who registers, and with what. */
export interface Enrolment {
  readonly client: CityClient;
  readonly link: CityLink;
  readonly account: LocalAccount;
  /** Who answers for it and gives its stake; not needed again once it is registered. */
  readonly principal: LocalAccount | undefined;
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly services: readonly RegisteredService[];
  readonly tell: (line: string) => void;
}

/**
 * Registers what is not registered yet, by signatures that the city relays; everything is read back from the chain. Returns who answers
 * for the agent.
 */
export async function enrol(enrolment: Enrolment): Promise<Address> {
  const { client, account, link, services } = enrolment;
  const known = await client.agents.principalOf(account.address);
  if (BigInt(known) === 0n) await register(enrolment);
  const deadline = Number((await client.chain.publicClient.getBlock()).timestamp) + VALIDITY;
  for (const { id, record } of services) {
    if (await client.services.isLive(id)) continue;
    const { owner: agent, ...terms } = record;
    const signature = await signMessage(client, account, "RegisterService", { agent, ...terms, deadline });
    await link.post("/v1/services", { ...terms, deadline, signature });
    if (!(await client.services.isLive(id)))
      throw new AgentCityError("NotRegistered", "The city said that it registered a service, and the chain does not have it");
  }
  return client.agents.principalOf(account.address);
}

async function register({ client, link, account, principal, kind, tell }: Enrolment): Promise<void> {
  if (principal === undefined)
    throw new AgentCityError("PrincipalMissing", "This agent is not registered, and nobody answers for it", {
      action: "add --principal <keystore>",
    });
  if ((await client.token.balanceOf(principal.address)) < STAKE) await link.post("/v1/faucet", { principal: principal.address });
  const deadline = Number((await client.chain.publicClient.getBlock()).timestamp) + VALIDITY;
  const did = `did:pkh:eip155:${client.chain.id}:${account.address}`;
  const capabilities = Array.from({ length: 10 }, (_, place) => CLAIMED << BigInt(16 * place)).reduce((a, b) => a | b);
  const binding = {
    agent: account.address,
    principal: principal.address,
    kind,
    did: keccak256(stringToHex(did)),
    capabilities,
    stake: STAKE,
    nonce: await client.agents.nonceOf(principal.address),
    deadline,
  };
  const [, , value, until, v, r, s] = await signPermit(client, principal, client.agents.address, STAKE, deadline);
  await link.post("/v1/join", {
    binding: { ...binding, capabilities: String(capabilities), stake: String(STAKE), nonce: String(binding.nonce) },
    did,
    byPrincipal: await signMessage(client, principal, "PrincipalBinding", binding),
    byAgent: await signMessage(client, account, "PrincipalBinding", binding),
    permit: { value: String(value), deadline: String(until), v, r, s },
  });
  if ((await client.agents.principalOf(account.address)) !== principal.address)
    throw new AgentCityError("NotRegistered", "The city said that it registered this agent, and the chain does not have it");
  tell(`registered: ${principal.address} answers for it`);
}

import type { LocalAccount } from "viem";
import { bindingText, NEWCOMER_STAKE, newcomerBinding, newcomerDeadline } from "../city/newcomer.ts";
import { signPermit } from "../city/permit.ts";
import type { CityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { RegisteredService } from "../execution/world.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import type { KINDS } from "../protocol/kinds.ts";
import type { CityLink } from "./link.ts";

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
  const deadline = await newcomerDeadline(client);
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
  if ((await client.token.balanceOf(principal.address)) < NEWCOMER_STAKE) await link.post("/v1/faucet", { principal: principal.address });
  const deadline = await newcomerDeadline(client);
  const { did, binding } = await newcomerBinding(client, { agent: account.address, principal: principal.address, kind }, deadline);
  const [, , value, until, v, r, s] = await signPermit(client, principal, client.agents.address, NEWCOMER_STAKE, deadline);
  await link.post("/v1/join", {
    binding: bindingText(binding),
    did,
    byPrincipal: await signMessage(client, principal, "PrincipalBinding", binding),
    byAgent: await signMessage(client, account, "PrincipalBinding", binding),
    permit: { value: String(value), deadline: String(until), v, r, s },
  });
  if ((await client.agents.principalOf(account.address)) !== principal.address)
    throw new AgentCityError("NotRegistered", "The city said that it registered this agent, and the chain does not have it");
  tell(`registered: ${principal.address} answers for it`);
}

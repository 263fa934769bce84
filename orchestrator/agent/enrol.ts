import type { LocalAccount } from "viem";
import { signPermit } from "../city/founding/permit.ts";
import { isSeated, petitionName } from "../city/humans/petitions.ts";
import { bindingText, NEWCOMER_STAKE, newcomerBinding, newcomerDeadline, subAgentBinding } from "../city/missions/newcomer.ts";
import type { CityClient } from "../client/client.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { RegisteredService } from "../execution/world.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import type { KINDS } from "../protocol/kinds.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import type { CityLink } from "./link.ts";

/** An agent about to join a city. */
interface Joining {
  readonly client: CityClient;
  readonly link: CityLink;
  readonly account: LocalAccount;
  /** The principal, which answers for the agent and provides its stake. Not needed once registered. */
  readonly principal: LocalAccount | undefined;
  /** A registered producer that creates the agent in place of a principal. */
  readonly creator?: LocalAccount | undefined;
  readonly progress: (line: string) => void;
}

/** The agent to register, its stake and its services. */
export interface Enrolment extends Joining {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly services: readonly RegisteredService[];
}

/** What an applicant for an office states about itself. */
export interface OfficeTerms {
  readonly office: "issuer" | "verifier";
  /** Evidence classes of an issuer: receipts, re-execution. */
  readonly classes: readonly ("REC" | "ATT")[];
  readonly runtime: string;
  /** How adjudicators reach the owner. */
  readonly contact: string;
  /** Relations to sponsors of this city. */
  readonly relations: string;
}

/** Waits a while. Returns false when the agent should stop. */
export type Waiting = () => Promise<boolean>;

/** The office as the petition names it. */
export function seatOf(account: Address, { office, classes }: OfficeTerms) {
  return {
    account,
    office: office === "issuer" ? (1 as const) : (2 as const),
    classes: classes.reduce((bits, name) => bits | (1 << EvidenceClass[name]), 0),
  };
}

/**
 * Petitions the adjudicators for an office and waits until they grant it (decision 103). Returns false if stopped before. The petition is
 * signed once and resubmitted whenever the city does not have it.
 */
export async function petition(joining: Joining, terms: OfficeTerms, wait: Waiting): Promise<boolean> {
  const { client, link, account, principal, progress } = joining;
  const known = seatOf(account.address, terms);
  const seated = () => isSeated(client, known);
  if (await seated()) return true;
  if (principal === undefined) throw new PrincipalMissing("This account has no office, and nobody answers for its petition");
  const { runtime, contact, relations } = terms;
  const message = { ...known, principal: principal.address, runtime, contact, relations, deadline: await newcomerDeadline(client) };
  const request = {
    petition: message,
    byAccount: await signSessionMessage(client, account, "OfficePetition", message),
    byPrincipal: await signSessionMessage(client, principal, "OfficePetition", message),
  };
  await link.post("/v1/petitions", request);
  progress(`PETITIONED: ${petitionName(request)} waits until two adjudicators seat it as ${terms.office}`);
  while (!(await seated())) if (!(await wait())) return false;
  progress(`seated as ${terms.office}`);
  return true;
}

class PrincipalMissing extends AgentCityError {
  constructor(what: string) {
    super("PrincipalMissing", what, { action: "add --principal <keystore>" });
  }
}

/**
 * Registers the agent and its services where they are not registered yet, by signatures that the city relays; every step is read back from
 * the chain. Returns the agent's principal.
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

async function register({ client, link, account, principal, creator, kind, progress }: Enrolment): Promise<void> {
  const giver = creator ?? principal;
  if (giver === undefined) throw new PrincipalMissing("This agent is not registered, and nobody answers for it");
  if ((await client.token.balanceOf(giver.address)) < NEWCOMER_STAKE) await link.post("/v1/faucet", { principal: giver.address });
  const deadline = await newcomerDeadline(client);
  const [, , value, until, v, r, s] = await signPermit(client, giver, client.agents.address, NEWCOMER_STAKE, deadline);
  const permit = { value: String(value), deadline: String(until), v, r, s };
  const agent = account.address;
  if (creator === undefined) {
    const { did, binding } = await newcomerBinding(client, { agent, principal: giver.address, kind }, deadline);
    const byPrincipal = await signMessage(client, giver, "PrincipalBinding", binding);
    const byAgent = await signMessage(client, account, "PrincipalBinding", binding);
    await link.post("/v1/join", { binding: bindingText(binding), did, byPrincipal, byAgent, permit });
  } else {
    const { did, binding } = await subAgentBinding(client, { agent, creator: giver.address }, deadline);
    const byCreator = await signMessage(client, giver, "SubAgentBinding", binding);
    const byAgent = await signMessage(client, account, "SubAgentBinding", binding);
    await link.post("/v1/sub-agents", { binding: bindingText(binding), did, byCreator, byAgent, permit });
  }
  const answers = creator === undefined ? giver.address : await client.agents.principalOf(creator.address);
  if (BigInt(answers) === 0n || (await client.agents.principalOf(agent)) !== answers)
    throw new AgentCityError("NotRegistered", "The city said that it registered this agent, and the chain does not have it");
  progress(`registered: ${answers} answers for it`);
}

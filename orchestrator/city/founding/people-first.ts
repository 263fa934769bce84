import type { GenesisPlan } from "../../../deploy/plan.ts";
import type { CityClient } from "../../client/client.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import { KINDS } from "../../protocol/kinds.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import { serviceIdOf } from "../../rules/admissions.ts";
import type { CodifierService } from "./codifier-services.ts";

/** Genesis waits for people: their keys are theirs. */
export class PeopleFirst extends AgentCityError {
  constructor(acts: readonly string[]) {
    super("PeopleFirst", `Genesis waits for ${acts.length} ${acts.length === 1 ? "act" : "acts"} that only their owners can sign`, {
      details: acts.join("\n"),
      action: "have them done, then run the same command again to continue from here",
    });
  }
}

export function requireDone(acts: readonly string[]): void {
  if (acts.length > 0) throw new PeopleFirst(acts);
}

/** On-chain acts still missing before the offices can be filled: one sentence each, with the required call. */
export async function pendingActs(
  client: CityClient,
  plan: GenesisPlan,
  deployer: Address,
  services: readonly CodifierService[],
): Promise<readonly string[]> {
  const acts: string[] = [];
  const { token, roster, agents, evidence, treasury } = client;
  const stake = await client.constitution.paramInUnits(parameterIndex("ADJUDICATOR_STAKE"));
  for (const { adjudicator } of plan.seats) {
    if (await roster.isActive(adjudicator)) continue;
    if ((await token.balanceOf(adjudicator)) < stake) acts.push(`${adjudicator} holds less than its stake, ${formatMoney(stake)}`);
    else if ((await token.allowance(adjudicator, roster.address)) < stake)
      acts.push(`${adjudicator} calls ${token.address} approve(${roster.address}, ${stake}): its stake as an adjudicator`);
  }
  for (const { operation, record } of services) {
    const { owner, codeHash, schemaHash, endpoint, constraints } = record;
    if ((await client.services.ownerOf(serviceIdOf(record))) === owner) continue;
    acts.push(
      `${owner} signs registerService(${codeHash}, ${schemaHash}, "${endpoint}", ${constraints}) for ${client.services.address}: ` +
        `${operation} (or run with AGENTCITY_CODIFIER_KEY)`,
    );
  }
  for (const { address } of plan.verifiers) {
    if ((await evidence.weightOf(address)) === 0 && !(await agents.isEligible(address, KINDS.VERIFIER)))
      acts.push(`${address} and its principal register it as a verifier with ${agents.address}`);
  }
  const { free, insurance } = plan.treasury;
  const seed = free + insurance - (await treasury.freeBalance()) - (await treasury.insuranceBalance());
  if (seed > 0n && (await token.balanceOf(deployer)) < seed)
    acts.push(`send the deployer ${deployer} ${formatMoney(seed)} for the treasury to start with`);
  return acts;
}

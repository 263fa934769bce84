import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { type ContractName, contractAbis } from "../client/contracts.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { selectorIn } from "../primitives/selectors.ts";
import { OFFICES, type OfficeName } from "../protocol/offices.ts";

/** The account does not hold the office, or the office's envelope does not list the act. */
export class OutsideEnvelope extends AgentCityError {
  constructor(office: OfficeName, clerk: Address, act: string) {
    super("OutsideEnvelope", `The ${office.toLowerCase()} may not ${act}`, {
      details: clerk,
      action: "the adjudicators appoint clerks and set envelopes",
    });
  }
}

/** A clerk refuses to sign something that is not as it should be. */
export class ClerkRefuses extends AgentCityError {
  constructor(office: OfficeName, reason: string) {
    super("ClerkRefuses", `The ${office.toLowerCase()} does not sign: ${reason}`);
  }
}

/** The holder of an office. The methods of its subclasses are all it can do, and each checks the on-chain envelope first. */
export abstract class Clerk {
  readonly office: OfficeName;
  protected readonly client: CityClient;
  protected readonly account: LocalAccount;

  constructor(office: OfficeName, client: CityClient, account: LocalAccount) {
    this.office = office;
    this.client = client;
    this.account = account;
  }

  get address(): Address {
    return this.account.address;
  }

  /** Throws OutsideEnvelope unless this account holds the office: for statements that no contract consumes. */
  protected async requireOffice(act: string): Promise<void> {
    if (!(await this.client.clerks.isClerk(OFFICES[this.office], this.address))) throw new OutsideEnvelope(this.office, this.address, act);
  }

  /** Throws OutsideEnvelope unless this clerk's office permits the function. Signatures count as calls. */
  protected async requirePermitted(contract: ContractName, functionName: string): Promise<void> {
    if (!(await this.isPermitted(contract, functionName))) throw new OutsideEnvelope(this.office, this.address, functionName);
  }

  /** Whether this account holds the office, and the office's envelope lists the function. */
  protected async isPermitted(contract: ContractName, functionName: string): Promise<boolean> {
    const office = OFFICES[this.office];
    const selector = selectorIn(contractAbis[contract], functionName);
    if (selector === undefined || !(await this.client.clerks.isClerk(office, this.address))) return false;
    return this.client.clerks.isPermitted(office, selector);
  }
}

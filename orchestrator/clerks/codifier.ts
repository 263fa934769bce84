import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { recompileLaw } from "../client/compile-law.ts";
import { type SessionMessage, signSessionMessage } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { WriteOptions } from "../client/write.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { OFFICES } from "../protocol/offices.ts";
import { CODIFIER_OPERATIONS, type CodifierOperation, OPERATION_SOURCES, operationId } from "../protocol/operations.ts";
import { Clerk } from "./clerk.ts";

/**
 * A city's laws are compiled and audited by the code it was founded with. This checkout has other code, so no session can end with a law.
 */
export class LawCodeChanged extends AgentCityError {
  readonly operations: readonly CodifierOperation[];
  constructor(changed: readonly { readonly name: CodifierOperation; readonly required: Hash; readonly given: Hash }[]) {
    const facts = changed.map(
      ({ name, required, given }) =>
        `${name}: ${OPERATION_SOURCES[name]}, or a file that it imports, has changed (service ${given}, required ${required})`,
    );
    super("LawCodeChanged", "This city's laws must be made by the code that it was founded with, and that code has changed since", {
      details: [...facts, "this is fixed at genesis; services that carry out tasks may change at any time"].join("\n"),
      action:
        "undo the change or check out the version of AgentCity that founded this city, and run the command again: nothing is lost. Or start another city: `start` moves this one aside, and AGENTCITY_HOME names another folder",
    });
    this.operations = changed.map(({ name }) => name);
  }
}

/** A specification signed by the Codifier. */
export interface SignedSpecification extends SessionMessage<"CodedContractSpecification"> {
  readonly signature: Hex;
}

type Options = Omit<WriteOptions, "account">;

/** Validity of a runner's signature, seconds of chain time. */
const VALIDITY = 3_600n;

/** Ids of the services for the operations in this checkout: each commits to the hash of its code. */
export type CodifierServices = Readonly<Record<CodifierOperation, Hash>>;

/** Turns the winning document into law by delegated operations; it has no say in the law's content. */
export class Codifier extends Clerk {
  readonly #services: CodifierServices;
  readonly #runner: LocalAccount;

  /** @param runner runs the services, and signs their results */
  constructor(client: CityClient, account: LocalAccount, services: CodifierServices, runner: LocalAccount) {
    super("CODIFIER", client, account);
    this.#services = services;
    this.#runner = runner;
  }

  /** Operations that must have been delegated before `codify`, in the order `codify` names them. */
  operations(): Promise<readonly Hash[]> {
    return this.client.mandates.operationsOf(OFFICES.CODIFIER);
  }

  /** Throws LawCodeChanged if an operation's service here is not the one its mandate names. */
  async requireMandated(): Promise<void> {
    const services = CODIFIER_OPERATIONS.map(async (name) => {
      const { service: required } = await this.client.mandates.mandateOf(operationId(name));
      return { name, required, given: this.#services[name] };
    });
    const changed = (await Promise.all(services)).filter(({ required, given }) => required !== given);
    if (changed.length > 0) throw new LawCodeChanged(changed);
  }

  /** Delegates an operation on a spec to its service here; returns the delegation's id. The chain refuses any service but the mandate's. */
  async delegate(session: bigint, name: CodifierOperation, specHash: Hash, options: Options): Promise<Hash> {
    await this.requirePermitted("ManagementContract", "delegate");
    const operation = operationId(name);
    await this.client.mandates.delegate([session, operation, this.#services[name], specHash], { ...options, account: this.account });
    return this.client.mandates.delegationId(session, operation, specHash);
  }

  /** Records the result of a delegation, signed by its runner. */
  async record(delegation: Hash, outputHash: Hash, intermediateHash: Hash, options: Options): Promise<void> {
    await this.requirePermitted("ManagementContract", "recordResult");
    const deadline = Number(this.client.chain.clock.now() + VALIDITY);
    const { address: runner } = this.#runner;
    const message = { runner, delegation, outputHash, intermediateHash, deadline };
    const signature = await signMessage(this.client, this.#runner, "DelegationResult", message);
    const auth = { agent: runner, deadline, signature };
    await this.client.mandates.recordResult([delegation, outputHash, intermediateHash, auth], { ...options, account: this.account });
  }

  /** Signs the specification of the winning law: MSG_TYPE_6, which the other offices check before they sign. */
  async specify(session: bigint, documentBytes: Uint8Array): Promise<SignedSpecification> {
    await this.requirePermitted("LegislativeProcedure", "codify");
    const { specHash, lawHash, docHash } = recompileLaw(documentBytes);
    const { rules } = await this.client.legislation.sessionOf(session);
    const { implementation: template } = await this.client.templates.templateOf(await this.client.legislation.template(), rules.template);
    const message = { session, codifier: this.address, specHash, lawHash, docHash, template };
    return { ...message, signature: await signSessionMessage(this.client, this.account, "CodedContractSpecification", message) };
  }

  async codify(session: bigint, delegations: readonly Hash[], options: Options): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "codify");
    await this.client.legislation.codify([session, delegations], { ...options, account: this.account });
  }
}

import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { recompileLaw } from "../client/compile-law.ts";
import { type SessionMessage, signSessionMessage } from "../client/sign/session-message.ts";
import type { WriteOptions } from "../client/write.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { OFFICES } from "../protocol/offices.ts";
import { type CodifierOperation, operationId } from "../protocol/operations.ts";
import { Clerk } from "./clerk.ts";

/** A specification under the Codifier's name. */
export interface SignedSpecification extends SessionMessage<"CodedContractSpecification"> {
  readonly signature: Hex;
}

type Options = Omit<WriteOptions, "account">;

/** Ids of the services that do the operations here: each commits to the hash of its code. */
export type CodifierServices = Readonly<Record<CodifierOperation, Hash>>;

/** Turns the winning document into law by delegated operations; it has no say in what the law is. */
export class Codifier extends Clerk {
  readonly #services: CodifierServices;

  constructor(client: CityClient, account: LocalAccount, services: CodifierServices) {
    super("CODIFIER", client, account);
    this.#services = services;
  }

  /** Operations that must have been delegated before `codify`, in the order `codify` names them. */
  operations(): Promise<readonly Hash[]> {
    return this.client.mandates.operationsOf(OFFICES.CODIFIER);
  }

  /** Opens a delegation of an operation on a spec to what does it here; returns its id. The chain refuses any but the mandate's. */
  async delegate(session: bigint, name: CodifierOperation, specHash: Hash, options: Options): Promise<Hash> {
    await this.requirePermitted("ManagementContract", "delegate");
    const operation = operationId(name);
    await this.client.mandates.delegate([session, operation, this.#services[name], specHash], { ...options, account: this.account });
    return this.client.mandates.delegationId(session, operation, specHash);
  }

  async record(delegation: Hash, output: Hash, intermediate: Hash, options: Options): Promise<void> {
    await this.requirePermitted("ManagementContract", "recordResult");
    await this.client.mandates.recordResult([delegation, output, intermediate], { ...options, account: this.account });
  }

  /** Puts its name under what it made of the law that won: MSG_TYPE_6, which the other offices check before they sign. */
  async specify(session: bigint, documentBytes: Uint8Array): Promise<SignedSpecification> {
    await this.requirePermitted("LegislativeProcedure", "codify");
    const { specHash, lawHash, docHash } = recompileLaw(documentBytes);
    const { rules } = await this.client.legislation.sessionOf(session);
    const { implementation: template } = await this.client.templates.templateOf(await this.client.legislation.template(), rules.template);
    const message = { session, codifier: this.address, specHash, lawHash, docHash, template };
    return { ...message, signature: await signSessionMessage(this.client.chain.id, this.account, "CodedContractSpecification", message) };
  }

  async codify(session: bigint, delegations: readonly Hash[], options: Options): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "codify");
    await this.client.legislation.codify([session, delegations], { ...options, account: this.account });
  }
}

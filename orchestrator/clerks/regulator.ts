import type { LocalAccount } from "viem";
import type { AgentCityClient } from "../client/client.ts";
import type { Auth } from "../client/sign/auth.ts";
import { type SessionMessage, signSessionMessage } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { type Approval, signApproval } from "./approval.ts";
import { Clerk } from "./clerk.ts";

/** A briefing's digest under a Regulator's name. */
export interface Published extends SessionMessage<"EvidenceBriefing"> {
  readonly signature: Hex;
}

/** Publishes what a debate may rest on, co-signs laws, and may close a market early. */
export class Regulator extends Clerk {
  constructor(client: AgentCityClient, account: LocalAccount) {
    super("REGULATOR", client, account);
  }

  /** Puts its name under the facts that a debate begins with. */
  async publish(session: bigint, content: Hash): Promise<Published> {
    await this.requireOffice("publish evidence");
    const message = { session, regulator: this.address, content };
    return { ...message, signature: await signSessionMessage(this.client.chain.id, this.account, "EvidenceBriefing", message) };
  }

  /** Signs only what the ballot chose and the document says. */
  async approve(session: bigint, documentBytes: Uint8Array): Promise<Approval> {
    await this.requirePermitted("LegislativeProcedure", "approve");
    return signApproval(this.client, this.account, "REGULATOR", session, documentBytes);
  }

  /** Signs, once, that these nodes, all in this attempt, may be awarded before their window ends (decision 15). */
  async awardEarly(mission: Address, nodes: readonly number[], attempt: number, deadline: number): Promise<Auth> {
    await this.requirePermitted("ExecutionProcedure", "awardEarly");
    const bitmap = nodes.reduce((bits, node) => bits | (1n << BigInt(node)), 0n);
    const nonce = await this.client.execution.nonceOf(this.address);
    const message = { regulator: this.address, mission, nodes: bitmap, attempt, nonce, deadline };
    return { agent: this.address, deadline, signature: await signMessage(this.client, this.account, "AwardDecision", message) };
  }
}

import type { LocalAccount } from "viem";
import type { AgentCityClient } from "../client/client.ts";
import type { Auth } from "../client/sign/auth.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { Address } from "../primitives/hex.ts";
import { type Approval, signApproval } from "./approval.ts";
import { Clerk } from "./clerk.ts";

/** Co-signs laws, and may close a market early. */
export class Regulator extends Clerk {
  constructor(client: AgentCityClient, account: LocalAccount) {
    super("REGULATOR", client, account);
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

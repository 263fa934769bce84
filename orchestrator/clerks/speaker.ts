import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import type { WriteOptions } from "../client/write.ts";
import { type Approval, signApproval } from "./approval.ts";
import { Clerk } from "./clerk.ts";

/** Opens the debate and the vote, and puts the first name under an approved law. */
export class Speaker extends Clerk {
  constructor(client: CityClient, account: LocalAccount) {
    super("SPEAKER", client, account);
  }

  async openDebate(session: bigint, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "openDebate");
    await this.client.legislation.openDebate([session], { ...options, account: this.account });
  }

  async openVoting(session: bigint, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "openVoting");
    await this.client.legislation.openVoting([session], { ...options, account: this.account });
  }

  /** Signs only what the ballot chose and the document says. */
  async approve(session: bigint, documentBytes: Uint8Array): Promise<Approval> {
    await this.requirePermitted("LegislativeProcedure", "approve");
    return signApproval(this.client, this.account, "SPEAKER", session, documentBytes);
  }
}

import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import type { WriteOptions } from "../client/write.ts";
import type { Hash } from "../primitives/hex.ts";
import { type Approval, signApproval } from "./approval.ts";
import { Clerk } from "./clerk.ts";

/** Opens the debate and the vote, drafts a law if no other found sponsors, and signs an approved law first. */
export class Speaker extends Clerk {
  constructor(client: CityClient, account: LocalAccount) {
    super("SPEAKER", client, account);
  }

  /** Whether its envelope permits drafting: a city may have been founded without. */
  mayDraft(): Promise<boolean> {
    return this.isPermitted("LegislativeProcedure", "draft");
  }

  async draft(session: bigint, specHash: Hash, cid: Hash, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "draft");
    await this.client.legislation.draft([session, specHash, cid], { ...options, account: this.account });
  }

  async openDebate(session: bigint, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "openDebate");
    await this.client.legislation.openDebate([session], { ...options, account: this.account });
  }

  async openVoting(session: bigint, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "openVoting");
    await this.client.legislation.openVoting([session], { ...options, account: this.account });
  }

  /** Signs only if the document matches the ballot's choice. */
  async approve(session: bigint, documentBytes: Uint8Array): Promise<Approval> {
    await this.requirePermitted("LegislativeProcedure", "approve");
    return signApproval(this.client, this.account, "SPEAKER", session, documentBytes);
  }
}

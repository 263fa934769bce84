import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { recordedBallots } from "../client/recorded-ballots.ts";
import type { Auth } from "../client/sign/auth.ts";
import { type SessionMessage, signSessionMessage } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { WriteOptions } from "../client/write.ts";
import { bitmapOf } from "../primitives/bitmap.ts";
import type { Address, Hash, Hex, IntentKey } from "../primitives/hex.ts";
import { type Approval, signApproval } from "./approval.ts";
import { blocsAmong, type FoundBloc } from "./blocs.ts";
import { Clerk } from "./clerk.ts";

/** Voters that one call can show to be alike: the leader and as many members as the contract accepts. */
const MAX_MEMBERS = 64;

/** Seconds. */
const DAY = 86_400n;

/** A briefing's digest signed by a Regulator. */
export interface Published extends SessionMessage<"EvidenceBriefing"> {
  readonly signature: Hex;
}

/** Publishes the facts of a debate, co-signs laws, flags voters who ranked alike, and may close a market early. */
export class Regulator extends Clerk {
  constructor(client: CityClient, account: LocalAccount) {
    super("REGULATOR", client, account);
  }

  /** Signs the facts with which a debate begins. */
  async publish(session: bigint, content: Hash): Promise<Published> {
    await this.requireOffice("publish evidence");
    const message = { session, regulator: this.address, content };
    return { ...message, signature: await signSessionMessage(this.client, this.account, "EvidenceBriefing", message) };
  }

  /** Signs only if the document matches the ballot's choice. */
  async approve(session: bigint, documentBytes: Uint8Array): Promise<Approval> {
    await this.requirePermitted("LegislativeProcedure", "approve");
    return signApproval(this.client, this.account, "REGULATOR", session, documentBytes);
  }

  /** Blocs among the rankings recorded on chain, by the thresholds that were in force when the session opened. */
  async findBlocs(session: bigint): Promise<readonly FoundBloc[]> {
    const { ballotSize, rules } = await this.client.legislation.sessionOf(session);
    return blocsAmong(await recordedBallots(this.client, session), ballotSize, rules);
  }

  /** Flags a bloc on chain; the contract compares the rankings again. `optionsOf` names the step that starts with a given member. */
  async flag(session: bigint, { leader, members }: FoundBloc, optionsOf: (first: number) => Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "flagBloc");
    for (let first = 0; first < members.length; first += MAX_MEMBERS) {
      const shown = members.slice(first, first + MAX_MEMBERS);
      await this.client.legislation.flagBloc([session, leader, shown], { ...optionsOf(first), account: this.account });
    }
  }

  /**
   * Posts the digest of all passports, and updates weights accordingly (decision 82). Leaves out verifiers that the chain would refuse:
   * those of its own principal, and those updated today.
   */
  async postPassports(
    passports: Hash,
    wanted: readonly { readonly verifier: Address; readonly weight: number }[],
    intent: IntentKey,
  ): Promise<void> {
    await this.requirePermitted("EvidenceRegistry", "postPassports");
    const { evidence, agents } = this.client;
    const house = await agents.principalOf(this.address);
    const day = this.client.chain.clock.now() / DAY;
    const posted = await evidence.history("PassportsPosted");
    const due: { readonly verifier: Address; readonly weight: number }[] = [];
    for (const each of wanted) {
      if ((await evidence.principalOf(each.verifier)) === house) continue;
      const last = posted.findLast(({ args }) => args.verifiers.includes(each.verifier));
      const block = last === undefined ? undefined : await this.client.chain.publicClient.getBlock({ blockNumber: last.blockNumber });
      if (block === undefined || block.timestamp / DAY < day) due.push(each);
    }
    const lists = [due.map(({ verifier }) => verifier), due.map(({ weight }) => weight)] as const;
    await evidence.postPassports([passports, ...lists], { intent, account: this.account });
  }

  /** Signs, once, that these nodes, all in this attempt, may be awarded before their window ends (decision 15). */
  async awardEarly(mission: Address, nodes: readonly number[], attempt: number, deadline: number): Promise<Auth> {
    await this.requirePermitted("ExecutionProcedure", "awardEarly");
    const bitmap = bitmapOf(nodes);
    const nonce = await this.client.execution.nonceOf(this.address);
    const message = { regulator: this.address, mission, nodes: bitmap, attempt, nonce, deadline };
    return { agent: this.address, deadline, signature: await signMessage(this.client, this.account, "AwardDecision", message) };
  }
}

import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { readMany } from "../client/read.ts";
import { isSessionMessageBy, type SessionMessage, sessionDigest, signSessionMessage } from "../client/sign/session-message.ts";
import type { WriteOptions } from "../client/write.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { zip } from "../primitives/lists.ts";
import { flawOf } from "../protocol/seven-messages.ts";
import { merkleRoot } from "../rules/ordered-merkle.ts";
import { Clerk } from "./clerk.ts";

/** An attestation with its signature. */
export interface SignedAttestation extends SessionMessage<"IdentityAttestation"> {
  readonly signature: Hex;
}

/** The Registrar's request with its signature. */
export interface SignedRequest extends SessionMessage<"IdentityVerificationRequest"> {
  readonly signature: Hex;
}

/** Asks who takes part, checks the answers against the chain, and opens a session's proposing stage (AgentCity 3.4, B.10). */
export class Registrar extends Clerk {
  constructor(client: CityClient, account: LocalAccount) {
    super("REGISTRAR", client, account);
  }

  /**
   * Asks every participant of a session to identify itself. The nonce is the hash of the block in which the session opened, so that no
   * answer can be prepared earlier.
   */
  async request(session: bigint): Promise<SignedRequest> {
    await this.requirePermitted("LegislativeProcedure", "confirmIdentities");
    const { legislation, chain } = this.client;
    const { openedBlock, deadline, rules } = await legislation.sessionOf(session);
    const { hash: nonce } = await chain.publicClient.getBlock({ blockNumber: BigInt(openedBlock) });
    const message = { session, registrar: this.address, nonce, minReputation: rules.reputationFloor, deadline };
    return { ...message, signature: await signSessionMessage(this.client, this.account, "IdentityVerificationRequest", message) };
  }

  /** The violation of each answer, by the message's predicate and the chain; null if the agent takes part. */
  async check(
    attestations: readonly SignedAttestation[],
    request: SessionMessage<"IdentityVerificationRequest">,
  ): Promise<readonly (string | null)[]> {
    const { openedBlock, rules } = await this.client.legislation.sessionOf(request.session);
    const of = { contract: "ProducerContract", args: attestations.map(({ agent }) => [agent] as const) } as const;
    const electors = attestations.map(({ agent }) => [agent, BigInt(openedBlock), BigInt(rules.reputationFloor)] as const);
    const [agents, reputations, votes] = await Promise.all([
      readMany(this.client, { ...of, functionName: "agentOf" }),
      readMany(this.client, { ...of, functionName: "reputationOf" }),
      readMany(this.client, { ...of, functionName: "electorOf", args: electors }),
    ]);
    const checked = zip(attestations, agents, reputations, votes).map(
      async ([{ signature, ...message }, { kind, principal, registeredBlock }, reputation, [eligible]]) => {
        if (!(await isSessionMessageBy(this.client, message.agent, "IdentityAttestation", message, signature))) return "signature";
        const facts = { request, kind, principal, reputation: Number(reputation), registeredBlock, openedBlock, eligible };
        return flawOf("IdentityAttestation", message, facts);
      },
    );
    return Promise.all(checked);
  }

  /** One hash for all attestations, in the order given. */
  rootOf(attestations: readonly SignedAttestation[]): Hash {
    return merkleRoot(attestations.map(({ signature: _, ...message }) => sessionDigest(this.client, "IdentityAttestation", message)));
  }

  async confirm(session: bigint, root: Hash, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "confirmIdentities");
    await this.client.legislation.confirmIdentities([session, root], { ...options, account: this.account });
  }
}

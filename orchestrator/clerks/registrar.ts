import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { isSessionMessageBy, type SessionMessage, sessionDigest, signSessionMessage } from "../client/sign/session-message.ts";
import type { WriteOptions } from "../client/write.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
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

  /** The violation of an answer, by the message's predicate and the chain; null if the agent takes part. */
  async check(attestation: SignedAttestation, request: SessionMessage<"IdentityVerificationRequest">): Promise<string | null> {
    const { agents, legislation } = this.client;
    const { signature, ...message } = attestation;
    if (!(await isSessionMessageBy(this.client, message.agent, "IdentityAttestation", message, signature))) return "signature";
    const { kind, principal, registeredBlock } = await agents.agentOf(message.agent);
    const { openedBlock, rules } = await legislation.sessionOf(message.session);
    const reputation = Number(await agents.reputationOf(message.agent));
    const [eligible] = await agents.electorOf(message.agent, BigInt(openedBlock), BigInt(rules.reputationFloor));
    return flawOf("IdentityAttestation", message, { request, kind, principal, reputation, registeredBlock, openedBlock, eligible });
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

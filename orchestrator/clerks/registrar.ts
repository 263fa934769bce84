import type { LocalAccount } from "viem";
import type { AgentCityClient } from "../client/client.ts";
import { isSessionMessageBy, type SessionMessage, sessionDigest } from "../client/sign/session-message.ts";
import type { WriteOptions } from "../client/write.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { merkleRoot } from "../rules/ordered-merkle.ts";
import { Clerk } from "./clerk.ts";

/** A producer's `Kind` on chain. */
const PRODUCER = 1;

/** An attestation with its signature. */
export interface SignedAttestation extends SessionMessage<"IdentityAttestation"> {
  readonly signature: Hex;
}

/** Why an agent does not take part; null: it does. */
export type IdentityFlaw = "signature" | "kind" | "principal" | "reputation" | "registered too late" | "not eligible" | null;

/** Checks identities against the chain and opens a session's proposing stage (AgentCity 3.4). */
export class Registrar extends Clerk {
  constructor(client: AgentCityClient, account: LocalAccount) {
    super("REGISTRAR", client, account);
  }

  /** Compares what an agent attests with what the chain says about it. */
  async check(attestation: SignedAttestation): Promise<IdentityFlaw> {
    const { agents, legislation, chain } = this.client;
    const { signature, ...message } = attestation;
    if (!(await isSessionMessageBy(chain.id, message.agent, "IdentityAttestation", message, signature))) return "signature";
    const record = await agents.agentOf(message.agent);
    const session = await legislation.sessionOf(message.session);
    if (record.kind !== PRODUCER) return "kind";
    if (record.principal !== message.principal) return "principal";
    if (BigInt(message.reputation) !== (await agents.reputationOf(message.agent))) return "reputation";
    if (record.registeredBlock >= session.openedBlock) return "registered too late";
    return (await agents.isEligible(message.agent, PRODUCER)) ? null : "not eligible";
  }

  /** One hash for all attestations, in the order given. */
  rootOf(attestations: readonly SignedAttestation[]): Hash {
    return merkleRoot(
      attestations.map(({ signature: _, ...message }) => sessionDigest(this.client.chain.id, "IdentityAttestation", message)),
    );
  }

  async confirm(session: bigint, root: Hash, options: Omit<WriteOptions, "account">): Promise<void> {
    await this.requirePermitted("LegislativeProcedure", "confirmIdentities");
    await this.client.legislation.confirmIdentities([session, root], { ...options, account: this.account });
  }
}

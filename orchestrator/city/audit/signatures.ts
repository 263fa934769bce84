import { orderDigest } from "../../client/sign/order.ts";
import { type Message, messageDigest } from "../../client/sign/sign-message.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import type { OverrideAction } from "../../protocol/acts.ts";
import type { MessageName } from "../../protocol/typed-data.ts";
import type { ChainContext } from "./context.ts";

/** Whether this account signed this message for this chain and this contract (EIP-712). */
export function isSignedBy<Name extends MessageName>(
  { client, mission }: Pick<ChainContext, "client" | "mission">,
  signer: Address,
  name: Name,
  message: Message<Name>,
  signature: Hex,
): Promise<boolean> {
  return isOver(() => messageDigest(client, name, message, mission), signer, signature);
}

/**
 * Whether this adjudicator signed this order, of its act's own type. Adjudicators may be contract wallets (ERC-1271), and what such a wallet
 * accepts may change: that the chain took the order is the proof.
 */
export async function isOrderSignedBy(
  { client }: Pick<ChainContext, "client">,
  signer: Address,
  order: OverrideAction,
  signature: Hex,
): Promise<boolean> {
  return (await isOver(() => orderDigest(client, order), signer, signature)) || hasCode(client, signer);
}

/** Whether this party appealed: by key, or as the caller. Sponsors may be contract wallets, as above. */
export async function isAppealOf(
  context: Pick<ChainContext, "client" | "mission">,
  sender: Address,
  appeal: Message<"Appeal">,
  signature: Hex,
): Promise<boolean> {
  const { appellant } = appeal;
  return (await isAuthorised(context, appellant, sender, "Appeal", appeal, signature)) || hasCode(context.client, appellant);
}

async function hasCode({ chain }: ChainContext["client"], account: Address): Promise<boolean> {
  return (await chain.publicClient.getCode({ address: account })) !== undefined;
}

async function isOver(digest: () => Hash, signer: Address, signature: Hex): Promise<boolean> {
  try {
    const signedBy = await recoverAddress({ hash: digest(), signature });
    return signedBy.toLowerCase() === signer.toLowerCase();
  } catch {
    // Not the form of a signature, or of an act, at all.
    return false;
  }
}

/** The same, where an empty signature says that the signer itself sent the call. */
export function isAuthorised<Name extends MessageName>(
  context: Pick<ChainContext, "client" | "mission">,
  signer: Address,
  sender: Address,
  name: Name,
  message: Message<Name>,
  signature: Hex,
): Promise<boolean> {
  if (signature === "0x") return Promise.resolve(sender.toLowerCase() === signer.toLowerCase());
  return isSignedBy(context, signer, name, message, signature);
}

/** Whether one of the city's relayers sent it: whatever signers, or others for them, send by themselves was never handed in to the city. */
export function isSentByCity({ nameOf }: Pick<ChainContext, "nameOf">, from: Address | undefined): boolean {
  return from !== undefined && nameOf(from).startsWith("relayer-");
}

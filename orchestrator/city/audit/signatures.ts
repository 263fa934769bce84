import { recoverAddress } from "viem";
import { type Message, messageDigest } from "../../client/sign/sign-message.ts";
import type { Address, Hex } from "../../primitives/hex.ts";
import type { MessageName } from "../../protocol/typed-data.ts";
import type { ChainContext } from "./context.ts";

/** Whether this account signed this message for this chain and this contract (EIP-712). */
export async function isSignedBy<Name extends MessageName>(
  { client, mission }: Pick<ChainContext, "client" | "mission">,
  signer: Address,
  name: Name,
  message: Message<Name>,
  signature: Hex,
): Promise<boolean> {
  try {
    const signedBy = await recoverAddress({ hash: messageDigest(client, name, message, mission), signature });
    return signedBy.toLowerCase() === signer.toLowerCase();
  } catch {
    // Not the form of a signature at all.
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

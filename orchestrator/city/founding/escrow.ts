import { readArtifact } from "../../../deploy/artifacts.ts";
import { DEVNET_CHAIN_ID } from "../../chain/devnet.ts";
import { intentKey } from "../../chain/outbox.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address } from "../../primitives/hex.ts";
import type { City } from "../city.ts";
import { memberOf } from "./society.ts";

/**
 * A devnet's `AgreementEscrow`, deployed on first use: nobody owns it, so it is no part of genesis. Undefined on networks, where whoever
 * wants one deploys it.
 */
export async function devnetEscrow({ chain, sender, society }: City): Promise<Address | undefined> {
  if (chain.id !== DEVNET_CHAIN_ID) return undefined;
  const { bytecode } = readArtifact("agreements/AgreementEscrow");
  const { account } = memberOf(society, "deployer");
  const intent = intentKey("agreements", "escrow");
  const { contractAddress } = await sender.send({ intent, data: bytecode, account, what: "deploy AgreementEscrow" });
  return addressSchema.parse(contractAddress);
}

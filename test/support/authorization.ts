/** What a payer signs for the city's token (EIP-3009), as its calls take it. */
import { Signature, type Wallet } from "ethers";
import type { CityToken } from "../../artifacts/typechain/interop/CityToken.ts";

const TRANSFER = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];
export const AUTHORIZATION = {
  TransferWithAuthorization: TRANSFER,
  ReceiveWithAuthorization: TRANSFER,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
};

export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** Unix seconds; good strictly between them. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: string;
}

export async function domainOf(token: CityToken) {
  return { name: "AgentCity Test Dollar", version: "1", chainId: 31337n, verifyingContract: await token.getAddress() };
}

export async function authorize(
  token: CityToken,
  payer: Wallet,
  type: "TransferWithAuthorization" | "ReceiveWithAuthorization",
  order: Authorization,
) {
  const { v, r, s } = Signature.from(await payer.signTypedData(await domainOf(token), { [type]: TRANSFER }, order));
  return [order.from, order.to, order.value, order.validAfter, order.validBefore, order.nonce, v, r, s] as const;
}

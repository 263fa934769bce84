/** What a payer signs for the city's token (EIP-3009, ERC-2612), as its calls take it. */
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

const PERMIT = [
  { name: "owner", type: "address" },
  { name: "spender", type: "address" },
  { name: "value", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
];

/** An allowance by signature, good for long. */
export async function permit(token: CityToken, owner: Wallet, spender: string, value: bigint) {
  const message = { owner: owner.address, spender, value, nonce: await token.nonces(owner.address), deadline: 2n ** 40n };
  const { v, r, s } = Signature.from(await owner.signTypedData(await domainOf(token), { Permit: PERMIT }, message));
  return [owner.address, spender, value, message.deadline, v, r, s] as const;
}

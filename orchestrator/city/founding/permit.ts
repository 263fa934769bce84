import { type LocalAccount, parseSignature, recoverTypedDataAddress, serializeSignature } from "viem";
import type { CityClient } from "../../client/client.ts";
import type { Address, Hex } from "../../primitives/hex.ts";

/** The token that is to take an allowance, and its chain. */
export interface PermitSource {
  readonly chain: CityClient["chain"];
  readonly token: Pick<CityClient["token"], "address" | "name" | "nonces">;
}

/** The typed data of an allowance by signature (ERC-2612). */
export async function permitTypedData(client: PermitSource, owner: Address, spender: Address, value: bigint, deadline: number) {
  const [name, nonce, version] = await Promise.all([client.token.name(), client.token.nonces(owner), versionOf(client)]);
  const message = { owner, spender, value, nonce, deadline: BigInt(deadline) };
  return {
    domain: { name, version, chainId: client.chain.id, verifyingContract: client.token.address },
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    message,
  } as const;
}

/** Arguments of the token's `permit` (ERC-2612): an allowance by signature, so that its giver needs no gas. */
export async function signPermit(client: PermitSource, owner: LocalAccount, spender: Address, value: bigint, deadline: number) {
  const typed = await permitTypedData(client, owner.address, spender, value, deadline);
  return permitArguments(typed.message, await owner.signTypedData(typed));
}

/** The same of a signature that its giver sent. */
export function permitArguments({ owner, spender, value, deadline }: Allowance, signature: Hex) {
  const { r, s, yParity } = parseSignature(signature);
  return [owner, spender, value, deadline, 27 + yParity, r, s] as const;
}

interface Allowance {
  readonly owner: Address;
  readonly spender: Address;
  /** Smallest unit. */
  readonly value: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
}

/** Arguments of `permit`. */
type Permit = ReturnType<typeof permitArguments>;

/** Whether an allowance by signature was taken before, by whoever handed it in: it is its giver's, under the nonce before the current one. */
export async function wasPermitted(client: PermitSource, [owner, spender, value, deadline, v, r, s]: Permit): Promise<boolean> {
  const { message, ...typed } = await permitTypedData(client, owner, spender, value, Number(deadline));
  if (message.nonce === 0n) return false;
  const signed = { ...typed, message: { ...message, nonce: message.nonce - 1n } };
  const signature = serializeSignature({ r, s, v: BigInt(v) });
  return (await recoverTypedDataAddress({ ...signed, signature }).catch(() => undefined)) === owner;
}

/** Version of the token's signing domain. Stablecoins state it; a token without the function has version 1. */
async function versionOf({ chain, token }: PermitSource): Promise<string> {
  if (chain.kind === "embedded") return "1";
  return chain.publicClient.readContract({ address: token.address, abi: VERSION, functionName: "version" }).catch(() => "1");
}

const VERSION = [{ type: "function", name: "version", inputs: [], outputs: [{ type: "string" }], stateMutability: "view" }] as const;

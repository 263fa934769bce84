import { decodeFunctionResult, encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { type Address, type Hex, hexSchema } from "../primitives/hex.ts";
import type { Request } from "./chain.ts";
import { isUnreachable } from "./errors.ts";

/** A word of a contract's storage that differs between a fork and its chain. */
export const dealtSchema = z.strictObject({ address: addressSchema, slot: hexSchema, value: hexSchema });
export type Dealt = z.infer<typeof dealtSchema>;

/** A token of the forked chain whose balances cannot be set. */
export class TokenNotDealt extends AgentCityError {
  constructor(token: Address, problem: string) {
    super("TokenNotDealt", `Balances of ${token} cannot be set on a fork: ${problem}`, {
      action: "choose an ERC-20 of the forked chain with six decimals that stores its balances itself, such as USDC",
    });
  }
}

const accessSchema = z.object({ accessList: z.array(z.object({ address: addressSchema, storageKeys: z.array(hexSchema) })) });
const DECIMALS = 6;

/**
 * The storage word that sets an account's balance to this many units on a fork: found by the words `balanceOf` reads, and by which of them
 * changes its answer (decision 98). `block`: at which the chain is queried. Throws TokenNotDealt.
 */
export async function dealtIn(request: Request, { token, to, units }: TokenDeal, block: Hex): Promise<Dealt> {
  const ask = async (data: Hex, override?: unknown): Promise<Hex> => {
    try {
      return hexSchema.parse(
        await request({ method: "eth_call", params: [{ to: token, data }, block, ...(override === undefined ? [] : [override])] }),
      );
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return "0x";
    }
  };
  const decimals = await ask(encodeFunctionData({ abi: erc20Abi, functionName: "decimals" }));
  if (decimals.length !== 66 || BigInt(decimals) !== BigInt(DECIMALS))
    throw new TokenNotDealt(token, "it is not a token with six decimals");
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [to] });
  const { accessList } = accessSchema.parse(await request({ method: "eth_createAccessList", params: [{ to: token, data }, block] }));
  const value = numberToHex(units, { size: 32 });
  for (const { address, storageKeys } of accessList)
    for (const slot of storageKeys) {
      const answer = await ask(data, { [address]: { stateDiff: { [slot]: value } } });
      if (answer.length === 66 && decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data: answer }) === units)
        return { address, slot, value };
    }
  throw new TokenNotDealt(token, "no single word of its storage is a balance");
}

/** The token balance that an account should have. */
export interface TokenDeal {
  readonly token: Address;
  readonly to: Address;
  readonly units: bigint;
}

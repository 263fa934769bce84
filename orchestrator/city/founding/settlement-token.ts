import type { LocalAccount } from "viem";
import { cityTokenAbi as abi } from "../../chain/abi/CityToken.ts";
import type { Chain } from "../../chain/chain.ts";
import { isUnreachable } from "../../chain/errors.ts";
import { AgentCityError, InvalidValue, messageOf } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import { deploymentFile, readDeployment } from "./deployment-file.ts";
import { signPermit } from "./permit.ts";

const TOKEN_DECIMALS = 6;
/** Seconds of chain time: nothing is signed that is good for longer than what founding signs. */
const VALIDITY = 86_400;

export class WrongToken extends AgentCityError {
  constructor(token: string, problem: string, details?: string) {
    super("WrongToken", `${token} cannot be the settlement token: ${problem}`, {
      details,
      action: "name an ERC-20 with six decimals and permit (ERC-2612), such as USDC",
    });
  }
}

/**
 * The city's settlement token, undefined for a devnet's own: the one chosen at the founding, and no other afterwards. For a new city the
 * token is checked before anything is sent. Throws WrongToken.
 */
export async function settlementToken(
  dir: string,
  chain: Chain,
  named: Address | undefined,
  founder: LocalAccount,
): Promise<Address | undefined> {
  const founded = readDeployment(deploymentFile(dir))?.plan;
  if (founded !== undefined && named !== undefined && named !== founded.token)
    throw new InvalidValue("--token", `this city settles in ${founded.token ?? "a devnet's test token"} since it was founded`, {
      action: "leave it out, or found another city",
    });
  if (founded !== undefined) return founded.token ?? undefined;
  if (named !== undefined) {
    await requireToken(chain, named);
    await requirePermit(chain, named, founder);
  }
  return named;
}

/** Throws WrongToken if there is no contract, or one with other decimals. */
export async function requireToken({ publicClient }: Chain, token: Address): Promise<void> {
  if ((await publicClient.getCode({ address: token })) === undefined) throw new WrongToken(token, "there is no contract at this address");
  const decimals = await publicClient.readContract({ address: token, abi, functionName: "decimals" }).catch(silenceOnly);
  if (decimals !== TOKEN_DECIMALS)
    throw new WrongToken(token, decimals === undefined ? "it has no decimals" : `it has ${decimals} decimals, not ${TOKEN_DECIMALS}`);
}

/**
 * Throws WrongToken if the token does not support permits: members' stakes are paid only with them. Simulates a permit of one unit from the
 * giver to itself; nothing is sent.
 */
async function requirePermit(chain: Chain, address: Address, giver: LocalAccount): Promise<void> {
  const { publicClient } = chain;
  const token = {
    address,
    name: () => publicClient.readContract({ address, abi, functionName: "name" }),
    nonces: (owner: Address) => publicClient.readContract({ address, abi, functionName: "nonces", args: [owner] }),
  };
  try {
    const args = await signPermit({ chain, token }, giver, giver.address, 1n, Number(chain.clock.now()) + VALIDITY);
    await publicClient.simulateContract({ address, abi, functionName: "permit", args, account: giver.address });
  } catch (error) {
    silenceOnly(error);
    throw new WrongToken(address, "it takes no allowance by signature", messageOf(error));
  }
}

/** A node's silence says nothing of a token. */
function silenceOnly(error: unknown): undefined {
  if (isUnreachable(error)) throw error;
}

import { getContractAddress, numberToHex } from "viem";
import { z } from "zod";
import type { Deployment, FoundedCity } from "../../../deploy/deployment.ts";
import { deployLaw, type GenesisPort, publishTemplate } from "../../../deploy/genesis.ts";
import type { ExpectedCode } from "../../../deploy/verify.ts";
import { DEVNET_GENESIS } from "../../chain/devnet.ts";
import { connectEdr } from "../../chain/edr.ts";
import { addressSchema } from "../../primitives/address.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { type Address, type Hex, hexSchema } from "../../primitives/hex.ts";

const WEALTH = numberToHex(10n ** 24n);
const GAS = numberToHex(16_000_000);
const receiptSchema = z.object({ status: z.literal("0x1"), contractAddress: addressSchema.nullable() });

/**
 * The runtime code of everything genesis created: the same steps are run again by the same deployer with the same nonces on an empty
 * chain of the same id in this process. So immutables (the contract's own address, chain id, other contracts) and library links come
 * out as they must be, without believing the live chain. A contract that the deployer cannot have created is left out.
 */
export async function expectedCode(deployment: Deployment, city: FoundedCity, nonces: number): Promise<ExpectedCode> {
  const { deployer, profile, plan, chainId } = deployment;
  const nonceOf = nonceFinder(deployer, city, nonces);
  const engine = await connectEdr({ ...DEVNET_GENESIS, chainId });
  const ask = (method: string, ...params: readonly unknown[]) => engine.request({ method, params });
  const send = async (transaction: { readonly to?: Address; readonly data: Hex }) => {
    const hash = await ask("eth_sendTransaction", { from: deployer, gas: GAS, ...transaction });
    await ask("evm_mine");
    return receiptSchema.parse(await ask("eth_getTransactionReceipt", hash));
  };
  const code = new Map<string, Hex>();
  const port: GenesisPort = {
    deployer,
    profile,
    async create(step, data) {
      const expected = city.created[step];
      if (expected !== undefined && code.has(step)) return expected;
      const nonce = nonceOf.get(step);
      if (expected === undefined || nonce === undefined) throw new NotOfThisDeployer(step);
      await ask("hardhat_setNonce", deployer, numberToHex(nonce));
      const { contractAddress } = await send({ data });
      if (contractAddress !== expected) throw new NotOfThisDeployer(step);
      code.set(step, hexSchema.parse(await ask("eth_getCode", expected, "latest")));
      return expected;
    },
    async call(_, to, data) {
      await send({ to, data });
    },
  };
  try {
    await ask("hardhat_setBalance", deployer, WEALTH);
    await ask("hardhat_impersonateAccount", deployer);
    const addresses = await deployLaw(port, plan, plan.token);
    await publishTemplate(port, addresses);
  } catch (error) {
    if (!(error instanceof NotOfThisDeployer)) throw error;
  } finally {
    await engine.close();
  }
  return code;
}

/** With which nonce the deployer created each contract. */
function nonceFinder(deployer: Address, city: FoundedCity, nonces: number): ReadonlyMap<string, number> {
  const steps = new Map(Object.entries(city.created).map(([step, address]) => [address.toLowerCase(), step]));
  const found = new Map<string, number>();
  for (let nonce = 0; nonce < nonces && found.size < steps.size; nonce += 1) {
    const step = steps.get(getContractAddress({ from: deployer, nonce: BigInt(nonce) }).toLowerCase());
    if (step !== undefined) found.set(step, nonce);
  }
  return found;
}

class NotOfThisDeployer extends AgentCityError {
  constructor(step: string) {
    super("NotOfThisDeployer", `${step} was not created by this deployer`);
  }
}

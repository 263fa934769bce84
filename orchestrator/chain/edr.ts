import type { NetworkConnection } from "hardhat/types/network";
import { EmbeddedChainMissing } from "./errors.ts";
import type { Genesis } from "./transcript.ts";

const NO_ARTIFACTS = "no-artifacts";

/** Hardhat's EDR in this process as an L2 that mines when told to. */
export async function connectEdr(genesis: Genesis): Promise<NetworkConnection<"op">> {
  const { createHardhatRuntimeEnvironment } = await import("hardhat/hre").catch((cause: unknown) => {
    throw new EmbeddedChainMissing(cause);
  });
  const city = {
    type: "edr-simulated",
    chainType: "op",
    chainId: genesis.chainId,
    hardfork: genesis.hardfork,
    initialDate: new Date(genesis.timestamp * 1000),
    initialBaseFeePerGas: genesis.baseFee,
    blockGasLimit: genesis.gasLimit,
    coinbase: genesis.coinbase,
    accounts: { mnemonic: genesis.mnemonic, count: genesis.accounts, accountsBalance: genesis.balance },
    mining: { auto: false, mempool: { order: "fifo" } },
    allowBlocksWithSameTimestamp: true,
  } as const;
  // Reverts are told by our own ABIs: the build infos, whose parsing takes longer than all else here, are not looked for.
  const paths = { artifacts: NO_ARTIFACTS };
  const environment = await createHardhatRuntimeEnvironment({ networks: { city }, paths }, {}, import.meta.dirname);
  return environment.network.create({ network: "city", chainType: "op" });
}

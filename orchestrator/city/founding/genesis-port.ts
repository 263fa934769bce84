import { getAddress, type LocalAccount } from "viem";
import type { Profile } from "../../../deploy/artifacts.ts";
import type { GenesisPort } from "../../../deploy/genesis.ts";
import { intentKey } from "../../chain/outbox.ts";
import type { Intent, Sender } from "../../chain/sender.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";

/** Maximum gas of genesis, measured with the production profile (verified by test/long/genesis-network.test.ts). */
export const GENESIS_GAS = 140_000_000n;

/** Genesis through a sender, and what became of it. */
export interface SendingPort extends GenesisPort {
  /** Contracts created so far, by step. */
  readonly created: ReadonlyMap<string, Address>;
  /** First and last block of a step, so far. */
  blocks(): { readonly fromBlock: number; readonly toBlock: number };
}

/** A step that was sent is found again by its name, so genesis resumes where it stopped. */
export function genesisPort(sender: Pick<Sender, "send">, deployer: LocalAccount, profile: Profile): SendingPort {
  const created = new Map<string, Address>();
  const mined: number[] = [];
  const send = async (step: string, intent: Pick<Intent, "to" | "data">) => {
    const receipt = await sender.send({ ...intent, intent: intentKey("genesis", step), account: deployer, what: step });
    mined.push(Number(receipt.blockNumber));
    return receipt;
  };
  return {
    deployer: deployer.address,
    profile,
    created,
    blocks: () => ({ fromBlock: Math.min(...mined), toBlock: Math.max(...mined) }),
    async create(step, code) {
      const { contractAddress } = await send(step, { data: code });
      if (!contractAddress) throw new AgentCityError("NothingCreated", `${step} created no contract`);
      const address = getAddress(contractAddress);
      created.set(step, address);
      return address;
    },
    async call(step, to, data) {
      await send(step, { to, data });
    },
  };
}

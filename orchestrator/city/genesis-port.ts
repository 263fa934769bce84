import type { LocalAccount } from "viem";
import type { GenesisPort } from "../../deploy/genesis.ts";
import type { Chain } from "../chain/chain.ts";
import { intentKey } from "../chain/outbox.ts";
import type { Sender } from "../chain/sender.ts";
import { AgentCityError } from "../primitives/errors.ts";

/** Genesis through the city's sender: a step that was sent is found again by its name, so genesis resumes where it stopped. */
export function genesisPort(chain: Chain, sender: Sender, deployer: LocalAccount): GenesisPort {
  return {
    deployer: deployer.address,
    async create(step, code) {
      const { contractAddress } = await sender.send({ intent: intentKey("genesis", step), data: code, account: deployer, what: step });
      if (!contractAddress) throw new AgentCityError("NothingCreated", `${step} created no contract`);
      return contractAddress;
    },
    async call(step, to, data) {
      await sender.send({ intent: intentKey("genesis", step), to, data, account: deployer, what: step });
    },
    async read(to, data) {
      const { data: answer } = await chain.publicClient.call({ to, data });
      return answer ?? "0x";
    },
  };
}

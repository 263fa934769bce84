import { z } from "zod";
import type { ChainReader } from "../../../deploy/verify.ts";
import type { Chain } from "../../chain/chain.ts";
import { hexSchema } from "../../primitives/hex.ts";

const logSchema = z.object({
  topics: z.array(hexSchema),
  data: hexSchema,
  blockNumber: z.coerce.number(),
  transactionHash: hexSchema,
});

/** Implements verification's queries on a chain. */
export function chainReader(chain: Chain): ChainReader {
  return {
    chainId: chain.id,
    async call(to, data) {
      const { data: answer } = await chain.publicClient.call({ to, data });
      return answer ?? "0x";
    },
    codeAt: async (address) => (await chain.publicClient.getCode({ address })) ?? "0x",
    head: async () => Number(await chain.publicClient.getBlockNumber()),
    async logs(address, topic, fromBlock, toBlock) {
      const filter = { address, topics: [topic], fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock) };
      return z.array(logSchema).parse(await chain.request({ method: "eth_getLogs", params: [filter] }));
    },
  };
}

function hexOf(value: number): string {
  return `0x${value.toString(16)}`;
}

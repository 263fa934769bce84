import { DEVNET_GENESIS } from "./devnet.ts";
import { type DrivenChain, type DrivenOptions, openDrivenChain } from "./driven.ts";
import { connectEdr } from "./edr.ts";

/** An L2 inside this process: Hardhat's EDR, gone with it; the transcript gives it back. */
export function openEmbeddedChain(options: DrivenOptions = {}): Promise<DrivenChain> {
  return openDrivenChain(
    {
      kind: "embedded",
      name: "embedded L2",
      genesis: DEVNET_GENESIS,
      async connect(genesis) {
        const connection = await connectEdr(genesis);
        return {
          request: ({ method, params }) => connection.provider.request({ method, params: [...(params ?? [])] }),
          close: () => connection.close(),
        };
      },
    },
    options,
  );
}

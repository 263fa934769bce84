import type { HookContext, NetworkHooks } from "hardhat/types/hooks";
import type { NetworkConnection } from "hardhat/types/network";
import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";
import config from "../../hardhat.config.ts";

const MINING = new Set(["eth_sendTransaction", "eth_sendRawTransaction", "hardhat_mine", "evm_mine"]);

/**
 * One second a block, whatever the machine needs: block hashes draw panels, so the same run costs the same gas. A time that was
 * set is kept.
 */
async function ticking(): Promise<Partial<NetworkHooks>> {
  let set = false;
  return {
    async onRequest<Chain extends string>(
      context: HookContext,
      connection: NetworkConnection<Chain>,
      request: JsonRpcRequest,
      next: (context: HookContext, connection: NetworkConnection<Chain>, request: JsonRpcRequest) => Promise<JsonRpcResponse>,
    ): Promise<JsonRpcResponse> {
      const ask = (method: string, ...params: unknown[]) => next(context, connection, { ...request, method, params });
      if (request.method === "evm_setNextBlockTimestamp") set = true;
      else if (MINING.has(request.method)) {
        const latest = await ask("eth_getBlockByNumber", "latest", false);
        if (!set && "result" in latest) {
          const { timestamp } = latest.result as { timestamp: string };
          await ask("evm_setNextBlockTimestamp", `0x${(BigInt(timestamp) + 1n).toString(16)}`);
        }
        set = false;
      }
      return next(context, connection, request);
    },
  };
}

/** The project with its production artifacts, apart from those that tests use, and a clock that does not follow the wall's. */
export default {
  ...config,
  plugins: [...(config.plugins ?? []), { id: "ticking-clock", hookHandlers: { network: async () => ({ default: ticking }) } }],
  paths: { ...config.paths, artifacts: "cache/production/artifacts", cache: "cache/production/cache" },
};

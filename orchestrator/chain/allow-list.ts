import type { Request } from "./chain.ts";
import { MethodNotAllowed } from "./errors.ts";

/** Methods offered to other processes: reads, and sending of signed transactions (decision 35). */
const ALLOWED_METHODS: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getLogs",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
  "eth_syncing",
  "net_version",
  "web3_clientVersion",
]);

/** Simulation methods, for the city itself only: a trace may cost a node a hundred times as much as the call. */
export const SIMULATIONS = { own: new Set(["debug_traceCall", "eth_simulateV1"]), foreign: new Set(["eth_simulateV1"]) } as const;

/** Rejects all other methods. Wallets ask for accounts: the answer is none. */
export function onlyAllowed(request: Request, methods: ReadonlySet<string> = ALLOWED_METHODS): Request {
  return async (call) => {
    if (call.method === "eth_accounts") return [];
    if (!methods.has(call.method)) throw new MethodNotAllowed(call.method);
    return request(call);
  };
}

import { numberToHex } from "viem";

interface Call {
  readonly method: string;
  readonly params?: readonly unknown[] | undefined;
}

/** Position of the block parameter of a read; "latest" if omitted. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

/** The same read at one block, instead of what the node considers the last. */
export function atBlock({ method, params = [] }: Call, number: bigint): Call {
  const place = BLOCK_PARAMETER[method];
  if (place === undefined || (params[place] !== undefined && params[place] !== "latest")) return { method, params };
  return { method, params: params.toSpliced(place, 1, numberToHex(number)) };
}

/** Events of blocks before a fork belong to another chain, whose node need not be asked for them. */
export function notBefore(call: Call, first: bigint): Call {
  const [filter] = call.params ?? [];
  if (call.method !== "eth_getLogs" || first === 0n || typeof filter !== "object" || filter === null) return call;
  const from = "fromBlock" in filter && typeof filter.fromBlock === "string" ? filter.fromBlock : "latest";
  const isEarlier = from === "earliest" || (from.startsWith("0x") && BigInt(from) < first);
  return isEarlier ? { method: call.method, params: [{ ...filter, fromBlock: numberToHex(first) }] } : call;
}

/** Whether a node lacks the requested block, because it is behind or was restarted. */
export function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /BlockOutOfRange|block height is|block not found|unknown block|header not found/i.test(error.message) || isUnknownBlock(error.cause)
  );
}

import { numberToHex } from "viem";

interface Call {
  readonly method: string;
  readonly params?: readonly unknown[] | undefined;
}

/** Where a read names the block it is about; "latest" when it does not. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

/** The same read, of one block instead of whatever the node believes to be the last. */
export function atBlock({ method, params = [] }: Call, number: bigint): Call {
  const place = BLOCK_PARAMETER[method];
  if (place === undefined || (params[place] !== undefined && params[place] !== "latest")) return { method, params };
  return { method, params: params.toSpliced(place, 1, numberToHex(number)) };
}

/** Events of earlier blocks are another chain's: its node, which a fork asks for them, need not answer. */
export function notBefore(call: Call, first: bigint): Call {
  const [filter] = call.params ?? [];
  if (call.method !== "eth_getLogs" || first === 0n || typeof filter !== "object" || filter === null) return call;
  const from = "fromBlock" in filter && typeof filter.fromBlock === "string" ? filter.fromBlock : "latest";
  const isEarlier = from === "earliest" || (from.startsWith("0x") && BigInt(from) < first);
  return isEarlier ? { method: call.method, params: [{ ...filter, fromBlock: numberToHex(first) }] } : call;
}

/** A node that is behind, or was restarted, says so when it is asked about a block it does not have. */
export function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /BlockOutOfRange|block height is|block not found|unknown block|header not found/i.test(error.message) || isUnknownBlock(error.cause)
  );
}

import { concat, keccak256, toRlp } from "viem";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { type Hash, type Hex, hashSchema, hexSchema } from "../primitives/hex.ts";
import { evenHex, orderedTrieRoot } from "../primitives/ordered-trie.ts";
import { recoverSender } from "../primitives/recovery.ts";

/** A block, transaction or receipt from a node does not hash to the expected value. */
export class ProofFails extends AgentCityError {
  readonly block: bigint;
  constructor(block: bigint, what: string) {
    super("ProofFails", `Block ${block}: ${what}`, {
      action: "use another node: either this node or the bundle is wrong about the chain's history",
    });
    this.block = block;
  }
}

const quantity = z.string().regex(/^0x[0-9a-f]+$/i);
const optional = quantity.nullish();
const accessSchema = z.array(z.object({ address: hexSchema, storageKeys: z.array(hexSchema) }));

/** A transaction as returned by `eth_getBlockByNumber`. Other fields are kept. */
const transactionSchema = z.looseObject({
  hash: hashSchema,
  type: quantity.default("0x0"),
  from: hexSchema,
  to: hexSchema.nullable(),
  nonce: quantity,
  gas: quantity,
  value: quantity,
  input: hexSchema,
  transactionIndex: quantity,
  chainId: optional,
  gasPrice: optional,
  maxFeePerGas: optional,
  maxPriorityFeePerGas: optional,
  maxFeePerBlobGas: optional,
  blobVersionedHashes: z.array(hexSchema).nullish(),
  accessList: accessSchema.nullish(),
  authorizationList: z
    .array(z.object({ chainId: quantity, address: hexSchema, nonce: quantity, yParity: quantity, r: quantity, s: quantity }))
    .nullish(),
  v: optional,
  yParity: optional,
  r: optional,
  s: optional,
  sourceHash: hashSchema.nullish(),
  mint: optional,
  isSystemTx: z.boolean().nullish(),
});
type RawTransaction = z.output<typeof transactionSchema>;

/** A block with its transactions. */
export const rawBlockSchema = z.looseObject({
  hash: hashSchema,
  parentHash: hashSchema,
  sha3Uncles: hashSchema,
  miner: hexSchema,
  stateRoot: hashSchema,
  transactionsRoot: hashSchema,
  receiptsRoot: hashSchema,
  logsBloom: hexSchema,
  difficulty: quantity,
  number: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  extraData: hexSchema,
  mixHash: hashSchema,
  nonce: hexSchema,
  baseFeePerGas: optional,
  withdrawalsRoot: hashSchema.nullish(),
  blobGasUsed: optional,
  excessBlobGas: optional,
  parentBeaconBlockRoot: hashSchema.nullish(),
  requestsHash: hashSchema.nullish(),
  transactions: z.array(transactionSchema),
});
export type RawBlock = z.output<typeof rawBlockSchema>;

const logSchema = z.looseObject({ address: hexSchema, topics: z.array(hexSchema), data: hexSchema, logIndex: quantity });

/** A receipt as nodes return it. */
export const rawReceiptSchema = z.looseObject({
  transactionHash: hashSchema,
  type: quantity.default("0x0"),
  status: optional,
  root: hexSchema.nullish(),
  cumulativeGasUsed: quantity,
  logsBloom: hexSchema,
  logs: z.array(logSchema),
  depositNonce: optional,
  depositReceiptVersion: optional,
});
export type RawReceipt = z.output<typeof rawReceiptSchema>;

type Field = Hex | readonly Field[];
const whole = (value: string | null | undefined): Hex => evenHex(BigInt(value ?? "0x0"));
/** OP stack: transactions that the sequencer adds itself. */
const DEPOSIT = 0x7e;

/** Keccak of a header's RLP. Fields added by later forks are present up to some point, without gaps. */
export function blockHash(block: RawBlock): Hash {
  const fields: Field[] = [
    ...[block.parentHash, block.sha3Uncles, block.miner, block.stateRoot, block.transactionsRoot, block.receiptsRoot, block.logsBloom],
    ...[block.difficulty, block.number, block.gasLimit, block.gasUsed, block.timestamp].map(whole),
    ...[block.extraData, block.mixHash, block.nonce],
    ...(block.baseFeePerGas == null ? [] : [whole(block.baseFeePerGas)]),
    ...(block.withdrawalsRoot == null ? [] : [block.withdrawalsRoot]),
    ...(block.blobGasUsed == null ? [] : [whole(block.blobGasUsed)]),
    ...(block.excessBlobGas == null ? [] : [whole(block.excessBlobGas)]),
    ...(block.parentBeaconBlockRoot == null ? [] : [block.parentBeaconBlockRoot]),
    ...(block.requestsHash == null ? [] : [block.requestsHash]),
  ];
  return keccak256(toRlp(fields));
}

/**
 * Checks a block against its own hash, and every transaction and receipt against its roots. Throws ProofFails.
 *
 * @param receipts In the order of the block's transactions.
 */
export function requireProven(block: RawBlock, receipts: readonly RawReceipt[]): void {
  const number = BigInt(block.number);
  const requireSame = (found: Hash, named: Hash, what: string) => {
    if (found !== named) throw new ProofFails(number, `its ${what} hash to ${found}, but its header says ${named}`);
  };
  requireSame(blockHash(block), block.hash, "header's fields");
  const raws = block.transactions.map((transaction) => rawOf(number, transaction));
  for (const [index, raw] of raws.entries()) {
    const { hash = "0x", transactionIndex = "" } = block.transactions[index] ?? {};
    requireSame(keccak256(raw), hash, `transaction ${index}'s fields`);
    if (Number(transactionIndex) !== index) throw new ProofFails(number, `transaction ${index} states index ${transactionIndex}`);
  }
  requireSame(orderedTrieRoot(raws), block.transactionsRoot, "transactions");
  requireSame(orderedTrieRoot(receipts.map(encodedReceipt)), block.receiptsRoot, "receipts");
  for (const [index, { transactionHash }] of receipts.entries())
    requireSame(transactionHash, block.transactions[index]?.hash ?? "0x", `receipts' order`);
}

/** The signer; the sequencer's own transactions state their sender as a field. */
export async function senderOf(block: bigint, transaction: RawTransaction): Promise<Hex> {
  if (Number(transaction.type) === DEPOSIT) return transaction.from;
  return recoverSender(rawOf(block, transaction));
}

function encodedReceipt(receipt: RawReceipt): Hex {
  const { type, status, root, cumulativeGasUsed, logsBloom, logs, depositNonce, depositReceiptVersion } = receipt;
  const body = toRlp([
    root == null ? whole(status) : root,
    whole(cumulativeGasUsed),
    logsBloom,
    logs.map(({ address, topics, data }): Field => [address, topics, data]),
    ...(depositNonce == null ? [] : [whole(depositNonce)]),
    ...(depositReceiptVersion == null ? [] : [whole(depositReceiptVersion)]),
  ]);
  return typed(type, body);
}

/** Reconstructs the signed bytes from a node's fields. */
function rawOf(block: bigint, transaction: RawTransaction): Hex {
  const { type, nonce, gas, to, value, input, chainId, gasPrice, v, yParity, r, s } = transaction;
  const access = (transaction.accessList ?? []).map(({ address, storageKeys }): Field => [address, storageKeys]);
  const price = [transaction.maxPriorityFeePerGas, transaction.maxFeePerGas].map(whole);
  const call = [whole(gas), to ?? "0x", whole(value), input] as const;
  const signature = [yParity ?? v, r, s].map(whole);
  switch (Number(type)) {
    case 0:
      return toRlp([whole(nonce), whole(gasPrice), ...call, whole(v), whole(r), whole(s)]);
    case 1:
      return typed(type, toRlp([whole(chainId), whole(nonce), whole(gasPrice), ...call, access, ...signature]));
    case 2:
      return typed(type, toRlp([whole(chainId), whole(nonce), ...price, ...call, access, ...signature]));
    case 3: {
      const blobs = [whole(transaction.maxFeePerBlobGas), transaction.blobVersionedHashes ?? []];
      return typed(type, toRlp([whole(chainId), whole(nonce), ...price, ...call, access, ...blobs, ...signature]));
    }
    case 4: {
      const grants = (transaction.authorizationList ?? []).map(
        (grant): Field => [whole(grant.chainId), grant.address, whole(grant.nonce), whole(grant.yParity), whole(grant.r), whole(grant.s)],
      );
      return typed(type, toRlp([whole(chainId), whole(nonce), ...price, ...call, access, grants, ...signature]));
    }
    case DEPOSIT: {
      const { sourceHash, from, mint, isSystemTx } = transaction;
      const head = [sourceHash ?? "0x", from, to ?? "0x", whole(mint), whole(value), whole(gas)];
      return typed(type, toRlp([...head, isSystemTx === true ? "0x01" : "0x", input]));
    }
    default:
      throw new ProofFails(block, `transaction ${transaction.hash} is of type ${type}, which this version cannot encode`);
  }
}

function typed(type: string, body: Hex): Hex {
  return Number(type) === 0 ? body : concat([evenHex(BigInt(type)), body]);
}

/** A sender for an ephemeral chain: signs, mines, and reads the receipt, without simulation or storage. */
import { keccak256, type LocalAccount, type TransactionReceipt } from "viem";
import { errorsAbi } from "../../chain/abi/errors.ts";
import { type DrivenChain, MAX_TRANSACTION_GAS } from "../../chain/driven.ts";
import { TransactionReverted } from "../../chain/errors.ts";
import { decodeRevert } from "../../chain/revert.ts";
import type { Intent, Sender } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { type Address, type Hex, hexSchema } from "../../primitives/hex.ts";

/** Gas limit of a call, if below the maximum of a transaction, so that a block holds more of them. */
const LIMITS: Readonly<Record<string, bigint>> = {
  act: 1_500_000n,
  anchor: 200_000n,
  deregister: 400_000n,
  mint: 200_000n,
  permit: 200_000n,
  register: 400_000n,
  registerService: 300_000n,
  sponsor: 400_000n,
  propose: 500_000n,
  transfer: 200_000n,
};
/** Gas limit of a block, sixty million. */
const FULL = 55_000_000n;

/** Gas used, by contract address and function. */
export interface GasUsed {
  readonly to: Address | undefined;
  readonly what: string;
  readonly gas: number;
}

export interface DirectSender extends Sender<LogNote> {
  /** Everything sent so far. */
  readonly used: readonly GasUsed[];
  /** Called with every receipt, in order. */
  watch(see: (receipt: TransactionReceipt) => void): void;
}

/** `through` sends instead, like missions, one block at a time; gas limits and blocks are the same. */
export function directSender(chain: DrivenChain, relayer: LocalAccount, through?: Sender<LogNote>): DirectSender {
  const nonces = new Map<Address, number>();
  const used: GasUsed[] = [];
  const watchers: ((receipt: TransactionReceipt) => void)[] = [];
  const gasOf = ({ gas, what = "" }: Intent<LogNote>) => gas ?? LIMITS[what] ?? MAX_TRANSACTION_GAS;

  async function signAndMine(intents: readonly Intent<LogNote>[]): Promise<readonly TransactionReceipt[]> {
    const fees = await chain.fees();
    const raws: Hex[] = [];
    for (const intent of intents) {
      const account = intent.account ?? relayer;
      const nonce = nonces.get(account.address) ?? 0;
      nonces.set(account.address, nonce + 1);
      const raw = await account.signTransaction({
        type: "eip1559",
        chainId: chain.id,
        nonce,
        to: intent.to ?? null,
        data: intent.data ?? "0x",
        value: intent.value ?? 0n,
        gas: gasOf(intent),
        ...fees,
      });
      raws.push(hexSchema.parse(raw));
    }
    await chain.mine(raws);
    return Promise.all(raws.map((raw) => chain.receipt(keccak256(raw))));
  }

  async function mine(intents: readonly Intent<LogNote>[]): Promise<readonly TransactionReceipt[]> {
    const receipts =
      through === undefined
        ? await signAndMine(intents)
        : await through.sendMany(intents.map((intent) => ({ ...intent, gas: gasOf(intent) })));
    for (const [place, receipt] of receipts.entries()) {
      const { to, what = "" } = intents[place] ?? {};
      used.push({ to, what, gas: Number(receipt.gasUsed) });
      for (const see of watchers) see(receipt);
      if (receipt.status === "success") continue;
      const data = await chain.revertData(receipt.transactionHash);
      throw new TransactionReverted({ phase: "mined", what, hash: receipt.transactionHash, ...decodeRevert(data, errorsAbi) });
    }
    return receipts;
  }

  async function sendMany(intents: readonly Intent<LogNote>[]): Promise<readonly TransactionReceipt[]> {
    const receipts: TransactionReceipt[] = [];
    for (let from = 0; from < intents.length; ) {
      let [to, gas] = [from, 0n];
      for (let next = intents[to]; next !== undefined && (to === from || gas + gasOf(next) <= FULL); next = intents[to]) {
        gas += gasOf(next);
        to += 1;
      }
      receipts.push(...(await mine(intents.slice(from, to))));
      from = to;
    }
    return receipts;
  }

  return {
    used,
    watch: (see) => {
      watchers.push(see);
    },
    relayers: [relayer.address],
    sendMany,
    async send(intent) {
      const [receipt] = await sendMany([intent]);
      if (receipt === undefined) throw new RangeError("nothing was sent");
      return receipt;
    },
    recover: async () => 0,
    open: async () => 0,
    record: async () => {},
  };
}

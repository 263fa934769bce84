import type { Abi, LocalAccount, TransactionReceipt } from "viem";
import { keccak256, numberToHex } from "viem";
import { z } from "zod";
import type { Boundary } from "../primitives/boundary.ts";
import { noBoundary } from "../primitives/boundary.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import type { Address, Hash, Hex, IntentKey } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { Chain } from "./chain.ts";
import { errorsOf } from "./chain.ts";
import { ChainDisagrees, NonceTaken, RpcUnreachable, TransactionRefused, TransactionReverted } from "./errors.ts";
import type { Outbox, OutboxRow, SignedRow } from "./outbox.ts";
import { decodeRevert, revertOf } from "./revert.ts";

/** The points where a test may stop the process for good. */
export type SenderBoundary = "sender:signed" | "sender:broadcast";

/** One step on chain. Asked for twice, it happens once. */
export interface Intent<Note = never> {
  readonly intent: IntentKey;
  /** Undefined creates a contract from `data`. */
  readonly to?: Address | undefined;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
  /** Who sends and pays gas. Default: the relayer that the intent key falls to. */
  readonly account?: LocalAccount | undefined;
  /** Skips simulation and sets the gas limit: for a call that only works after an earlier one of the same `sendMany`. */
  readonly gas?: bigint | undefined;
  /** How errors name this step, e.g. "castBallots". */
  readonly what?: string | undefined;
  /** Written in the same transaction as the outbox row. */
  readonly note?: Note | undefined;
}

export interface Sender<Note = never> {
  /** Sends one transaction and waits. Throws TransactionReverted when it would revert (nothing sent) or did. */
  send(intent: Intent<Note>): Promise<TransactionReceipt>;
  /** Several in this order, in one block where the chain allows. If one would revert, none is sent. */
  sendMany(intents: readonly Intent<Note>[]): Promise<readonly TransactionReceipt[]>;
  /**
   * Call it once at start. Compares the records with the chain and sends again, byte for byte, whatever the chain does not have.
   * Returns how many. Throws ChainDisagrees when the records belong to another chain.
   */
  recover(): Promise<number>;
  readonly relayers: readonly Address[];
}

export interface SenderOptions<Note> {
  readonly chain: Chain;
  readonly outbox: Outbox<Note>;
  readonly relayers: readonly LocalAccount[];
  /** Contracts' ABIs, so that reverts are told by name. */
  readonly abis?: readonly Abi[];
  readonly boundary?: Boundary<SenderBoundary>;
  /** Checked before each broadcast: throws when this process does not own the city any more. */
  readonly guard?: () => void;
}

/** Estimate × 1.25: state may move between estimate and block, and the same estimate always gives the same limit. */
const GAS_MARGIN_PERCENT = 125n;

export function createSender<Note = never>(options: SenderOptions<Note>): Sender<Note> {
  return new QueueSender(options);
}

interface Plan<Note> {
  readonly intent: Intent<Note>;
  readonly account: LocalAccount;
  readonly gas: bigint;
}

class QueueSender<Note> implements Sender<Note> {
  readonly relayers: readonly Address[];
  readonly #chain: Chain;
  readonly #outbox: Outbox<Note>;
  readonly #accounts: readonly LocalAccount[];
  readonly #errors: Abi;
  readonly #boundary: Boundary<SenderBoundary>;
  readonly #guard: () => void;
  /** One queue per sending address; a call takes the queues of all addresses it sends from. */
  readonly #queues = new Map<Address, Mutex>();
  /** Senders whose last transaction has no known fate: it is settled before their next one. */
  readonly #open = new Set<Address>();

  constructor(options: SenderOptions<Note>) {
    const [first] = options.relayers;
    if (first === undefined) throw new InvalidValue("sender", "needs at least one relayer");
    this.#chain = options.chain;
    this.#outbox = options.outbox;
    this.#accounts = options.relayers;
    this.relayers = options.relayers.map(({ address }) => address);
    this.#errors = errorsOf(options.abis ?? []);
    this.#boundary = options.boundary ?? noBoundary;
    this.#guard = options.guard ?? (() => {});
  }

  async send(intent: Intent<Note>): Promise<TransactionReceipt> {
    const [receipt] = await this.sendMany([intent]);
    if (receipt === undefined) throw new InvalidValue("send", "no receipt");
    return receipt;
  }

  async sendMany(intents: readonly Intent<Note>[]): Promise<readonly TransactionReceipt[]> {
    const keys = new Set(intents.map(({ intent }) => intent));
    if (keys.size !== intents.length) throw new InvalidValue("sendMany", "an intent key appears twice");
    const senders = intents.map((intent) => this.#accountFor(intent).address);
    return this.#inQueues(senders, async () => {
      if (senders.some((sender) => this.#open.has(sender))) await this.#recoverOpen(new Set(senders));
      const known = new Map<IntentKey, OutboxRow>();
      for (const { intent } of intents) {
        const row = await this.#outbox.find(intent);
        if (row === undefined) continue;
        known.set(intent, row);
        if (row.status === "signed") await this.#rebroadcast(row);
      }
      const fresh = intents.filter(({ intent }) => !known.has(intent));
      const plans: Plan<Note>[] = [];
      for (const intent of fresh) plans.push(await this.#plan(intent));
      for (const { account } of plans) this.#open.add(account.address);
      await this.#sendNew(plans, known);
      const receipts = await this.#settleAll(intents, known);
      for (const { account } of plans) this.#open.delete(account.address);
      return this.#allSucceeded(intents, receipts);
    });
  }

  async recover(): Promise<number> {
    const head = await this.#head();
    const newest = await this.#outbox.newestSettled(head);
    if (newest !== undefined && !(await this.#isKnown(newest.hash))) {
      throw new ChainDisagrees(newest.hash, `it does not know the transaction recorded in block ${newest.block}`);
    }
    const signers = (await this.#outbox.unsettled(head)).map(({ signer }) => signer);
    return this.#inQueues(signers, () => this.#recoverOpen(new Set(signers)));
  }

  /** Simulates and estimates before a nonce is taken. */
  async #plan(intent: Intent<Note>): Promise<Plan<Note>> {
    const account = this.#accountFor(intent);
    if (intent.gas !== undefined) return { intent, account, gas: intent.gas };
    const call = {
      from: account.address,
      ...(intent.to === undefined ? {} : { to: intent.to }),
      ...(intent.data === undefined ? {} : { data: intent.data }),
      ...(intent.value === undefined ? {} : { value: numberToHex(intent.value) }),
    };
    try {
      const estimate = await this.#chain.request({ method: "eth_estimateGas", params: [call, "pending"] });
      return { intent, account, gas: (z.coerce.bigint().parse(estimate) * GAS_MARGIN_PERCENT) / 100n };
    } catch (cause) {
      throw this.#refusal(intent.what ?? "The transaction", cause);
    }
  }

  async #sendNew(plans: readonly Plan<Note>[], known: Map<IntentKey, OutboxRow>): Promise<void> {
    if (plans.length === 0) return;
    const fees = await this.#chain.fees();
    const nonces = new Map<Address, number>();
    const rows: SignedRow[] = [];
    for (const { intent, account, gas } of plans) {
      const nonce = nonces.get(account.address) ?? (await this.#nextNonce(account.address));
      nonces.set(account.address, nonce + 1);
      const raw = await account.signTransaction({
        type: "eip1559",
        chainId: this.#chain.id,
        nonce,
        to: intent.to ?? null,
        data: intent.data ?? "0x",
        value: intent.value ?? 0n,
        gas,
        ...fees,
      });
      rows.push({ intent: intent.intent, signer: account.address, nonce, to: intent.to, raw, hash: keccak256(raw) });
    }
    const notes = plans.flatMap(({ intent }) => (intent.note === undefined ? [] : [intent.note]));
    await this.#outbox.insert(rows, notes);
    for (const row of rows) known.set(row.intent, { ...row, status: "signed", block: undefined });
    await this.#boundary("sender:signed");
    this.#guard();
    await this.#chain.broadcast(rows.map(({ raw }) => raw));
    await this.#boundary("sender:broadcast");
  }

  /** Waits for every row and writes down how it ended. */
  async #settleAll(intents: readonly Intent<Note>[], known: ReadonlyMap<IntentKey, OutboxRow>): Promise<readonly TransactionReceipt[]> {
    const receipts: TransactionReceipt[] = [];
    for (const { intent } of intents) {
      const row = known.get(intent);
      if (row === undefined) throw new InvalidValue("outbox", "a row that was written cannot be found", { details: intent });
      receipts.push(row.status === "signed" ? await this.#settle(row) : await this.#chain.receipt(row.hash));
    }
    return receipts;
  }

  /** Tells of the first that reverted. The others' receipts can be had by asking again. */
  async #allSucceeded(intents: readonly Intent<Note>[], receipts: readonly TransactionReceipt[]): Promise<readonly TransactionReceipt[]> {
    for (const [index, receipt] of receipts.entries()) {
      if (receipt.status !== "reverted") continue;
      const data = await this.#chain.revertData(receipt.transactionHash);
      const what = intents[index]?.what ?? "The transaction";
      throw new TransactionReverted({ phase: "mined", what, hash: receipt.transactionHash, ...decodeRevert(data, this.#errors) });
    }
    return receipts;
  }

  async #recoverOpen(signers: ReadonlySet<Address>): Promise<number> {
    const rows = (await this.#outbox.unsettled(await this.#head())).filter(({ signer }) => signers.has(signer));
    for (const row of rows) {
      await this.#rebroadcast(row);
      const { status } = await this.#settle(row);
      if (row.status !== "signed" && row.status !== status) {
        throw new ChainDisagrees(row.hash, `a transaction recorded as ${row.status} now ends as ${status}`);
      }
    }
    for (const signer of signers) this.#open.delete(signer);
    return rows.length;
  }

  /** The same bytes again, unless the chain has them. A refusal is success when it turns out to have them. */
  async #rebroadcast(row: OutboxRow): Promise<void> {
    if (await this.#isKnown(row.hash)) return;
    this.#guard();
    try {
      await this.#chain.broadcast([row.raw]);
    } catch (error) {
      if (error instanceof RpcUnreachable) throw error;
      if (await this.#isKnown(row.hash)) return;
      if ((await this.#minedCount(row.signer)) > row.nonce) throw new NonceTaken(row.signer, row.nonce, row.hash);
      throw error instanceof TransactionRefused ? error : new TransactionRefused(row.hash, messageOf(error), error);
    }
  }

  async #settle(row: OutboxRow): Promise<TransactionReceipt> {
    const receipt = await this.#chain.receipt(row.hash);
    await this.#outbox.settle(row.intent, receipt.status, receipt.blockNumber);
    return receipt;
  }

  async #isKnown(hash: Hash): Promise<boolean> {
    return (await this.#chain.request({ method: "eth_getTransactionByHash", params: [hash] })) !== null;
  }

  async #head(): Promise<bigint> {
    return z.coerce.bigint().parse(await this.#chain.request({ method: "eth_blockNumber" }));
  }

  async #nextNonce(signer: Address): Promise<number> {
    return Math.max(await this.#outbox.nextNonce(signer), await this.#minedCount(signer));
  }

  async #minedCount(signer: Address): Promise<number> {
    return z.coerce.number().parse(await this.#chain.request({ method: "eth_getTransactionCount", params: [signer, "latest"] }));
  }

  #accountFor({ account, intent }: Intent<Note>): LocalAccount {
    const chosen = account ?? this.#accounts[Number(BigInt(intent) % BigInt(this.#accounts.length))];
    if (chosen === undefined) throw new InvalidValue("sender", "needs at least one relayer");
    return chosen;
  }

  /** Only a revert is told as one; everything else (node gone, no funds) keeps its own name. */
  #refusal(what: string, cause: unknown): unknown {
    const revert = revertOf(cause);
    if (revert === undefined) return cause;
    const decoded = decodeRevert(revert.data, this.#errors);
    return new TransactionReverted({
      phase: "simulated",
      what,
      ...decoded,
      reason: revert.data === undefined ? revert.message : decoded.reason,
      cause,
    });
  }

  /** Takes the queues in the order of addresses, so that two calls never wait for each other. */
  #inQueues<Result>(addresses: readonly Address[], work: () => Promise<Result>): Promise<Result> {
    const ordered = [...new Set(addresses)].sort();
    return ordered.reduceRight<() => Promise<Result>>((inner, address) => {
      const queue = this.#queues.get(address) ?? new Mutex();
      this.#queues.set(address, queue);
      return () => queue.run(inner);
    }, work)();
  }
}

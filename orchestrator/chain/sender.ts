import type { Abi, LocalAccount, TransactionReceipt } from "viem";
import { keccak256, numberToHex, parseTransaction } from "viem";
import { z } from "zod";
import type { Boundary } from "../primitives/boundary.ts";
import { noBoundary } from "../primitives/boundary.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import type { Address, Hash, Hex, IntentKey } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { Chain } from "./chain.ts";
import { errorsOf } from "./chain.ts";
import {
  ChainDisagrees,
  isUnreachable,
  NonceTaken,
  ReceiptTimeout,
  TooMuchGas,
  TransactionRefused,
  TransactionReverted,
} from "./errors.ts";
import type { Outbox, OutboxRow, SignedRow } from "./outbox.ts";
import { intentKey } from "./outbox.ts";
import { decodeRevert, revertOf } from "./revert.ts";
import { RETRIES, type SilenceRetry } from "./silence-retry.ts";

/** Points at which a test may kill the process. */
export type SenderBoundary = "sender:signed" | "sender:broadcast";

/** One on-chain step. Repeated requests execute it once; a reverted step did not happen and is sent again. */
export interface Intent<Note = never> {
  readonly intent: IntentKey;
  /** Undefined: creates a contract from `data`. */
  readonly to?: Address | undefined;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
  /** Account that sends and pays gas. Default: the relayer chosen by the intent key. */
  readonly account?: LocalAccount | undefined;
  /** Gas limit; skips simulation, for a call that depends on an earlier one of the same `sendMany`. */
  readonly gas?: bigint | undefined;
  /** Largest acceptable gas, for a call into untrusted code. Default: a block's limit. */
  readonly maxGas?: bigint | undefined;
  /** Name of this step in errors, e.g. "castBallots". */
  readonly what?: string | undefined;
  /** Written in the same transaction as the outbox row. */
  readonly note?: Note | undefined;
}

export interface Sender<Note = never> {
  /**
   * Sends one transaction and waits for its receipt. Throws TransactionReverted if it would revert (nothing sent) or did, TooMuchGas
   * (nothing sent).
   */
  send(intent: Intent<Note>): Promise<TransactionReceipt>;
  /** Several in this order, in one block if the chain allows it. If one would revert, none is sent. */
  sendMany(intents: readonly Intent<Note>[]): Promise<readonly TransactionReceipt[]>;
  /**
   * To be called once at start. Compares the records with the chain and sends again, byte for byte, whatever the chain lacks. Returns the
   * number of transactions sent. Throws ChainDisagrees if the records belong to another chain.
   */
  recover(): Promise<number>;
  /** Number of signed transactions with unknown fate. */
  open(): Promise<number>;
  /** Writes the notes of steps that somebody else took, without a transaction. */
  record(notes: readonly Note[]): Promise<void>;
  readonly relayers: readonly Address[];
}

export interface SenderOptions<Note> {
  readonly chain: Chain;
  readonly outbox: Outbox<Note>;
  readonly relayers: readonly LocalAccount[];
  /** ABIs for decoding reverts. */
  readonly abis?: readonly Abi[];
  readonly boundary?: Boundary<SenderBoundary>;
  /** Called before each broadcast; throws if this process no longer owns the city. */
  readonly guard?: () => void;
  /**
   * Waits while the chain is unreachable, then sends in the order of requests; retries dropped and underpriced transactions. Without it
   * each of these is an error at once.
   */
  readonly silenceRetry?: SilenceRetry | undefined;
}

/** Added to an estimate: a quarter, and two words that it has to write if others' transactions go first. */
const GAS_MARGIN = { percent: 25n, words: 2n * 22_100n };

export function createSender<Note = never>(options: SenderOptions<Note>): Sender<Note> {
  return new QueueSender(options);
}

interface Plan<Note> {
  readonly intent: Intent<Note>;
  readonly account: LocalAccount;
  readonly gas: bigint;
}

/** An earlier call is waiting for the chain and goes first. */
class Overtaking extends Error {}

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

class QueueSender<Note> implements Sender<Note> {
  readonly relayers: readonly Address[];
  readonly #chain: Chain;
  readonly #outbox: Outbox<Note>;
  readonly #accounts: readonly LocalAccount[];
  readonly #errors: Abi;
  readonly #boundary: Boundary<SenderBoundary>;
  readonly #guard: () => void;
  readonly #silenceRetry: SilenceRetry | undefined;
  /** Calls delayed by an outage, in order of request. */
  readonly #delayed = new Map<number, Promise<unknown>>();
  #asked = 0;
  /** One queue per sending address; a call takes the queues of all its senders. */
  readonly #queues = new Map<Address, Mutex>();
  /** Senders whose last transaction has unknown fate: it is settled before their next one. */
  readonly #open = new Set<Address>();
  /** Accounts that signed here, so that a transaction can be signed again with a higher fee. */
  readonly #keys = new Map<Address, LocalAccount>();

  constructor(options: SenderOptions<Note>) {
    const [first] = options.relayers;
    if (first === undefined) throw new InvalidValue("sender", "needs at least one relayer");
    this.#chain = options.chain;
    this.#outbox = options.outbox;
    this.#accounts = options.relayers;
    this.relayers = options.relayers.map(({ address }) => address);
    for (const account of options.relayers) this.#keys.set(account.address, account);
    this.#errors = errorsOf(options.abis ?? []);
    this.#boundary = options.boundary ?? noBoundary;
    this.#guard = options.guard ?? (() => {});
    this.#silenceRetry = options.silenceRetry;
  }

  async send(intent: Intent<Note>): Promise<TransactionReceipt> {
    const [receipt] = await this.sendMany([intent]);
    if (receipt === undefined) throw new InvalidValue("send", "no receipt");
    return receipt;
  }

  async sendMany(intents: readonly Intent<Note>[]): Promise<readonly TransactionReceipt[]> {
    const keys = new Set(intents.map(({ intent }) => intent));
    if (keys.size !== intents.length) throw new InvalidValue("sendMany", "an intent key appears twice");
    for (const { account } of intents) if (account !== undefined) this.#keys.set(account.address, account);
    const silenceRetry = this.#silenceRetry;
    return silenceRetry === undefined ? this.#sendNow(intents) : this.#inOrder(silenceRetry, intents);
  }

  /** Calls that met an outage, and later ones, are sent in the order of request. No lock is held meanwhile. */
  async #inOrder(silenceRetry: SilenceRetry, intents: readonly Intent<Note>[]): Promise<readonly TransactionReceipt[]> {
    const place = this.#asked++;
    const done = Promise.withResolvers<void>();
    const earlier = () => [...this.#delayed].flatMap(([other, end]) => (other < place ? [end] : []));
    const inTurn: InTurn = async (work) => {
      if (earlier().length > 0) throw new Overtaking();
      try {
        return await work();
      } catch (error) {
        if (isUnreachable(error)) this.#delayed.set(place, done.promise);
        throw error;
      }
    };
    try {
      return await silenceRetry.through(async () => {
        for (;;) {
          if (silenceRetry.isSilent) this.#delayed.set(place, done.promise);
          await Promise.all(earlier());
          try {
            return await this.#withRetries(silenceRetry, intents, inTurn);
          } catch (error) {
            if (!(error instanceof Overtaking)) throw error;
          }
        }
      });
    } finally {
      this.#delayed.delete(place);
      done.resolve();
    }
  }

  /** A transaction that is not mined, or underpriced, is retried three times (AgentCity B.11.5, failure mode 1). */
  async #withRetries(silenceRetry: SilenceRetry, intents: readonly Intent<Note>[], inTurn: InTurn): Promise<readonly TransactionReceipt[]> {
    const since = silenceRetry.clock.now();
    for (const delay of RETRIES) {
      try {
        return await this.#sendNow(intents, inTurn);
      } catch (error) {
        if (!(error instanceof ReceiptTimeout) && !isUnderpriced(error)) throw error;
        await silenceRetry.clock.sleepUntil(since + delay);
      }
    }
    return this.#sendNow(intents, inTurn);
  }

  /** `inTurn` is called once the queues are taken; it refuses if another call has to go first. */
  async #sendNow(intents: readonly Intent<Note>[], inTurn: InTurn = (work) => work()): Promise<readonly TransactionReceipt[]> {
    const senders = intents.map((intent) => this.#accountFor(intent).address);
    return this.#inQueues(senders, () => inTurn(() => this.#sendAll(intents, senders)));
  }

  /** What ran out of gas, because others' transactions went first, is estimated and sent once more. */
  async #sendAll(intents: readonly Intent<Note>[], senders: readonly Address[], isLast = false): Promise<readonly TransactionReceipt[]> {
    if (senders.some((sender) => this.#open.has(sender))) await this.#recoverOpen(new Set(senders));
    const current: Intent<Note>[] = [];
    const known = new Map<IntentKey, OutboxRow>();
    for (const step of intents) {
      const { intent, row } = await this.#newest(step.intent);
      current.push({ ...step, intent });
      if (row !== undefined) known.set(intent, row);
    }
    for (const row of await this.#restore([...known.values()])) known.set(row.intent, row);
    const fresh = current.filter(({ intent }) => !known.has(intent));
    const plans: Plan<Note>[] = [];
    for (const intent of fresh) plans.push(await this.#plan(intent));
    for (const { account } of plans) this.#open.add(account.address);
    await this.#sendNew(plans, known);
    const receipts = await this.#settleAll(current, known);
    for (const { account } of plans) this.#open.delete(account.address);
    const limits = new Map(plans.map(({ intent, gas }) => [intent.intent, gas]));
    const ranOut = receipts.some(({ status, gasUsed }, index) => {
      const { intent, gas, maxGas } = current[index] ?? {};
      const limit = intent === undefined || gas !== undefined || maxGas !== undefined ? undefined : limits.get(intent);
      return status === "reverted" && limit !== undefined && gasUsed * 64n >= limit * 63n;
    });
    return ranOut && !isLast ? this.#sendAll(intents, senders, true) : this.#allSucceeded(current, receipts);
  }

  /** A step's latest attempt: one that reverted did not happen, so the next has its own key. */
  async #newest(step: IntentKey): Promise<{ readonly intent: IntentKey; readonly row: OutboxRow | undefined }> {
    for (let attempt = 0; ; attempt += 1) {
      const intent = attempt === 0 ? step : intentKey(step, "again", attempt);
      const row = await this.#outbox.find(intent);
      if (row?.status !== "reverted") return { intent, row };
    }
  }

  /**
   * Sends transactions again that are signed or settled but not on chain: they never arrived, were dropped, or their block was replaced.
   * Returns the current rows.
   */
  async #restore(rows: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
    const lost: OutboxRow[] = [];
    for (const row of rows) if (!(await this.#isKnown(row.hash))) lost.push(row);
    if (lost.some(({ status }) => status !== "signed")) await this.#recoverOpen(new Set(lost.map(({ signer }) => signer)));
    else for (const row of lost) await this.#rebroadcast(row);
    return Promise.all(lost.map(async (row) => (await this.#outbox.find(row.intent)) ?? row));
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

  async open(): Promise<number> {
    return (await this.#outbox.unsettled(await this.#head())).length;
  }

  record(notes: readonly Note[]): Promise<void> {
    return this.#outbox.insert([], notes);
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
    const { what = "The transaction", maxGas } = intent;
    const estimate = await this.#chain.request({ method: "eth_estimateGas", params: [call, "pending"] }).catch((cause: unknown) => {
      throw this.#refusal(what, cause);
    });
    const gas = (z.coerce.bigint().parse(estimate) * (100n + GAS_MARGIN.percent)) / 100n + GAS_MARGIN.words;
    if (maxGas !== undefined && gas > maxGas) throw new TooMuchGas(what, gas, maxGas);
    return { intent, account, gas };
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

  /** Waits for every row and records its result. */
  async #settleAll(intents: readonly Intent<Note>[], known: ReadonlyMap<IntentKey, OutboxRow>): Promise<readonly TransactionReceipt[]> {
    const receipts: TransactionReceipt[] = [];
    for (const { intent } of intents) {
      const row = known.get(intent);
      if (row === undefined) throw new InvalidValue("outbox", "a row that was written cannot be found", { details: intent });
      receipts.push(row.status === "signed" ? await this.#settle(row) : await this.#chain.receipt(row.hash));
    }
    return receipts;
  }

  /** Throws for the first that reverted. The others' receipts can be requested again. */
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
    const open = (await this.#outbox.unsettled(await this.#head())).filter(({ signer }) => signers.has(signer));
    const found = new Set(open.map(({ intent }) => intent));
    const lost: OutboxRow[] = [];
    for (const signer of signers)
      for (const row of await this.#outbox.since(signer, await this.#minedCount(signer))) if (!found.has(row.intent)) lost.push(row);
    for (const row of [...lost, ...open]) await this.#rebroadcast(row);
    for (const row of [...lost, ...open]) {
      const { status } = await this.#settle((await this.#outbox.find(row.intent)) ?? row);
      if (found.has(row.intent) && row.status !== "signed" && row.status !== status) {
        throw new ChainDisagrees(row.hash, `a transaction recorded as ${row.status} now ends as ${status}`);
      }
    }
    for (const signer of signers) this.#open.delete(signer);
    return lost.length + open.length;
  }

  /** Sends the same bytes again, unless the chain has them. A refusal counts as success if it turns out to have them. */
  async #rebroadcast(row: OutboxRow): Promise<void> {
    if (await this.#isKnown(row.hash)) return;
    this.#guard();
    try {
      await this.#chain.broadcast([row.raw]);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      if (await this.#isKnown(row.hash)) return;
      if ((await this.#minedCount(row.signer)) > row.nonce) throw new NonceTaken(row.signer, row.nonce, row.hash);
      if (isUnderpriced(error) && (await this.#payMore(row))) return;
      throw error instanceof TransactionRefused ? error : new TransactionRefused(row.hash, messageOf(error), error);
    }
  }

  /** Signs the same step with current fees under its nonce, so that only one of both can be mined (decision 37). */
  async #payMore(row: OutboxRow): Promise<boolean> {
    const account = this.#keys.get(row.signer);
    if (account === undefined || row.status !== "signed") return false;
    const { type, chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(row.raw);
    if (type !== "eip1559") return false;
    const today = await this.#chain.fees();
    const fees = {
      maxFeePerGas: atLeast(today.maxFeePerGas, maxFeePerGas),
      maxPriorityFeePerGas: atLeast(today.maxPriorityFeePerGas, maxPriorityFeePerGas),
    };
    if (this.#chain.feeCap !== undefined && fees.maxFeePerGas > this.#chain.feeCap) return false;
    const raw = await account.signTransaction({ type, chainId, nonce: nonce ?? 0, to: to ?? null, data, value, gas, ...fees });
    await this.#outbox.replace(row.intent, raw, keccak256(raw));
    this.#guard();
    await this.#chain.broadcast([raw]);
    return true;
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

  /** Only a revert is reported as one; other errors (node unreachable, insufficient funds) keep their names. */
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

  /** Takes the queues in order of address, which avoids deadlocks. */
  #inQueues<Result>(addresses: readonly Address[], work: () => Promise<Result>): Promise<Result> {
    const ordered = [...new Set(addresses)].sort();
    return ordered.reduceRight<() => Promise<Result>>((inner, address) => {
      const queue = this.#queues.get(address) ?? new Mutex();
      this.#queues.set(address, queue);
      return () => queue.run(inner);
    }, work)();
  }
}

/** At least a tenth more than the old fee: nodes replace a transaction for no less. */
function atLeast(today: bigint, old: bigint | undefined): bigint {
  const raised = ((old ?? 0n) * 110n) / 100n + 1n;
  return today > raised ? today : raised;
}

/** Whether the fee is below the block's, or below what replaces a pending transaction of the same nonce. Each node has its own wording. */
function isUnderpriced(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /underpriced|max fee per gas less than|fee too low/i.test(error.message) || isUnderpriced(error.cause);
}

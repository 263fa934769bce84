import { AgentCityError } from "../primitives/errors.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { diagnose } from "../protocol/diagnoses.ts";

/** No answer from the chain's node. Whether a sent request arrived is unknown. */
export class RpcUnreachable extends AgentCityError {
  readonly url: string;
  constructor(url: string, reason: string, cause?: unknown) {
    super("RpcUnreachable", `No answer from the chain at ${url}`, {
      details: reason,
      action: "check that the node runs and the URL is right; nothing is lost, run the command again",
      cause,
    });
    this.url = url;
  }
}

/** Whether no answer came. Libraries in between wrap unexpected errors. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof RpcUnreachable) return true;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}

/** The chain was unreachable for so long that only humans may let work continue (AgentCity B.11.5). */
export class ChainSilent extends AgentCityError {
  readonly since: bigint;
  constructor(since: bigint, lasted: bigint, cause?: unknown) {
    super("ChainSilent", `The chain has not answered for ${lasted} s: all work is suspended, and nothing is lost`, {
      action: "check the node, then run the command again: signed transactions are sent, the rest is resumed from the records",
      cause,
    });
    this.since = since;
  }
}

/** The ChainSilent behind an error, however it is wrapped. */
export function silenceIn(error: unknown): ChainSilent | undefined {
  if (error instanceof ChainSilent) return error;
  return error instanceof Error && error.cause !== undefined ? silenceIn(error.cause) : undefined;
}

/** The node serves another chain than expected. */
export class WrongChain extends AgentCityError {
  constructor(url: string, expected: number, actual: number) {
    super("WrongChain", `The node at ${url} serves chain ${actual}, not ${expected}`, {
      action: "give the URL of the right network, or the right --network",
    });
  }
}

/** EDR is a development dependency: only the embedded chain needs it. */
export class EmbeddedChainMissing extends AgentCityError {
  constructor(cause: unknown) {
    super("EmbeddedChainMissing", "The embedded chain needs the package `@nomicfoundation/edr`, which is not installed", {
      action: "npm ci with development dependencies, or name an RPC URL",
      cause,
    });
  }
}

/** What to do if a city's history is damaged. */
const RESTORE =
  "restore chain.ndjson from a copy of the folder, or from the bundle of the city's last mission; or start a new city (npm start), which moves this one aside";

/** Replaying the transcript produced a different block. */
export class TranscriptMismatch extends AgentCityError {
  readonly block: bigint;
  constructor(block: bigint, expected: string, actual: string, where = "the transcript") {
    super("TranscriptMismatch", `Block ${block} of ${where} does not replay to its recorded hash`, {
      details: `recorded ${expected}, replayed ${actual}`,
      action: `the file was changed, or belongs to another version of the chain; ${RESTORE}`,
    });
    this.block = block;
  }
}

/** A line of the transcript is unreadable. */
export class TranscriptDamaged extends AgentCityError {
  readonly line: number;
  constructor(line: number, problem: string, where = "the transcript", cause?: unknown) {
    super("TranscriptDamaged", `Line ${line} of ${where} cannot be read: ${problem}`, { action: RESTORE, cause });
    this.line = line;
  }
}

/** The chain refused a transaction; it is in no block. */
export class TransactionRefused extends AgentCityError {
  readonly hash: Hash;
  constructor(hash: Hash, reason: string, cause?: unknown) {
    super("TransactionRefused", `The chain refused a transaction: ${reason}`, { details: hash, cause });
    this.hash = hash;
  }
}

/** The transaction reverted, or would. `errorName` and `args`: the contract's custom error. */
export class TransactionReverted extends AgentCityError {
  readonly phase: "simulated" | "mined";
  readonly errorName: string | undefined;
  readonly args: readonly unknown[];
  readonly data: Hex | undefined;
  readonly hash: Hash | undefined;

  constructor(facts: {
    readonly phase: "simulated" | "mined";
    readonly what: string;
    readonly reason: string;
    readonly errorName?: string | undefined;
    readonly args?: readonly unknown[] | undefined;
    readonly data?: Hex | undefined;
    readonly hash?: Hash | undefined;
    readonly cause?: unknown;
  }) {
    const would = facts.phase === "simulated" ? "would be refused by the contract; nothing was sent" : "was reverted by the contract";
    const diagnosis = diagnose(facts.errorName, facts.args ?? []);
    const details = [diagnosis?.means, facts.hash].filter((line) => line !== undefined);
    super("TransactionReverted", `${facts.what} ${would}: ${facts.reason}`, {
      details: details.length === 0 ? undefined : details.join("\n"),
      action: diagnosis?.helps,
      cause: facts.cause,
    });
    this.phase = facts.phase;
    this.errorName = facts.errorName;
    this.args = facts.args ?? [];
    this.data = facts.data;
    this.hash = facts.hash;
  }
}

/** A call into untrusted code would use more gas than allowed. */
export class TooMuchGas extends AgentCityError {
  constructor(what: string, gas: bigint, most: bigint) {
    super("TooMuchGas", `${what} would take ${gas} gas, more than is sent for it; nothing was sent`, {
      details: `at most ${most}`,
      action: "send the transaction yourself: anyone may",
    });
  }
}

/** No receipt came in time. The transaction's fate is unknown, not failed: recovery will check again. */
export class ReceiptTimeout extends AgentCityError {
  readonly hash: Hash;
  constructor(hash: Hash, seconds: number, cause?: unknown) {
    super("ReceiptTimeout", `No receipt after ${seconds} s; the transaction may still be mined`, {
      details: hash,
      action: "run the command again: it looks the transaction up and sends nothing twice",
      cause,
    });
    this.hash = hash;
  }
}

/** Another transaction of the same sender used the nonce, so this one can never be mined. */
export class NonceTaken extends AgentCityError {
  constructor(signer: string, nonce: number, hash: Hash) {
    super("NonceTaken", `Nonce ${nonce} of ${signer} was used by a transaction this city did not record`, {
      details: `recorded ${hash}`,
      action: "another program uses this relayer's key: stop it, and give each program its own relayers",
    });
  }
}

/** The chain has no oracle for L1 data costs. */
export class NoDataFee extends AgentCityError {
  constructor(chain: string, answer: string) {
    super("NoDataFee", `${chain} does not state what data costs on L1`, { details: answer });
  }
}

/** The chain is not the one that the records were made with. */
export class ChainDisagrees extends AgentCityError {
  constructor(hash: Hash, problem: string, cause?: unknown) {
    super("ChainDisagrees", `The chain disagrees with this city's records: ${problem}`, {
      cause,
      details: hash,
      action: "point the city at the chain it was made with, or start it in an empty directory",
    });
  }
}

/** The city's transcript is missing, or lacks blocks that the records know. Nothing was sent or written. */
export class HistoryMissing extends AgentCityError {
  constructor(path: string, problem: string) {
    super("HistoryMissing", `${path} ${problem}`, { details: "nothing was sent, and nothing in the folder was changed", action: RESTORE });
  }
}

/** A request exceeded its execution limits and was stopped; the chain is unchanged. */
export class TooHeavy extends AgentCityError {
  /** @param limit The exceeded limit, e.g. "1,024 MiB of memory". */
  constructor(limit: string) {
    super("TooHeavy", `Executing this takes more than ${limit}: it was stopped`, {
      action: "ask for less at once; the chain itself is not affected",
    });
  }
}

/** Whether a limit was exceeded, however the error is wrapped. */
export function isTooHeavy(error: unknown): boolean {
  if (error instanceof TooHeavy) return true;
  return error instanceof Error && error.cause !== undefined && isTooHeavy(error.cause);
}

/** The answer is larger than other processes may request at once. */
export class AnswerTooLarge extends AgentCityError {
  /** @param limit The exceeded limit, e.g. "10,000 events". */
  constructor(limit: string) {
    super("AnswerTooLarge", `The answer to this is more than ${limit}`, {
      action: "ask for fewer blocks at once (fromBlock, toBlock), or for one address or topic",
    });
  }
}

/** The queue for requests of other processes is full. */
export class ChainOverloaded extends AgentCityError {
  constructor() {
    super("ChainOverloaded", "Too many requests are already waiting for this chain", { action: "try again later" });
  }
}

/** The method is not offered to other processes. */
export class MethodNotAllowed extends AgentCityError {
  constructor(method: string) {
    super("MethodNotAllowed", `The method ${method} is not offered`, {
      action: "only reads and eth_sendRawTransaction are; sign with your own key",
    });
  }
}

/** This process closed the chain; work that it did not wait for went on. Nothing was sent or written. */
export class ChainClosed extends AgentCityError {
  constructor(work: string) {
    super("ChainClosed", `${work}: the chain was closed`, { action: "open the city again; what was not sent is resumed from the records" });
  }
}

/** Another running process owns this city. */
export class CityBusy extends AgentCityError {
  readonly pid: number;
  constructor(path: string, pid: number) {
    super("CityBusy", `The city is already open in process ${pid}`, {
      details: path,
      action: "use it over its RPC and API URLs (city.json), or stop that process first",
    });
    this.pid = pid;
  }
}

/** Another process took the city over while this one believed to own it. */
export class LockLost extends AgentCityError {
  constructor(path: string) {
    super("LockLost", "This process no longer owns the city", {
      details: path,
      action: "stop this process; the new owner continues from the same records",
    });
  }
}

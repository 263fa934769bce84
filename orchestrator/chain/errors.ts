import { AgentCityError } from "../primitives/errors.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { diagnose } from "../protocol/diagnoses.ts";

/** No answer from the chain's node. Whether something sent to it arrived is unknown. */
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

/** True when no answer came. Libraries in between wrap what they did not expect. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof RpcUnreachable) return true;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}

/** The chain was silent for so long that only humans may let work go on (AgentCity B.11.5). */
export class ChainSilent extends AgentCityError {
  readonly since: bigint;
  constructor(since: bigint, lasted: bigint, cause?: unknown) {
    super("ChainSilent", `The chain has not answered for ${lasted} s: all work stops, nothing of it is lost`, {
      action: "check the node, then run the command again: what was signed is sent, the rest is done again from the records",
      cause,
    });
    this.since = since;
  }
}

/** The silence that an error ended in, however it is wrapped. */
export function silenceIn(error: unknown): ChainSilent | undefined {
  if (error instanceof ChainSilent) return error;
  return error instanceof Error && error.cause !== undefined ? silenceIn(error.cause) : undefined;
}

/** The node answers for another chain than the one asked for. */
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

/** What helps where a city's history is not what it was. */
const RESTORE =
  "restore chain.ndjson from a copy of the folder, or from the bundle of the city's last mission; or begin a new city (npm start), which keeps this one aside";

/** Replaying the transcript gave another block than the one it recorded. */
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

/** A line of the transcript cannot be read. */
export class TranscriptDamaged extends AgentCityError {
  readonly line: number;
  constructor(line: number, problem: string, where = "the transcript", cause?: unknown) {
    super("TranscriptDamaged", `Line ${line} of ${where} cannot be read: ${problem}`, { action: RESTORE, cause });
    this.line = line;
  }
}

/** The chain refused to take a transaction; it is in no block. */
export class TransactionRefused extends AgentCityError {
  readonly hash: Hash;
  constructor(hash: Hash, reason: string, cause?: unknown) {
    super("TransactionRefused", `The chain refused a transaction: ${reason}`, { details: hash, cause });
    this.hash = hash;
  }
}

/** The transaction ran, or would run, into a revert. `errorName` and `args` are the contract's custom error. */
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

/** A call that runs code of strangers would take more gas than it is worth. */
export class TooMuchGas extends AgentCityError {
  constructor(what: string, gas: bigint, most: bigint) {
    super("TooMuchGas", `${what} would take ${gas} gas, more than is sent for it; nothing was sent`, {
      details: `at most ${most}`,
      action: "send the transaction yourself: anybody may",
    });
  }
}

/** A signed transaction got no receipt in time. Its fate is unknown, not failed: recovery asks again. */
export class ReceiptTimeout extends AgentCityError {
  readonly hash: Hash;
  constructor(hash: Hash, seconds: number, cause?: unknown) {
    super("ReceiptTimeout", `No receipt after ${seconds} s; the transaction may still be mined`, {
      details: hash,
      action: "run the command again: it asks for the same transaction and sends nothing twice",
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
      action: "another program sends with this relayer's key: stop it and give each its own relayers",
    });
  }
}

/** Nothing at this chain says what data costs on L1. */
export class NoDataFee extends AgentCityError {
  constructor(chain: string, answer: string) {
    super("NoDataFee", `${chain} does not say what data costs on L1`, { details: answer });
  }
}

/** The records and the chain tell different stories: this is not the chain the records were made with. */
export class ChainDisagrees extends AgentCityError {
  constructor(hash: Hash, problem: string, cause?: unknown) {
    super("ChainDisagrees", `The chain disagrees with this city's records: ${problem}`, {
      cause,
      details: hash,
      action: "point the city at the chain it was made with, or start it in an empty directory",
    });
  }
}

/** The city's transcript is not there, or lacks blocks that its records know. Nothing was sent or written. */
export class HistoryMissing extends AgentCityError {
  constructor(path: string, problem: string) {
    super("HistoryMissing", `${path} ${problem}`, { details: "nothing was sent, and nothing in the folder was changed", action: RESTORE });
  }
}

/** Executing what was asked took more than a request may; it was stopped, and the chain is as it was. */
export class TooHeavy extends AgentCityError {
  /** @param limit What it exceeded, e.g. "1,024 MiB of memory". */
  constructor(limit: string) {
    super("TooHeavy", `Executing this takes more than ${limit}: it was stopped`, {
      action: "ask for less at once; the chain itself is not affected",
    });
  }
}

/** True when a limit ended it, however it is wrapped. */
export function isTooHeavy(error: unknown): boolean {
  if (error instanceof TooHeavy) return true;
  return error instanceof Error && error.cause !== undefined && isTooHeavy(error.cause);
}

/** What was asked has a larger answer than other processes get at once. */
export class AnswerTooLarge extends AgentCityError {
  /** @param limit What it exceeded, e.g. "10,000 events". */
  constructor(limit: string) {
    super("AnswerTooLarge", `The answer to this is more than ${limit}`, {
      action: "ask for fewer blocks at once (fromBlock, toBlock), or for one address or topic",
    });
  }
}

/** More requests wait than the city answers other processes at once. */
export class ChainOverloaded extends AgentCityError {
  constructor() {
    super("ChainOverloaded", "Too many requests wait for this chain already", { action: "ask again when some were answered" });
  }
}

/** The facade does not let this method through. */
export class MethodNotAllowed extends AgentCityError {
  constructor(method: string) {
    super("MethodNotAllowed", `The method ${method} is not offered`, {
      action: "only reads and eth_sendRawTransaction are; sign with your own key",
    });
  }
}

/** Another living process owns this city. */
export class CityBusy extends AgentCityError {
  readonly pid: number;
  constructor(path: string, pid: number) {
    super("CityBusy", `The city is already open in process ${pid}`, {
      details: path,
      action: "use it over its RPC and API URLs (city.json), or end that process first",
    });
    this.pid = pid;
  }
}

/** Somebody else took the city over while this process thought it held it. */
export class LockLost extends AgentCityError {
  constructor(path: string) {
    super("LockLost", "This process does not own the city any more", {
      details: path,
      action: "stop; the new owner goes on from the same records",
    });
  }
}

import { closeSync, existsSync, fsync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { makeFolder, syncDirectory, writeAll } from "../primitives/files.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, isObject, parseJson } from "../primitives/json.ts";
import { dealtSchema } from "./dealt.ts";
import { TranscriptDamaged } from "./errors.ts";

const whole = z.number().int().nonnegative();

/** Everything that determines block 0. It is the first line, so that a transcript is self-contained. */
export const genesisSchema = z.strictObject({
  /** The node that made the blocks; Hardhat's EDR if absent. */
  engine: z.literal("anvil").optional(),
  chainId: z.number().int().positive(),
  /** Seconds. */
  timestamp: whole,
  hardfork: z.string(),
  mnemonic: z.string(),
  accounts: z.number().int().positive().max(100),
  /** Wei per account, decimal. */
  balance: z.string().regex(/^[0-9]+$/),
  coinbase: hexSchema,
  baseFee: whole,
  gasLimit: z.number().int().positive().max(60_000_000),
  /** The forked block of another chain, which this one continues. `timestamp` and `baseFee` are that block's. */
  fork: z
    .strictObject({
      ...{ chainId: z.number().int().positive(), number: whole, hash: hashSchema },
      /** Accounts of the mnemonic that were delegated there (EIP-7702): on the fork they have no code, as on any devnet. */
      delegated: z.array(z.number().int().nonnegative().max(999)).max(1_000).optional(),
      /** The founder's balance of the settlement token, a contract of that chain. */
      dealt: dealtSchema.optional(),
    })
    .optional(),
});
export type Genesis = z.infer<typeof genesisSchema>;

const headerSchema = z.strictObject({ transcript: z.literal(1), genesis: genesisSchema, hash: hashSchema });
const blockSchema = z.strictObject({
  number: z.number().int().positive(),
  timestamp: whole,
  hash: hashSchema,
  transactions: z.array(hexSchema),
});

/** One mined block: raw signed transactions in order. Timestamp in seconds. */
export interface TranscriptBlock {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly hash: Hash;
  readonly transactions: readonly Hex[];
}

export interface TranscriptText {
  readonly genesis: Genesis;
  /** Hash of block 0. */
  readonly hash: Hash;
  readonly blocks: readonly TranscriptBlock[];
}

export function headerLine(genesis: Genesis, hash: Hash): string {
  return `${canonicalJson({ transcript: 1, genesis, hash })}\n`;
}

export function blockLine(block: TranscriptBlock): string {
  const { hash, transactions } = block;
  return `${canonicalJson({ number: Number(block.number), timestamp: Number(block.timestamp), hash, transactions })}\n`;
}

/** Number of a chain's first block: 0, or that of the forked block. */
export function baseOf({ fork }: Genesis): bigint {
  return BigInt(fork?.number ?? 0);
}

/** Parses a whole transcript; every line must be complete, and blocks consecutive. `where`: the file, for errors. */
export function parseTranscript(text: string, where?: string): TranscriptText {
  if (!text.endsWith("\n")) throw new TranscriptDamaged(text.split("\n").length, "the last line is torn", where);
  const [first, ...rest] = text.slice(0, -1).split("\n");
  const header = parseLine(headerSchema, first ?? "", 1, where);
  const blocks = rest.map((line, index) => {
    const block = parseLine(blockSchema, line, index + 2, where);
    const expected = index + 1 + Number(baseOf(header.genesis));
    if (block.number !== expected) throw new TranscriptDamaged(index + 2, `expected block ${expected}, found ${block.number}`, where);
    return { ...block, number: BigInt(block.number), timestamp: BigInt(block.timestamp) };
  });
  return { genesis: header.genesis, hash: header.hash, blocks };
}

function parseLine<Schema extends z.ZodType>(schema: Schema, line: string, number: number, where?: string): z.infer<Schema> {
  try {
    const value = schema.parse(parseJson(line));
    if (canonicalJson(value) !== line) throw new InvalidValue("line", "it is not in canonical form");
    return value;
  } catch (cause) {
    throw new TranscriptDamaged(number, cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause), where, cause);
  }
}

/** Appends lines one at a time; each is on disk once `append` has returned. */
export interface TranscriptFile {
  /** Its complete lines. */
  text(): string;
  append(line: string): Promise<void>;
  close(): void;
}

/**
 * Opens `chain.ndjson`. An unfinished last line was being written when the process died: it is ignored, and cut off with the first append.
 * Nothing is lost, because its transactions are in the outbox and are sent again.
 */
export function openTranscriptFile(path: string, log: (line: string) => void): TranscriptFile {
  makeFolder(dirname(path));
  const isNew = !existsSync(path);
  const descriptor = openSync(path, "a+");
  const bytes = readFileSync(descriptor);
  const complete = bytes.lastIndexOf(0x0a) + 1;
  const tail = bytes.subarray(complete);
  // An editor may have dropped the final newline of a complete line.
  const lacksEnd = isWhole(tail);
  const isTorn = tail.length > 0 && !lacksEnd;
  if (isTorn) log(`${path}: the last ${tail.length} bytes are a torn line and are ignored; its transactions will be sent again`);
  if (isNew) syncDirectory(dirname(path));
  let repaired = tail.length === 0;
  let isOpen = true;
  return {
    text: () =>
      repaired ? readFileSync(path, "utf8") : `${bytes.toString("utf8", 0, isTorn ? complete : bytes.length)}${lacksEnd ? "\n" : ""}`,
    async append(line) {
      if (isTorn && !repaired) ftruncateSync(descriptor, complete);
      writeAll(descriptor, new TextEncoder().encode(lacksEnd && !repaired ? `\n${line}` : line));
      repaired = true;
      await flush(descriptor);
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Other missions go on while the disk works. */
const flush = promisify(fsync);

/** Part of a line is never JSON: it lacks its last brace. */
function isWhole(tail: Uint8Array): boolean {
  try {
    return tail.length > 0 && isObject(parseJson(new TextDecoder().decode(tail)));
  } catch {
    return false;
  }
}

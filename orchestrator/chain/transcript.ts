import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { syncDirectory, writeAll } from "../primitives/files.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import { TranscriptDamaged } from "./errors.ts";

const whole = z.number().int().nonnegative();

/** All that determines block 0. Written as the first line, so that a transcript replays without anything else. */
export const genesisSchema = z.strictObject({
  /** The node whose blocks these are; Hardhat's EDR when absent. */
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
  gasLimit: z.number().int().positive(),
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

/** Reads a whole transcript; every line must be complete and blocks must follow each other. */
export function parseTranscript(text: string): TranscriptText {
  if (!text.endsWith("\n")) throw new TranscriptDamaged(text.split("\n").length, "the last line is torn");
  const [first, ...rest] = text.slice(0, -1).split("\n");
  const header = parseLine(headerSchema, first ?? "", 1);
  const blocks = rest.map((line, index) => {
    const block = parseLine(blockSchema, line, index + 2);
    if (block.number !== index + 1) throw new TranscriptDamaged(index + 2, `expected block ${index + 1}, found ${block.number}`);
    return { ...block, number: BigInt(block.number), timestamp: BigInt(block.timestamp) };
  });
  return { genesis: header.genesis, hash: header.hash, blocks };
}

function parseLine<Schema extends z.ZodType>(schema: Schema, line: string, number: number): z.infer<Schema> {
  try {
    const value = schema.parse(parseJson(line));
    if (canonicalJson(value) !== line) throw new InvalidValue("line", "it is not in canonical form");
    return value;
  } catch (cause) {
    throw new TranscriptDamaged(number, cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause), cause);
  }
}

/** Appends lines; each is on disk when `append` returns. */
export interface TranscriptFile {
  append(line: string): void;
  close(): void;
}

/**
 * Opens `chain.ndjson`. A last line without its end was being written when the process died: it is cut off, aloud. Nothing
 * is lost by that, because its transactions are in the outbox and are sent again.
 */
export function openTranscriptFile(path: string, log: (line: string) => void): { readonly text: string; readonly file: TranscriptFile } {
  mkdirSync(dirname(path), { recursive: true });
  const isNew = !existsSync(path);
  const descriptor = openSync(path, "a+");
  const bytes = readFileSync(descriptor);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) {
    log(`${path}: the last ${bytes.length - end} bytes are a torn line, cut off; its transactions will be sent again`);
    ftruncateSync(descriptor, end);
    fsyncSync(descriptor);
  }
  if (isNew) syncDirectory(dirname(path));
  let isOpen = true;
  return {
    text: bytes.subarray(0, end).toString("utf8"),
    file: {
      append(line) {
        writeAll(descriptor, new TextEncoder().encode(line));
        fsyncSync(descriptor);
      },
      close() {
        if (isOpen) closeSync(descriptor);
        isOpen = false;
      },
    },
  };
}

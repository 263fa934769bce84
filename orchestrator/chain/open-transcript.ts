import { parseTransaction } from "viem";
import { openAnvilChain } from "./anvil-chain.ts";
import type { DrivenChain } from "./driven.ts";
import { openForeignTranscript } from "./embedded.ts";
import { TooHeavy } from "./errors.ts";
import { type ReplayLimits, replayLimits } from "./replay-limits.ts";
import { parseTranscript, type TranscriptBlock } from "./transcript.ts";

/**
 * Replays a transcript on a new chain of its kind. Throws at the first block with a different hash, and TooHeavy beyond `limits`. A fork
 * needs a node of the chain it was forked from.
 */
export async function openTranscript(transcript: string, limits: ReplayLimits = replayLimits(), forkUrl?: string): Promise<DrivenChain> {
  const { genesis, blocks } = parseTranscript(transcript);
  const gas = gasOf(blocks);
  if (gas > limits.gas) throw new TooHeavy(`${limits.gas.toLocaleString("en")} gas in all (it asks for ${gas.toLocaleString("en")})`);
  return genesis.engine === "anvil" ? openAnvilChain({ transcript, forkUrl }) : openForeignTranscript(transcript, limits);
}

/** Sum of the transactions' gas limits. Unreadable ones are refused on replay. */
function gasOf(blocks: readonly TranscriptBlock[]): bigint {
  let sum = 0n;
  for (const raw of blocks.flatMap(({ transactions }) => transactions)) {
    try {
      sum += parseTransaction(raw).gas ?? 0n;
    } catch {}
  }
  return sum;
}

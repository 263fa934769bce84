import { openAnvilChain } from "./anvil-chain.ts";
import type { DrivenChain } from "./driven.ts";
import { openForeignTranscript } from "./embedded.ts";
import { parseTranscript } from "./transcript.ts";

/** Mines a transcript again on a new chain of the kind it was made on; throws at the first block whose hash is another. */
export function openTranscript(transcript: string): Promise<DrivenChain> {
  const { engine } = parseTranscript(transcript).genesis;
  return engine === "anvil" ? openAnvilChain({ transcript }) : openForeignTranscript(transcript);
}

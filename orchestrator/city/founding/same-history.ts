import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CityChain } from "../../chain/chain.ts";
import { TRANSCRIPT_FILE } from "../../chain/driven.ts";
import { ChainDisagrees, HistoryMissing } from "../../chain/errors.ts";
import type { Outbox } from "../../chain/outbox.ts";
import type { Address } from "../../primitives/hex.ts";
import { RecordsDamaged } from "../../records/errors.ts";
import { deploymentFile } from "./deployment-file.ts";

/**
 * A city's folder holds its history twice, as a chain and as records, and a devnet's chain is never reorganized: its transcript is on disk
 * before the records say that something is done. So whatever one of them lacks was lost or exchanged while no process ran, and nothing may
 * be sent or written until it is back.
 */

/** Before the chain is opened, which would begin a transcript: a city that was founded has one. */
export function requireTranscript(dir: string): void {
  const path = join(dir, TRANSCRIPT_FILE);
  const isEmpty = !existsSync(path) || statSync(path).size === 0;
  const wasFounded = existsSync(deploymentFile(dir)) || existsSync(readyMark(dir));
  if (isEmpty && wasFounded) throw new HistoryMissing(path, existsSync(path) ? "is empty" : "is missing");
}

/** Before the records are opened, which would begin new ones: a chain with blocks was made by a city that had them. */
export function requireRecords(dir: string): void {
  const blocks = existsSync(readyMark(dir)) ? 0 : recordedBlocks(join(dir, TRANSCRIPT_FILE));
  if (blocks > 0) {
    throw new RecordsDamaged(
      join(dir, "records"),
      `they are missing or have lost their file ${readyMark(dir)}, and the chain has ${blocks} blocks`,
    );
  }
}

/** Lines of a transcript after the first. */
function recordedBlocks(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").length - 1 : 0;
}

/** Before anything is sent: all that the records call done is on the chain, and all that its senders sent is in the records. */
export async function requireSameHistory(
  dir: string,
  where: string,
  chain: CityChain,
  outbox: Outbox<never>,
  senders: readonly Address[],
): Promise<void> {
  const head = chain.head().number;
  const newest = await outbox.newestSettled(LAST_BLOCK);
  // A live chain's head lies as deep as this run asks for; the transaction itself, below, is waited for.
  if (!chain.isLive && newest?.block !== undefined && newest.block > head) {
    throw new HistoryMissing(join(dir, TRANSCRIPT_FILE), `ends at block ${head}, and the records know block ${newest.block}`);
  }
  if (newest !== undefined) {
    const { status } = await chain.receipt(newest.hash).catch((error: unknown) => {
      throw new ChainDisagrees(newest.hash, `it does not know the transaction recorded in block ${newest.block}`, error);
    });
    if (status !== newest.status) throw new ChainDisagrees(newest.hash, `a transaction recorded as ${newest.status} ended as ${status}`);
  }
  for (const sender of senders) {
    const sent = await chain.publicClient.getTransactionCount({ address: sender });
    const recorded = await outbox.nextNonce(sender);
    // On a live network a key may have been used before the city existed.
    if (sent > recorded && (recorded > 0 || sent > (await sentBefore(chain, sender)))) {
      throw new RecordsDamaged(
        where,
        `they hold ${recorded} transactions of ${sender}, and the chain has ${sent}: they are older than the chain`,
      );
    }
  }
}

/** This account's transactions before the city's first block: on a fork, those of anyone who used the public key there. */
async function sentBefore({ isLive, firstBlock, publicClient }: CityChain, address: Address): Promise<number> {
  if (isLive) return Number.POSITIVE_INFINITY;
  return firstBlock === 0n ? 0 : publicClient.getTransactionCount({ address, blockNumber: firstBlock - 1n });
}

/** Above every block. */
const LAST_BLOCK = 2n ** 62n;

/** Written once the embedded database is whole. */
const readyMark = (dir: string) => join(dir, "records", "ready");

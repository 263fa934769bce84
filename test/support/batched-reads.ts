/** Reads of contracts, gathered until the event loop turns and then made in one call. */
import type { ContractRunner, TransactionRequest } from "ethers";
import { ethers } from "./city-fixture.ts";

interface Waiting {
  readonly target: string;
  readonly data: string;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** A runner for `contract.connect`: it only reads. */
export async function batchedReads(): Promise<ContractRunner> {
  const reader = await ethers.deployContract("BatchReader");
  const read = reader.getFunction("read");
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const [ok, answers] = await read.staticCall(batch.map(({ target, data }) => ({ target, data })));
      for (const [i, one] of batch.entries()) {
        if (ok[i]) one.resolve(answers[i]);
        else one.reject(new Error(`reading ${one.data.slice(0, 10)} of ${one.target} reverted: ${answers[i]}`));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    provider: ethers.provider,
    call: ({ to, data }: TransactionRequest) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void flush());
        waiting.push({ target: String(to), data: data ?? "0x", resolve, reject });
      }),
  };
}

import { AgentCityError } from "./errors.ts";

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches requests that arrive during the running call into the next one. `all` receives them in order and returns one result each; if it
 * throws, every request of the batch fails with its error.
 */
export function together<Request, Result>(
  all: (requests: readonly Request[]) => Promise<readonly Result[]>,
): (request: Request) => Promise<Result> {
  let waiting: Waiting<Request, Result>[] = [];
  let running = false;

  async function answer(batch: readonly Waiting<Request, Result>[]): Promise<void> {
    try {
      const results = await all(batch.map(({ request }) => request));
      if (results.length !== batch.length)
        throw new AgentCityError("ResultMissing", `${batch.length} requests were batched, ${results.length} results came back`);
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await answer(batch);
    }
    running = false;
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!running) void run();
    });
}

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Engine } from "./driven.ts";
import { NodeRefusal } from "./edr.ts";
import { TooHeavy } from "./errors.ts";
import type { Genesis } from "./transcript.ts";

/** Limits of one request; exceeding them kills the process. */
export interface EdrLimits {
  /** Growth of resident memory. EDR records each step of the EVM, up to a kilobyte per gas, and has no option against it. */
  readonly memoryMb: number;
  readonly millis: number;
  /** Limits of the process over its whole life. */
  readonly inAll?: { readonly memoryMb: number; readonly cpuSeconds: number };
}

/** For recorded blocks: a block of 250 registrations is the largest that a city mines. */
export const REPLAY_LIMITS: EdrLimits = { memoryMb: 2_048, millis: 120_000 };

/** To the process: first a chain, then requests. */
export type Order =
  | { readonly genesis: Genesis }
  | { readonly id: number; readonly method: string; readonly params: readonly unknown[]; readonly limits: EdrLimits };

/** From the process. Its last message names the exceeded limit. */
const newsSchema = z.union([
  z.strictObject({ id: z.number(), result: z.unknown() }),
  z.strictObject({ id: z.number(), refusal: z.strictObject({ code: z.number(), message: z.string(), data: z.string().optional() }) }),
  z.strictObject({ id: z.number(), failure: z.string() }),
  z.strictObject({ exceeded: z.string() }),
]);
export type News = z.infer<typeof newsSchema>;

const PROGRAM = fileURLToPath(new URL("./edr-child.ts", import.meta.url));

/**
 * EDR in its own process, for untrusted execution: EDR cannot be interrupted, but a process can be killed. A request that exceeds its
 * limits ends it; that request and all later ones throw TooHeavy.
 *
 * @param limitsNow Called for each request.
 */
export function connectEdrProcess(genesis: Genesis, limitsNow: () => EdrLimits): Engine {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = fork(PROGRAM, [], {
    execArgv: [],
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let end: Error | undefined;
  let id = 0;
  const say = (order: Order) => child.send(order, (error) => error !== null && child.kill("SIGKILL"));

  child.on("message", (message) => {
    const news = newsSchema.parse(message);
    if ("exceeded" in news) {
      end = new TooHeavy(news.exceeded);
      return;
    }
    const answer = waiting.get(news.id);
    waiting.delete(news.id);
    if ("refusal" in news) answer?.reject(new NodeRefusal(news.refusal));
    else if ("failure" in news) answer?.reject(new Error(news.failure));
    else answer?.resolve(news.result);
  });
  child.on("error", (error) => {
    end ??= error;
  });
  // Its last message is read before this.
  child.on("disconnect", () => {
    end ??= new TooHeavy("its process had: it was killed");
    for (const { reject } of waiting.values()) reject(end);
    waiting.clear();
  });
  say({ genesis });

  return {
    request({ method, params = [] }) {
      if (end !== undefined) return Promise.reject(end);
      id += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      say({ id, method, params, limits: limitsNow() });
      return answer.promise;
    },
    async close() {
      end ??= new Error("the chain's process is closed");
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = Promise.withResolvers<void>();
      child.once("exit", () => ended.resolve());
      child.kill("SIGKILL");
      await ended.promise;
    },
  };
}

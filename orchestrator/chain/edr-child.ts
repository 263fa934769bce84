/**
 * The program of edr-process.ts: a chain that kills itself when a request exceeds its limits. EDR works on its own threads, so that this
 * one can watch.
 */
import { messageOf } from "../primitives/errors.ts";
import type { Engine } from "./driven.ts";
import { connectEdr, NodeRefusal } from "./edr.ts";
import type { EdrLimits, News, Order } from "./edr-process.ts";

const CHECK_MILLIS = 10;
const MIB = 1_048_576;

const say = (news: News, then = () => {}) => process.send?.(news, then);
const residentMb = () => process.memoryUsage.rss() / MIB;
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

function exceeded(limit: string): void {
  say({ exceeded: limit }, () => process.kill(process.pid, "SIGKILL"));
}

/** Runs one request under its limits. */
async function within<Answer>({ memoryMb, millis, inAll }: EdrLimits, work: () => Promise<Answer>): Promise<Answer> {
  const most = residentMb() + memoryMb;
  const check = () => {
    const resident = residentMb();
    if (resident > most) exceeded(`${memoryMb} MiB of memory`);
    else if (inAll !== undefined && resident > inAll.memoryMb) exceeded(`${inAll.memoryMb} MiB of memory in all`);
    else if (inAll !== undefined && cpuSeconds() > inAll.cpuSeconds) exceeded(`${inAll.cpuSeconds} s of processor time in all`);
  };
  check();
  const watch = setInterval(check, CHECK_MILLIS);
  const time = setTimeout(() => exceeded(`${millis / 1000} s`), millis);
  try {
    return await work();
  } finally {
    clearInterval(watch);
    clearTimeout(time);
  }
}

let chain: Promise<Engine> | undefined;

process.on("message", async (order: Order) => {
  if ("genesis" in order) {
    chain = connectEdr(order.genesis);
    return;
  }
  const { id, method, params, limits } = order;
  try {
    const engine = await chain;
    const result = await within(limits, async () => engine?.request({ method, params }));
    say({ id, result: result ?? null });
  } catch (error) {
    if (error instanceof NodeRefusal) say({ id, refusal: { code: error.code, message: error.message, data: error.data } });
    else say({ id, failure: messageOf(error) });
  }
});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

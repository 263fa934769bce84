/** The thread of a gateway's front, which fails when it is told to. */
import { BroadcastChannel } from "node:worker_threads";
import "../../orchestrator/cli/gateway-thread.ts";

const failing = new BroadcastChannel("a front's thread fails");
failing.onmessage = () => {
  throw new Error("told to fail");
};
failing.unref();

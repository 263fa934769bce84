import type { Sandbox } from "../../orchestrator/execution/sandbox/run.ts";

/** The machine of one executor is dead: the first run of a service gives nothing. */
export function deadAtFirst(sandbox: Sandbox): Sandbox {
  let isFirst = true;
  return {
    run: async (request) => {
      if (!isFirst) return sandbox.run(request);
      isFirst = false;
      const { trail, meters, elapsedMs } = await sandbox.run(request);
      return { status: "failed", kind: "crash", details: "the machine is dead", trail, meters, elapsedMs };
    },
  };
}

import { type Boundary, noBoundary } from "../primitives/boundary.ts";
import type { BoundaryName } from "../protocol/boundaries.ts";

/**
 * For kill tests only (decision 49): with AGENTCITY_TEST_STOP_AT=<name>[@<occurrence>] and an IPC channel to a parent, the
 * process reports that it reached the boundary and goes no further. Without both, crossing does nothing.
 */
export function testBoundary(): Boundary<BoundaryName> {
  const wanted = process.env["AGENTCITY_TEST_STOP_AT"];
  if (wanted === undefined || process.send === undefined) return noBoundary;
  const [, name = wanted, times = "1"] = /^(.*?)(?:@(\d+))?$/.exec(wanted) ?? [];
  let left = Number(times);
  return async (reached) => {
    if (reached !== name || --left > 0) return;
    process.send?.({ boundary: reached });
    await new Promise<never>(() => {});
  };
}

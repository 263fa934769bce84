import { type Boundary, noBoundary } from "../primitives/boundary.ts";
import type { BoundaryName } from "../protocol/boundaries.ts";

/**
 * For kill tests only (decision 49): with AGENTCITY_TEST_STOP_AT=<name>[@<occurrence>][><name>[@<occurrence>]…], where ">" means "and after
 * that", and an IPC channel to a parent, the process reports that it reached the boundary and stops there. Without both, crossing does
 * nothing.
 */
export function testBoundary(): Boundary<BoundaryName> {
  const wanted = process.env["AGENTCITY_TEST_STOP_AT"];
  if (wanted === undefined || process.send === undefined) return noBoundary;
  const steps = wanted.split(">").map((step) => {
    const [, name = step, times = "1"] = /^(.*?)(?:@(\d+))?$/.exec(step) ?? [];
    return { name, left: Number(times) };
  });
  return async (reached) => {
    const [next] = steps;
    if (next === undefined || reached !== next.name) return;
    next.left -= 1;
    if (next.left > 0) return;
    steps.shift();
    if (steps.length > 0) return;
    process.send?.({ boundary: reached });
    await new Promise<never>(() => {});
  };
}

import type { Boundary } from "../primitives/boundary.ts";
import type { BoundaryName } from "../protocol/boundaries.ts";

/** Stage that follows a boundary, for display. */
const STAGE_AFTER: Partial<Record<BoundaryName, string>> = {
  "legislature:session-opened": "agents register for the vote",
  "legislature:identities-confirmed": "agents draft laws",
  "legislature:drafted": "agents propose and support laws",
  "legislature:sponsored": "the debate is being prepared",
  "legislature:debate-opened": "agents rank the laws",
  "legislature:polled": "agents debate",
  "legislature:reconsidered": "agents debate",
  "legislature:voting-opened": "agents vote",
  "legislature:ballots-signed": "votes are being counted",
  "legislature:tallied": "the winning law is being checked",
  "legislature:codified": "officials sign the law",
  "legislature:deployed": "agents bid for the tasks",
  "execution:routed": "services are running",
  "execution:invoked": "results are being committed",
  "execution:committed": "results are compared with earlier work",
  "execution:guarded": "verifiers judge the results",
  "execution:cleared": "results are being released",
  "execution:recorded": "the next tasks are being prepared",
  "execution:worked": "a checkpoint is being sent",
  "city:books-closed": "agents prepare another law",
};

/** Wraps a boundary to report which stage begins. */
export function staged(enter: (stage: string, restart: boolean) => void, boundary: Boundary<BoundaryName>): Boundary<BoundaryName> {
  return async (name) => {
    const stage = STAGE_AFTER[name];
    if (stage !== undefined) enter(stage, name === "city:books-closed");
    await boundary(name);
  };
}

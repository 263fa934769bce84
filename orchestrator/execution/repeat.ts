import { isObject } from "../primitives/json.ts";
import type { NodeView } from "./chain-view.ts";
import { toolsOf } from "./fetch/tools.ts";
import { limitsOf } from "./origin.ts";
import { inputOf, outputHashOf, serviceById, type Work } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Whether an issuer that re-executes an executor's code on the same input gets what the executor handed in. */
export async function isRepeated(world: World, mission: Mission, view: Pick<NodeView, "law">, work: Work): Promise<boolean> {
  if (!work.ok) return false;
  const { bundle, schemas, record } = serviceById(world, work.service, view.law.services);
  const [input, limits] = await Promise.all([inputOf(world, mission, view), limitsOf(world, mission, view)]);
  const run = await world.sandbox.run({ bundle, schemas, input, limits, constraints: record.constraints, tools: toolsOf(world, mission) });
  return run.status !== "failed" && isObject(run.output) && outputHashOf(run.output) === work.outputHash;
}

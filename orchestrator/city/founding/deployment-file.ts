import { join } from "node:path";
import { type Deployment, deploymentSchema } from "../../../deploy/deployment.ts";
import { planJson } from "../../../deploy/plan.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { readStateFile } from "../../primitives/state-file.ts";

/** Where a network's folder keeps it. */
export function deploymentFile(dir: string): string {
  return join(dir, "deployment.json");
}

export function writeDeployment(dir: string, deployment: Deployment): void {
  writeFileAtomic(deploymentFile(dir), `${canonicalJson({ ...deployment, plan: planJson(deployment.plan) })}\n`);
}

const DAMAGED =
  "restore it from a copy. A devnet's city writes its own again when its next command opens it: there the file may be deleted";

/** What the file says, if genesis began there. */
export function readDeployment(path: string): Deployment | undefined {
  return readStateFile(path, deploymentSchema, DAMAGED);
}

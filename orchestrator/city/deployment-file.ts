import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Deployment, deploymentSchema } from "../../deploy/deployment.ts";
import { planJson } from "../../deploy/plan.ts";
import { InvalidValue } from "../primitives/errors.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";

/** Where a network's folder keeps it. */
export function deploymentFile(dir: string): string {
  return join(dir, "deployment.json");
}

export function writeDeployment(dir: string, deployment: Deployment): void {
  writeFileAtomic(deploymentFile(dir), `${canonicalJson({ ...deployment, plan: planJson(deployment.plan) })}\n`);
}

/** What the file says, if genesis began there. */
export function readDeployment(path: string): Deployment | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = deploymentSchema.safeParse(parseJson(readFileSync(path, "utf8")));
  if (!parsed.success) throw new InvalidValue(path, z.prettifyError(parsed.error));
  return parsed.data;
}

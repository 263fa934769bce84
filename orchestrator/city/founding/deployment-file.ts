import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Deployment, deploymentSchema } from "../../../deploy/deployment.ts";
import { planJson } from "../../../deploy/plan.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { canonicalJson, parseJson } from "../../primitives/json.ts";
import { readStateFile } from "../../primitives/state-file.ts";
import { requireContracts } from "../../protocol/addresses.ts";

/** Path of the deployment file in a network's folder. */
export function deploymentFile(dir: string): string {
  return join(dir, "deployment.json");
}

export function writeDeployment(dir: string, deployment: Deployment): void {
  writeFileAtomic(deploymentFile(dir), `${canonicalJson({ ...deployment, plan: planJson(deployment.plan) })}\n`);
}

const DAMAGED =
  "restore it from a copy. A devnet's city writes its own again when its next command opens it: there the file may be deleted";

/** The deployment file's content, if genesis was started there. Throws CityTooOld for a city of an earlier version. */
export function readDeployment(path: string): Deployment | undefined {
  requireOwnContracts(path);
  return readStateFile(path, deploymentSchema, DAMAGED);
}

const foundedSchema = z.looseObject({ city: z.looseObject({ addresses: z.record(z.string(), z.unknown()) }) });

/** Throws CityTooOld for a city that was founded without contracts that this version counts on; what else is wrong with the file is not said here. */
export function requireOwnContracts(path: string): void {
  const founded = foundedSchema.safeParse(unreadOf(path));
  if (!founded.success) return;
  const [folder, action] = [
    dirname(path),
    "move this folder away and run the command again, which founds a new city, or use the version that founded it",
  ];
  requireContracts(founded.data.city.addresses, `The city in ${folder}`, action);
}

function unreadOf(path: string): unknown {
  try {
    return parseJson(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

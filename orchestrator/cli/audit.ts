import { existsSync } from "node:fs";
import { join } from "node:path";
import { auditBundle } from "../city/audit/audit-bundle.ts";
import { auditHearing, isHearingBundle } from "../city/audit/audit-hearing.ts";
import { renderAudit } from "../city/audit/render.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { home } from "./home.ts";
import { typedPath } from "./shell.ts";
import { whileWorking } from "./while-working.ts";

export class BundleMissing extends AgentCityError {
  constructor(mission: string, dir: string) {
    super("BundleMissing", `There is no bundle of a mission or a hearing ${mission}`, {
      details: `looked in ${dir}`,
      action: "run the mission to its end first",
    });
  }
}

/** Verifies a finished mission, or the hearing of a job, from its bundle. Offline, unless the mission was on a live network. */
export async function audit(
  mission: string,
  { json = false, effort, rpc }: { readonly json?: boolean; readonly effort?: number; readonly rpc?: string },
): Promise<void> {
  const typed = typedPath(mission);
  const places = ["missions", "hearings"].map((folder) => join(home().root, folder, mission.toLowerCase()));
  const dir = [typed, ...places].find((each) => existsSync(each)) ?? join(home().root, "missions", mission.toLowerCase());
  if (!existsSync(dir)) throw new BundleMissing(mission, dir);
  const report = await whileWorking("verifying the bundle, which takes a few seconds for each mission of its city", () =>
    (isHearingBundle(dir) ? auditHearing : auditBundle)(dir, { effort, rpcUrl: rpc ?? process.env["AGENTCITY_RPC_URL"] }),
  );
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : renderAudit(report));
}

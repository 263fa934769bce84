import { z } from "zod";
import { EXPOSURE_INPUTS } from "../../protocol/exposure.ts";
import type { MissionDocument } from "../../protocol/mission-document.ts";
import { exposureSchema } from "../../protocol/mission-file-schema.ts";
import { parseLocatedYaml } from "../../protocol/mission-file-yaml.ts";
import { VISIBILITIES } from "../../protocol/visibility.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { Inspection } from "./inspection.ts";

/**
 * What a sponsor's mission file states to be at stake is in the law that producers made of it: else its risk could have been as low as its
 * budget's.
 */
export function exposed(document: Pick<MissionDocument, "exposure">, missionFile: string, seen: Inspection): void {
  const file = BUNDLE_FILES.mission;
  const { exposure = {} } = z.looseObject({ exposure: exposureSchema.optional() }).parse(parseLocatedYaml(missionFile, file).value);
  for (const input of EXPOSURE_INPUTS)
    seen.holds((document.exposure?.[input] ?? 0) >= (exposure[input] ?? 0), `exposure: ${input}`, "is less in the law than stated", file);
}

/** A mission file that says whose eyes it is for is obeyed by the law. Where it says nothing, the city that took it decided. */
export function visible(document: Pick<MissionDocument, "visibility">, missionFile: string, seen: Inspection): void {
  const file = BUNDLE_FILES.mission;
  const { visibility } = z.looseObject({ visibility: z.enum(VISIBILITIES).optional() }).parse(parseLocatedYaml(missionFile, file).value);
  if (visibility !== undefined)
    seen.same(document.visibility ?? "public", visibility, "visibility of the law against the mission file's", file);
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { BUNDLE_FILES } from "../../city/bundle/bundle-layout.ts";
import { type Command, command, type FrontWorld } from "../command.ts";
import { Refused } from "../errors.ts";
import { mayReadOf } from "../reading.ts";
import { address, toAddress } from "../wire.ts";

/** Total size of files in one answer, bytes, unless the first is larger. */
const MOST = 4_000_000;

export const bundleOutput = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), base64: z.string() })),
  /** `after` for the next request; null at the end. */
  next: z.string().nullable(),
});

/** Folder of a mission's bundle. Throws NotFound. */
function bundleOf({ bundles }: FrontWorld, mission: string): string {
  const folder = bundles === undefined ? undefined : join(bundles, toAddress(mission).toLowerCase());
  if (folder === undefined || !existsSync(join(folder, "manifest.json"))) throw noBundle(mission);
  return folder;
}

/** The same answer for a missing bundle and one that the caller may not read. */
function noBundle(mission: string): Refused {
  return new Refused("NotFound", `There is no readable bundle of ${mission} here`, {
    action: "it is written when the mission is over; with `visibility: parties`, only its sponsor can read it, with a bearer",
  });
}

export const bundleCommands: readonly Command[] = [
  command({
    name: "get_report",
    method: "GET",
    path: "/v1/missions/{mission}/report",
    group: "Missions",
    doc: "A finished mission's report for people: goal, result, uncertainties, cost. Markdown, with text written by agents.",
    access: "reader",
    isOfFiles: true,
    cost: 3,
    input: z.strictObject({ mission: address }),
    output: z.strictObject({ markdown: z.string() }),
    async run(world, { mission: named }, caller) {
      const mission = toAddress(named);
      // A mission that the hub does not know is not readable.
      const row = world.hub.missionAt(mission);
      const subject = row && { mission, missionId: row.id, node: null };
      if (subject === undefined || !(await mayReadOf(world, caller, "report", subject))) throw noBundle(named);
      return { markdown: readFileSync(join(bundleOf(world, named), BUNDLE_FILES.report), "utf8") };
    },
  }),
  command({
    name: "get_bundle",
    method: "GET",
    path: "/v1/missions/{mission}/bundle",
    group: "Missions",
    doc: "A finished mission's bundle, a page of files at a time: everything needed to verify it with `npm run audit`. With `visibility: parties` the sponsor gets it complete, others the public copy, whose manifest lists what is withheld.",
    access: "reader",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({
      mission: address,
      after: z.string().max(200).optional().meta({ description: "`next` of the previous answer" }),
    }),
    output: bundleOutput,
    async run(world, { mission: named, after = "" }, caller) {
      const [folder, mission] = [bundleOf(world, named), toAddress(named)];
      const copy = await world.exports.copyOf(world, folder, mission, caller.key);
      const left = copy.paths.filter((path) => path > after);
      const files = [];
      let bytes = 0;
      for (const path of left) {
        const content = copy.bytes(path);
        if (files.length > 0 && bytes + content.length > MOST) break;
        bytes += content.length;
        files.push({ path, base64: Buffer.from(content).toString("base64") });
      }
      return { files, next: files.length < left.length ? (files.at(-1)?.path ?? null) : null };
    },
  }),
];

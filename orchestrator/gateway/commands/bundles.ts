import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { BUNDLE_FILES } from "../../city/bundle/bundle-layout.ts";
import { type Command, command, type FrontWorld } from "../command.ts";
import { Refused } from "../errors.ts";
import { mayReadOf } from "../reading.ts";
import { address, toAddress } from "../wire.ts";

/** Bytes of files in one answer, unless the first of them is larger. */
const MOST = 4_000_000;

export const bundleOutput = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), base64: z.string() })),
  /** `after` of the next question; null at the end. */
  next: z.string().nullable(),
});

/** Folder of a mission's bundle. Throws NotFound. */
function bundleOf({ bundles }: FrontWorld, mission: string): string {
  const folder = bundles === undefined ? undefined : join(bundles, toAddress(mission).toLowerCase());
  if (folder === undefined || !existsSync(join(folder, "manifest.json"))) throw noBundle(mission);
  return folder;
}

/** To whoever may not read it, as where there is none. */
function noBundle(mission: string): Refused {
  return new Refused("NotFound", `No bundle of ${mission} is here to be read`, {
    action: "it is written when the mission is over; of one that is for its parties, its sponsor reads it with a bearer",
  });
}

export const bundleCommands: readonly Command[] = [
  command({
    name: "get_report",
    method: "GET",
    path: "/v1/missions/{mission}/report",
    group: "Missions",
    doc: "A finished mission's report, for people: what was asked, what came out, what is uncertain, what it cost. Markdown, with agents' words in it.",
    access: "reader",
    isOfFiles: true,
    cost: 3,
    input: z.strictObject({ mission: address }),
    output: z.strictObject({ markdown: z.string() }),
    async run(world, { mission: named }, caller) {
      const mission = toAddress(named);
      // One that the hub does not know yet, or not any more, is nobody's to read.
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
    doc: "A finished mission's bundle, some files at a time: all that verifying it needs. Its folder is what `npm run audit` takes. Of a mission that is for its parties the sponsor gets it whole, everybody else the public copy, whose manifest lists what is withheld.",
    access: "reader",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({
      mission: address,
      after: z.string().max(200).optional().meta({ description: "`next` of the answer before" }),
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

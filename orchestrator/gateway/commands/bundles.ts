import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { BUNDLE_FILES } from "../../city/bundle/bundle-layout.ts";
import { type Command, command, type FrontWorld } from "../command.ts";
import { Refused } from "../errors.ts";
import { address, toAddress } from "../wire.ts";

/** Bytes of files in one answer, unless the first of them is larger. */
const MOST = 4_000_000;

export const bundleOutput = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), base64: z.string() })),
  /** `after` of the next question; null at the end. */
  next: z.string().nullable(),
});

/** Files below a folder by their names in the bundle, in order. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

/** Folder of a mission's bundle. Throws NotFound. */
function bundleOf({ bundles }: FrontWorld, mission: string): string {
  const folder = bundles === undefined ? undefined : join(bundles, toAddress(mission).toLowerCase());
  if (folder === undefined || !existsSync(join(folder, "manifest.json")))
    throw new Refused("NotFound", `No bundle of ${mission} is here`, { action: "it is written when the mission is over" });
  return folder;
}

export const bundleCommands: readonly Command[] = [
  command({
    name: "get_report",
    method: "GET",
    path: "/v1/missions/{mission}/report",
    group: "Missions",
    doc: "A finished mission's report, for people: what was asked, what came out, what is uncertain, what it cost. Markdown, with agents' words in it.",
    access: "open",
    isOfFiles: true,
    cost: 3,
    input: z.strictObject({ mission: address }),
    output: z.strictObject({ markdown: z.string() }),
    async run(world, { mission }) {
      return { markdown: readFileSync(join(bundleOf(world, mission), BUNDLE_FILES.report), "utf8") };
    },
  }),
  command({
    name: "get_bundle",
    method: "GET",
    path: "/v1/missions/{mission}/bundle",
    group: "Missions",
    doc: "A finished mission's bundle, some files at a time: all that verifying it needs. Its folder is what `npm run audit` takes.",
    access: "open",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({
      mission: address,
      after: z.string().max(200).optional().meta({ description: "`next` of the answer before" }),
    }),
    output: bundleOutput,
    async run(world, { mission, after = "" }) {
      const folder = bundleOf(world, mission);
      const left = filesIn(folder).filter((path) => path > after);
      const files = [];
      let bytes = 0;
      for (const path of left) {
        const content = readFileSync(join(folder, path));
        if (files.length > 0 && bytes + content.length > MOST) break;
        bytes += content.length;
        files.push({ path, base64: content.toString("base64") });
      }
      return { files, next: files.length < left.length ? (files.at(-1)?.path ?? null) : null };
    },
  }),
];

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { BUNDLE_FILES, blockFile } from "../../orchestrator/city/bundle/bundle-layout.ts";
import { BundleContents } from "../../orchestrator/city/bundle/withheld.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { mayRead } from "../../orchestrator/protocol/read-access.ts";
import { MANIFEST, manifestText, parseManifest, withoutFiles } from "../../orchestrator/records/bundle-manifest.ts";
import { parseLog } from "../../orchestrator/records/log.ts";

/** Writes what a city hands out to everybody of the bundle of an ended mission that is for its parties. */
export function copyForEverybody(bundle: string, mission: Address, into: string): void {
  const paths = readdirSync(bundle, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(bundle, join(entry.parentPath, entry.name)).split(sep).join("/"));
  const bytes = (path: string) => new Uint8Array(readFileSync(join(bundle, path)));
  const contents = new BundleContents(mission, {
    paths: paths.filter((path) => path !== MANIFEST),
    log: parseLog(readFileSync(join(bundle, BUNDLE_FILES.log), "utf8")),
    read: (id) => (paths.includes(blockFile(id)) ? bytes(blockFile(id)) : undefined),
    appeals: [],
  });
  const withheld = contents.withheldFrom((of) => mayRead(of, "parties", { isOver: true, isRevealed: false }, []));
  const manifest = withoutFiles(parseManifest(bytes(MANIFEST)), withheld);
  for (const { path } of manifest.files) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(join(bundle, path), join(into, path));
  }
  writeFileSync(join(into, MANIFEST), manifestText(manifest));
}

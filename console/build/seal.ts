/**
 * The last step of a build: refuses one whose first load is too heavy, and writes down the hash of every file, which the server checks. The
 * hash of that list is in the tree (console/dist.sha256): a build of this commit has it on every machine, and CI compares. The build itself is
 * there as well, as one file (console/dist.json.br).
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { SEAL, ship } from "./shipped.ts";

/** Bytes after gzip that the first page may need: the design bears 420 kB, and wants this. */
const FIRST_LOAD = 350_000;
const dist = fileURLToPath(new URL("../dist/", import.meta.url));

const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .filter((path) => path !== SEAL)
  .sort();
const page = readFileSync(join(dist, "index.html"), "utf8");
/** What index.html names, and what those files import at once. */
const first = new Set(["index.html"]);
for (const path of first) {
  const text = path === "index.html" ? page : readFileSync(join(dist, path), "utf8");
  const named = path === "index.html" ? text.matchAll(/(?:src|href)="\/([^"]+)"/g) : text.matchAll(/(?:^|[;}])import[^(]*?"\.\/([^"]+)"/g);
  for (const [, name = ""] of named) first.add(path === "index.html" ? name : `assets/${name}`);
}
const weight = [...first].reduce((sum, path) => sum + gzipSync(readFileSync(join(dist, path))).length, 0);
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const contents = new Map<string, Uint8Array>(paths.map((path) => [path, readFileSync(join(dist, path))]));
const files = Object.fromEntries([...contents].map(([path, bytes]) => [path, sha256(bytes)]));
const seal = `${JSON.stringify({ console: 1, firstLoad: weight, files }, null, 2)}\n`;
writeFileSync(join(dist, SEAL), seal);
ship(dist.slice(0, -1), contents.set(SEAL, new TextEncoder().encode(seal)));
const build = sha256(seal);
writeFileSync(join(dist, "..", "dist.sha256"), `${build}\n`);
process.stdout.write(
  `first load ${(weight / 1000).toFixed(1)} kB after gzip (${first.size} files, at most ${FIRST_LOAD / 1000} kB)\nbuild      ${build}\n`,
);
if (weight > FIRST_LOAD) {
  process.stderr.write("The first load is too heavy: make a page lazy, or do without a package.\n");
  process.exitCode = 1;
}

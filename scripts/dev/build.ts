/**
 * Builds the two libraries that stand alone into one package without dependencies: plain JavaScript for Node 20 and later, with
 * declarations. `npm pack ./dist` makes the tarball.
 *
 * usage: npm run build [-- <directory>]      default: dist
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";
import { z } from "zod";
import { root } from "./files.ts";

/** Name of a sub-path, and what it is made of. */
const LIBRARIES = { attestation: "orchestrator/attestation/index.ts", clearing: "orchestrator/clearing/index.ts" } as const;
/** The declarations speak of their types; the code has both inside. */
const TYPES_FROM = ["hono", "zod"];

const ownPackage = z
  .looseObject({ name: z.string(), version: z.string(), license: z.string(), dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

/** Writes the package into a directory, which is emptied first. */
export async function buildPackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { metafile } = await build({
    entryPoints: LIBRARIES,
    absWorkingDir: root,
    outdir: directory,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    metafile: true,
    logLevel: "warning",
  });
  declare(directory);
  writeFileSync(join(directory, "LICENSES.txt"), licences(Object.keys(metafile.inputs)));
  writeFileSync(join(directory, "LICENSE"), readFileSync(join(root, "LICENSE")));
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** Declarations keep the folders of the sources: each file's beside its neighbours'. */
function declare(directory: string): void {
  const files = Object.values(LIBRARIES).map((file) => join(root, file));
  const program = ts.createProgram(files, {
    ...readConfig(),
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, "orchestrator"),
    outDir: join(directory, "types"),
  });
  // Declarations keep the sources' extensions, which only a compiler that is told so follows.
  const plain = (text: string) => text.replace(/((?:from|import\() ?)"(\.[^"]+)\.ts"/g, '$1"$2.js"');
  const { diagnostics } = program.emit(undefined, (file, text) => ts.sys.writeFile(file, plain(text)));
  if (diagnostics.length > 0) {
    const host = { getCanonicalFileName: (name: string) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" };
    throw new Error(ts.formatDiagnostics(diagnostics, host));
  }
}

function readConfig(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options;
}

function manifest() {
  const { name, version, license, dependencies } = ownPackage;
  const exports = Object.entries(LIBRARIES).map(([library, source]) => [
    `./${library}`,
    { types: `./types/${source.replace(/^orchestrator\//, "").replace(/\.ts$/, ".d.ts")}`, default: `./${library}.js` },
  ]);
  const peers = TYPES_FROM.map((peer) => [peer, dependencies[peer]] as const);
  return {
    name,
    version,
    description: "Typed claims and their verification; evidence-graded clearing",
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: Object.fromEntries(exports),
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([peer]) => [peer, { optional: true }])),
  };
}

/** The licence of every package whose code is in the bundle. */
function licences(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  return [...packages]
    .sort()
    .map((name) => {
      const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((each) => join(root, "node_modules", name, each)).find(existsSync);
      if (file === undefined) throw new Error(`${name} has no licence file: it cannot be bundled`);
      return `# ${name}\n\n${readFileSync(file, "utf8").trim()}\n`;
    })
    .join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = resolve(process.argv[2] ?? join(root, "dist"));
  if (existsSync(directory) && !existsSync(join(directory, "package.json")))
    throw new Error(`${directory} is no package that was built here`);
  await buildPackage(directory);
  console.log(`built ${Object.keys(LIBRARIES).join(" and ")} into ${directory}; from ${dirname(directory)}: npm pack ${directory}`);
}

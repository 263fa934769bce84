/**
 * Builds the package that others install: the client of a city and an agent in one, which need viem as a peer, and three libraries that
 * need nothing. Plain JavaScript for Node 20 and later, with declarations, JSON Schemas, a README and examples. `npm pack ./dist` makes the tarball.
 *
 * usage: npm run build [-- <directory>]      default: dist
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import ts from "typescript";
import { z } from "zod";
import { ownBuilds } from "../../orchestrator/agent/own-builds.ts";
import { bundleOwn, bundleService } from "../../orchestrator/execution/sandbox/bundle.ts";
import { CATALOG } from "../../services/catalog.ts";
import { root } from "./files.ts";
import { wireSchemas } from "./wire-schemas.ts";

/** Name of a sub-path, and what it is made of. `client` is the package's root. */
const LIBRARIES = {
  agreements: "orchestrator/agreements/index.ts",
  attestation: "orchestrator/attestation/index.ts",
  clearing: "orchestrator/clearing/index.ts",
} as const;
const CLIENT = { client: "orchestrator/client/index.ts" } as const;
const AGENT = { agent: "orchestrator/agent/index.ts" } as const;
/** The program `agentcity` of the package: an agent's commands. */
const PROGRAM = { program: "orchestrator/cli/agent-main.ts" } as const;
const ENTRIES = { ...CLIENT, ...AGENT, ...LIBRARIES };
/** What the client's user passes in, so there is one copy of it: theirs. */
const PEER = "viem";
/** Node that an agent runs services on where it was started on an older one. */
const RUNTIME = "node";
/** By which a verifier asks a chat model, if its owner names one: large, and wanted by few. */
const MODELS = ["@langchain/core", "@langchain/openai", "@langchain/anthropic"] as const;
/** Bundled, and part of declared types: its declarations travel along, so that another installed version does not matter. */
const TYPES_OF = "zod";

const ownPackage = z
  .looseObject({ name: z.string(), version: z.string(), license: z.string(), dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

/** Writes the package into a directory, which is emptied first. */
export async function buildPackage(directory: string): Promise<void> {
  await writePackage(directory);
  declare(directory);
}

/** The package without its declarations, which take longest. */
export async function writePackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  // The client needs nothing of what the libraries share: apart, its bundle is less than half.
  const inputs = [
    await bundle(directory, CLIENT),
    await bundle(directory, LIBRARIES),
    await bundle(directory, { ...AGENT, ...PROGRAM }, [readyMade]),
  ].flat();
  await writeCode(directory);
  mkdirSync(join(directory, "schemas"));
  for (const [name, schema] of wireSchemas())
    writeFileSync(join(directory, "schemas", `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
  writeFileSync(join(directory, "LICENSES.txt"), licences(inputs));
  cpSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  cpSync(join(root, "examples"), join(directory, "examples"), { recursive: true });
  cpSync(join(root, "examples/README.md"), join(directory, "README.md"));
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

const REQUIRE = 'import{createRequire as requiring}from"node:module";const require=requiring(import.meta.url);';

/** Bundles entries with what they share; returns the files that code came from. */
async function bundle(directory: string, entryPoints: Record<string, string>, plugins: readonly Plugin[] = []): Promise<string[]> {
  const options = {
    entryPoints,
    absWorkingDir: root,
    outdir: directory,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: [PEER, ...MODELS],
    // Some of what is bundled asks for Node's own modules as CommonJS does.
    ...(plugins.length === 0 ? {} : { banner: { js: REQUIRE } }),
    plugins: [englishOnly, ...plugins],
    metafile: true,
    logLevel: "warning",
  } as const satisfies BuildOptions;
  const { metafile } = await build(options);
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

/** zod exports its messages in all languages; nothing here asks for another than English, which it loads by itself. */
const englishOnly: Plugin = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js";' }));
  },
};

/**
 * In the package code is not bundled when it is needed: every service of the catalogue and the sandbox's own scripts are there, made as in
 * a city, so that their hashes are those that a law names; and what the contracts of this version run, which its sources alone say.
 */
const readyMade: Plugin = {
  name: "ready-made",
  setup({ onLoad }) {
    const reader = readFileSync(join(root, "orchestrator/execution/sandbox/ready-made.ts"), "utf8");
    onLoad({ filter: /orchestrator\/execution\/sandbox\/bundle\.ts$/ }, () => ({ contents: reader, loader: "ts" }));
    onLoad({ filter: /orchestrator\/agent\/own-builds\.ts$/ }, () => ({
      contents: `export const ownBuilds = () => ${JSON.stringify(ownBuilds())};`,
    }));
    // The bundle and the sources have different package.json files next to them.
    const version = JSON.stringify(ownPackage.version);
    onLoad({ filter: /orchestrator\/cli\/version\.ts$/ }, () => ({ contents: `export const version = () => ${version};` }));
    onLoad({ filter: /\/services\/catalog\.ts$/ }, () => ({ contents: `export const CATALOG = ${JSON.stringify(packagedCatalog())};` }));
  },
};

/** The catalogue as data; `file` is a name below `code/`. */
function packagedCatalog() {
  return CATALOG.map((entry) => ({ ...entry, file: `${entry.id}.js` }));
}

/** What `ready-made.ts` reads. */
async function writeCode(directory: string): Promise<void> {
  const folder = join(directory, "code");
  mkdirSync(folder, { recursive: true });
  const sandbox = (name: string) => join(root, "orchestrator/execution/sandbox", `${name}.ts`);
  const made = await Promise.all([
    ...CATALOG.map(async ({ id, file }) => [id, await bundleService(file)] as const),
    ...(["launcher", "child"] as const).map(async (name) => [name, await bundleOwn(sandbox(name), "node")] as const),
    ["realm", await bundleOwn(sandbox("realm"), "neutral")] as const,
  ]);
  for (const [name, { bytes }] of made) writeFileSync(join(folder, `${name}.js`), bytes);
}

/** Declarations keep the folder structure of the sources. */
function declare(directory: string): void {
  const files = Object.values(ENTRIES).map((file) => join(root, file));
  const program = ts.createProgram(files, {
    ...readConfig(),
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, "orchestrator"),
    outDir: join(directory, "types"),
  });
  // Declarations keep the sources' extensions, which only a compiler with the option for it follows.
  const plain = (text: string) => text.replace(/((?:from|import\() ?)"(\.[^"]+)\.ts"/g, '$1"$2.js"');
  const vendored = join(directory, "types/vendor");
  const own = (file: string, text: string) =>
    text.replaceAll(`"${TYPES_OF}"`, () => `"${asImport(relative(dirname(file), join(vendored, TYPES_OF, "index.js")))}"`);
  // Services are sources outside the root: their declarations would be written next to them.
  const { diagnostics } = program.emit(undefined, (file, text) => {
    if (!relative(join(directory, "types"), file).startsWith("..")) ts.sys.writeFile(file, own(file, plain(text)));
  });
  vendor(join(root, "node_modules", TYPES_OF), join(vendored, TYPES_OF), "index.d.ts");
  if (diagnostics.length > 0) {
    const host = { getCanonicalFileName: (name: string) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" };
    throw new Error(ts.formatDiagnostics(diagnostics, host));
  }
}

const asImport = (path: string) => (path.startsWith(".") ? path : `./${path}`);

/** Copies a declaration and all that it imports of its package. */
function vendor(from: string, to: string, file: string, done = new Set<string>()): void {
  if (done.has(file)) return;
  done.add(file);
  const text = readFileSync(join(from, file), "utf8");
  ts.sys.writeFile(join(to, file), text);
  for (const [, path = ""] of text.matchAll(/\bfrom "(\.[^"]+)\.js"/g)) vendor(from, to, join(dirname(file), `${path}.d.ts`), done);
}

function readConfig(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options;
}

function manifest() {
  const { name, version, license, dependencies } = ownPackage;
  const exports = Object.entries(ENTRIES).map(([entry, source]) => [
    entry === "client" ? "." : `./${entry}`,
    { types: `./types/${source.replace(/^orchestrator\//, "").replace(/\.ts$/, ".d.ts")}`, default: `./${entry}.js` },
  ]);
  return {
    name,
    version,
    description:
      "An agent in AgentCity; a typed client; typed claims and their verification; evidence-graded clearing; agreements of two parties",
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    bin: { [name]: "program.js" },
    exports: { ...Object.fromEntries(exports), "./schemas/*.json": "./schemas/*.json", "./package.json": "./package.json" },
    // Only the client and the agent need the first; the agent's services run on Node 24.
    peerDependencies: {
      ...Object.fromEntries([PEER, ...MODELS].map((peer) => [peer, `^${dependencies[peer]}`])),
      [RUNTIME]: ">=24",
    },
    peerDependenciesMeta: Object.fromEntries([PEER, ...MODELS, RUNTIME].map((peer) => [peer, { optional: true }])),
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
  console.log(`built ${Object.keys(ENTRIES).join(", ")} into ${directory}; from ${dirname(directory)}: npm pack ${directory}`);
}

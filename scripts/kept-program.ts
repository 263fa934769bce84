/**
 * `agentcity` as few files instead of two thousand: finding and linking that many modules takes Node longer than opening a city. The
 * files are made by esbuild when the program first runs, and again after any change of a source or of the installed packages.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { whileWorking } from "../orchestrator/cli/while-working.ts";
import { keepNewest, syncFolder } from "../orchestrator/primitives/files.ts";
import { nameSources } from "./source-names.ts";

/** Compiles for real networks with all of Hardhat: loaded from its source. */
const DEVELOPERS = /\/production\.ts$/;
/** Where threads and processes begin, by the name of the kept file. */
const ENTRIES = {
  programs: "scripts/programs.ts",
  "gateway-thread": "orchestrator/cli/gateway-thread.ts",
  "economy-worker": "scripts/economy/worker.ts",
} as const;
const SOURCES = ["console/build", "deploy", "orchestrator", "scripts", "services"];
const keptIn = (root: string) => join(root, "node_modules", ".cache", "agentcity", "program");
/** Older ones are removed once this many lie there; a command that runs may still load a part of its own. */
const MAX_KEPT = 8;
/** Packages with files of their own that they look for beside their code, and what only developers have. */
const APART = ["@electric-sql/pglite", "@foundry-rs/anvil", "@nomicfoundation/edr", "esbuild", "hardhat", "pg-native"];

/** Where to import the program of a project from: the kept files, or the sources where none can be kept. */
export async function programUrl(
  root: string = fileURLToPath(new URL("..", import.meta.url)),
  entry: keyof typeof ENTRIES = "programs",
): Promise<string> {
  const sources = pathToFileURL(join(root, ENTRIES[entry])).href;
  // Coverage asks which lines of the sources ran.
  if (process.env["NODE_V8_COVERAGE"] !== undefined) return sources;
  try {
    const folder = join(keptIn(root), fingerprint(root));
    if (!existsSync(folder)) await whileWorking("bundling the program, once after each change: about 5 s", () => make(folder, root));
    nameSources();
    return pathToFileURL(join(folder, `${entry}.mjs`)).href;
  } catch {
    return sources;
  }
}

/** Changes with every source, with the installed packages, and with the place of both. */
function fingerprint(root: string): string {
  const hash = createHash("sha256")
    .update(root)
    .update(readFileSync(join(root, "node_modules", ".package-lock.json")));
  for (const folder of SOURCES)
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort())
      if (path.endsWith(".ts")) hash.update(`\0${folder}/${path}\0`).update(readFileSync(join(root, folder, path)));
  return hash.digest("hex").slice(0, 32);
}

/** The folder appears whole and on disk; of two makers, the first is taken. */
async function make(folder: string, root: string): Promise<void> {
  const { build } = await import("esbuild");
  const draft = `${folder}.${randomUUID()}.tmp`;
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ENTRIES,
      outdir: draft,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node24",
      sourcemap: "linked",
      sourcesContent: false,
      external: APART,
      tsconfigRaw: {},
      logLevel: "silent",
      plugins: [placesOfSources(root)],
      // CommonJS packages ask for Node's modules by it.
      banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
    });
    await syncFolder(draft);
    renameSync(draft, folder);
    keepNewest(keptIn(root), MAX_KEPT);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A source finds what lies beside it by its own place, wherever its code is run from. */
function placesOfSources(root: string): Plugin {
  const folders = SOURCES.map((folder) => join(root, folder));
  return {
    name: "places-of-sources",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: DEVELOPERS }, ({ path, resolveDir }) => ({ path: pathToFileURL(join(resolveDir, path)).href, external: true }));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!folders.some((folder) => path.startsWith(folder))) return undefined;
        const text = readFileSync(path, "utf8");
        // A pattern, not a text: this file is bundled too, and would find the text in itself.
        return { contents: text.replaceAll(/import\.meta\.url/g, JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
      });
    },
  };
}

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { LOADERS, loaderOf, type Seen } from "./kept-bundles.ts";

/** Name of the plugin, which marks its messages as being about imports. */
export const SERVICE_SOURCES = "service-sources";
/** Maximum size of a source file, bytes. */
const FILE_BYTES = 8_388_608;
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

/** A directory from which a service is built, by its real path. */
interface Root {
  /** `own`, or `packages` for a node_modules directory: a bundle depends on paths below it, never on its location. */
  readonly name: string;
  readonly path: string;
}

/** Marks this plugin's own resolutions, so that it does not answer itself. */
const ASKED: unique symbol = Symbol("asked");

/**
 * Restricts esbuild to the service's folder and installed packages: bundling happens outside the sandbox, and bundles are published. Every
 * path is checked by its real location. Modules are named by their path below their root, so that the bundle's bytes do not depend on the
 * folder's location. `seen` is called with every file that is read.
 */
export function serviceSources(file: string, seen: Seen): Plugin {
  const folder = realpathSync(dirname(file));
  const roots: readonly Root[] = [{ name: "own", path: folder }, ...packageRoots(folder)];

  return {
    name: SERVICE_SOURCES,
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => (args.pluginData === ASKED ? undefined : resolved(build, roots, args)));
      for (const { name, path } of roots) {
        build.onLoad({ filter: /.*/, namespace: name }, (args) => loaded(join(path, args.path), seen));
      }
      // Glob imports are resolved without calling plugins; every allowed import has a namespace of its own.
      build.onLoad({ filter: /.*/ }, () => ({ errors: [{ text: "files must be imported by name, not by a pattern" }] }));
    },
  };
}

/**
 * The node_modules directories above the service's folder, nearest first, then the city's. Those below it count as the folder's own files.
 */
function packageRoots(folder: string): Root[] {
  const found = new Set<string>();
  for (let above = dirname(folder), last = folder; above !== last; last = above, above = dirname(above))
    found.add(join(above, "node_modules"));
  found.add(join(PROJECT, "node_modules"));
  const paths = [...found].filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...new Set(paths)].map((path, index) => ({ name: `packages${index === 0 ? "" : index}`, path }));
}

async function resolved(build: PluginBuild, roots: readonly Root[], args: OnResolveArgs): Promise<OnResolveResult> {
  const refused = refusalOf(args);
  if (refused !== undefined) return refuse(refused);
  if (args.kind === "entry-point") return placed(roots, args.path, true);
  const options = { kind: args.kind, importer: args.importer, pluginData: ASKED };
  let result = await build.resolve(args.path, { ...options, resolveDir: args.resolveDir });
  // A service whose author has not installed a package may use the city's.
  if (result.errors.length > 0 && !args.path.startsWith(".")) {
    result = await build.resolve(args.path, { ...options, resolveDir: PROJECT });
  }
  const [problem] = result.errors;
  if (problem !== undefined) return refuse(problem.text);
  if (result.external || result.namespace !== "file") return refuse(`${JSON.stringify(args.path)} cannot be bundled`);
  return placed(roots, result.path, result.sideEffects);
}

/** The reason to refuse an import by its form alone. */
function refusalOf({ path, kind, with: attributes }: OnResolveArgs): string | undefined {
  if (kind !== "entry-point") {
    if (/^node:/.test(path)) return `${JSON.stringify(path)} is a module of Node, which services do not have`;
    if (isAbsolute(path) || /^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith("//")) {
      return `${JSON.stringify(path)} is imported by an absolute path or a URL`;
    }
  }
  const { type, ...others } = attributes;
  if ((type === undefined || type === "json") && Object.keys(others).length === 0) return undefined;
  return `the import attributes of ${JSON.stringify(path)} are not supported`;
}

/** The module at a path, if its real location is below one of the roots. */
function placed(roots: readonly Root[], path: string, sideEffects: boolean): OnResolveResult {
  if (!existsSync(path)) return refuse("the file does not exist");
  const real = realpathSync(path);
  const root = roots.find((candidate) => real.startsWith(candidate.path + sep));
  if (root === undefined) return refuse("it lies outside the service's folder and its packages");
  const below = relative(root.path, real).split(sep);
  const inPackage = root.name !== "own" || below.includes("node_modules");
  if (!inPackage && below.some((part) => part.startsWith("."))) return refuse("hidden files are not bundled");
  if (loaderOf(real) === undefined) {
    return refuse(`a service may contain ${Object.keys(LOADERS).join(", ")}, not ${extname(real) || "files without an extension"}`);
  }
  return { path: below.join("/"), namespace: root.name, sideEffects };
}

function loaded(path: string, seen: Seen): OnLoadResult {
  const status = statSync(path);
  if (!status.isFile()) return { errors: [{ text: "it is not a regular file" }] };
  if (status.size > FILE_BYTES) return { errors: [{ text: `it has ${status.size} bytes; at most ${FILE_BYTES}` }] };
  const contents = readFileSync(path);
  seen(path, contents);
  return { contents, loader: loaderOf(path) ?? "js", resolveDir: resolve(dirname(path)) };
}

function refuse(text: string): OnResolveResult {
  return { errors: [{ text }] };
}

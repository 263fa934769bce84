import { existsSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { BuildFailure, BuildOptions, BuildResult, Message, Plugin } from "esbuild";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { keccak256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { isOwn, keptBundle, loaderOf, type Seen } from "./kept-bundles.ts";
import { SERVICE_SOURCES, serviceSources } from "./service-sources.ts";

/** A service as registered, sold and run: one self-contained script and its hash. */
export interface Bundle {
  readonly bytes: Uint8Array;
  /** keccak256 of the bytes (decision 44). */
  readonly codeHash: Hash;
}

/** A service's source cannot be bundled into one self-contained file. `details` has a line per error: file, line, column and reason. */
export class BundleFailed extends AgentCityError {
  constructor(file: string, details: string, action?: string, cause?: unknown) {
    super("BundleFailed", `The service ${basename(file)} cannot be bundled`, { details, action, cause });
  }
}

/** Maximum size of a bundle, bytes: it is sent to every executor and stored with every mission that used it. */
const MAX_BYTES = 2_097_152;

const COMMON = {
  bundle: true,
  write: false,
  target: "es2023",
  charset: "utf8",
  minifyWhitespace: true,
  legalComments: "none",
  sourcemap: false,
  mainFields: ["module", "main"],
  conditions: ["import", "default"],
  tsconfigRaw: {},
  logLevel: "silent",
  logLimit: 0,
} as const satisfies BuildOptions;

const SERVICE = { ...COMMON, platform: "neutral", format: "iife", globalName: "service" } as const satisfies BuildOptions;

/** For the city's own files: for a bare realm, or for Node, whose modules are left to `require`. */
const OWN = { neutral: SERVICE, node: { ...COMMON, platform: "node", format: "cjs" } } as const satisfies Record<string, BuildOptions>;

/**
 * Bundles a service file with its imports. The bytes depend on the sources alone, not on path, time or host, so that anyone can rebuild
 * them and compare the hash. The result is a script, not a module: it defines `service` and needs no loader. Only the file's folder and
 * installed packages are read.
 */
export async function bundleService(file: string): Promise<Bundle> {
  if (!existsSync(file)) throw new BundleFailed(file, "it does not exist");
  return keptBundle(file, SERVICE, async (seen) => {
    const bytes = await bundled(file, { ...SERVICE, plugins: [serviceSources(file, seen)] });
    if (bytes.length > MAX_BYTES) throw new BundleFailed(file, `it has ${bytes.length} bytes with all it imports; at most ${MAX_BYTES}`);
    return bundleOf(bytes);
  });
}

/** A bundle read from disk or a record; its hash is recomputed. */
export function bundleOf(bytes: Uint8Array): Bundle {
  return { bytes, codeHash: keccak256(bytes) };
}

/** Bundles one of the city's own files with its imports into a script. */
export function bundleOwn(file: string, platform: keyof typeof OWN): Promise<Bundle> {
  const options = OWN[platform];
  return keptBundle(file, options, async (seen) => bundleOf(await bundled(file, { ...options, plugins: [ownSources(seen)] })));
}

/** Reads the city's own files; packages are left to esbuild. */
function ownSources(seen: Seen): Plugin {
  return {
    name: "own-sources",
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
        const loader = loaderOf(path);
        if (loader === undefined || !isOwn(path)) return undefined;
        const contents = readFileSync(path);
        seen(path, contents);
        return { contents, loader };
      });
    },
  };
}

async function bundled(file: string, options: typeof COMMON & BuildOptions): Promise<Uint8Array> {
  const { build } = await import("esbuild");
  let result: BuildResult<{ write: false }>;
  try {
    result = await build({ ...options, entryPoints: [file], absWorkingDir: dirname(file) });
  } catch (error) {
    if (!isBuildFailure(error)) throw new BundleFailed(file, messageOf(error), undefined, error);
    const imports = error.errors.some(({ pluginName }) => pluginName === SERVICE_SOURCES);
    const advice = "a service may import the files of its own folder and packages that need nothing of Node";
    throw new BundleFailed(file, error.errors.map(describe).join("\n"), imports ? advice : undefined, error);
  }
  const [output] = result.outputFiles;
  if (output === undefined) throw new BundleFailed(file, "the bundler produced no output");
  return output.contents;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors) && error.errors.length > 0;
}

/** `shout.ts:3:14: Expected ")" but found end of file`, followed by the offending line. */
function describe({ text, location, detail }: Message): string {
  const reason = detail instanceof Error ? detail.message : text;
  if (location === null) return reason;
  const place = `${location.file.replace(/^[a-z0-9]+:/, "")}:${location.line}:${location.column + 1}: ${reason}`;
  return location.lineText === "" ? place : `${place}\n    ${location.lineText.trim().slice(0, 200)}`;
}

import { dirname } from "node:path";
import { type BuildResult, build } from "esbuild";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { keccak256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";

/** A service as it is registered, sold and run: one self-contained script and the hash that names it. */
export interface Bundle {
  readonly bytes: Uint8Array;
  /** keccak256 of the bytes (decision 44). */
  readonly codeHash: Hash;
}

/** A service's source cannot be made into one self-contained file. */
export class BundleFailed extends AgentCityError {
  constructor(file: string, details: string, cause?: unknown) {
    super("BundleFailed", `The service ${file} cannot be bundled`, {
      details,
      action: "a service may import only its own files and pure packages: nothing of Node",
      cause,
    });
  }
}

/**
 * Bundles a service file with all it imports. The bytes depend on the sources alone: no path, no time, no host; so anyone can
 * rebuild them and compare the hash. A script, not a module: it defines `service` and needs no loader.
 */
export async function bundleService(file: string): Promise<Bundle> {
  return bundleOf(await bundled(file, "neutral"));
}

/** A bundle read back from disk or taken from a record: the hash is recomputed, never believed. */
export function bundleOf(bytes: Uint8Array): Bundle {
  return { bytes, codeHash: keccak256(bytes) };
}

/** One script from a file and its imports; `neutral` refuses Node's own modules, `node` leaves them to `require`. */
export async function bundled(file: string, platform: "neutral" | "node"): Promise<Uint8Array> {
  let result: BuildResult<{ write: false }>;
  try {
    result = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      bundle: true,
      write: false,
      platform,
      format: platform === "node" ? "cjs" : "iife",
      ...(platform === "node" ? {} : { globalName: "service" }),
      target: "es2023",
      charset: "utf8",
      minifyWhitespace: true,
      legalComments: "none",
      sourcemap: false,
      mainFields: ["module", "main"],
      conditions: ["import", "default"],
      tsconfigRaw: {},
      logLevel: "silent",
    });
  } catch (error) {
    throw new BundleFailed(file, messageOf(error), error);
  }
  const [output] = result.outputFiles;
  if (output === undefined) throw new BundleFailed(file, "nothing came out");
  return output.contents;
}

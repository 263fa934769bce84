/** The compiled contracts that come with the sources: a first start unpacks them instead of compiling for a minute. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { z } from "zod";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { filesIn } from "./files.ts";

/** Hashes in hex: of the inputs that the artifacts were made from, and of the archive once it is unpacked. */
const manifestSchema = z.strictObject({ inputs: z.string(), sha256: z.string() });

/** Where immutables are in the code. The compiler names each by a number that changes with what else it compiles: here they are counted. */
const immutablesSchema = z.record(z.string(), z.array(z.object({ length: z.int(), start: z.int() }))).transform((references) => {
  const places = Object.values(references).sort(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0));
  return Object.fromEntries(places.map((place, index) => [String(index), place]));
});

/** What a deployment needs of an artifact (deploy/artifacts.ts). */
const shippedSchema = z.object({
  contractName: z.string(),
  abi: z.json(),
  bytecode: z.string(),
  linkReferences: z.json(),
  deployedBytecode: z.string(),
  deployedLinkReferences: z.json(),
  immutableReferences: immutablesSchema,
});
/** Path below `artifacts/` → artifact. */
const archiveSchema = z.record(z.string().regex(/^contracts(\/\w+)+\.sol\/\w+\.json$/), shippedSchema);

const archiveOf = (folder: string) => join(folder, "contracts.json.br");
const manifestOf = (folder: string) => join(folder, "contracts.manifest.json");
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Every contract with code, as one text; the same artifacts give the same text. */
function collect(artifacts: string): string {
  const all = filesIn("contracts/**/*.json", artifacts).map(
    (path) => [path, shippedSchema.parse(JSON.parse(readFileSync(join(artifacts, path), "utf8")))] as const,
  );
  return canonicalJson(Object.fromEntries(all.filter(([, { bytecode }]) => bytecode !== "0x")));
}

/** Writes the archive of the artifacts that were compiled from these inputs. */
export function pack(folder: string, artifacts: string, inputs: string): void {
  const text = collect(artifacts);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    archiveOf(folder),
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } }),
  );
  writeFileSync(manifestOf(folder), `${JSON.stringify({ inputs, sha256: sha256(text) }, null, 2)}\n`);
}

/** Why the archive is not what these artifacts would be packed into; undefined when it is. */
export function differs(folder: string, artifacts: string, inputs: string): string | undefined {
  const { text, manifest } = open(folder);
  if (manifest.inputs !== inputs) return "it was made from other sources";
  if (sha256(text) !== manifest.sha256) return "it does not match its manifest";
  return text === collect(artifacts) ? undefined : "these sources compile to something else";
}

/**
 * Puts the shipped artifacts in place, if they were made from these inputs and every byte is as it was packed.
 *
 * @returns Why they cannot be used; undefined when they are in place.
 */
export function unpack(folder: string, artifacts: string, inputs: string): string | undefined {
  let archive: z.infer<typeof archiveSchema>;
  try {
    const { text, manifest } = open(folder);
    if (manifest.inputs !== inputs) return "a contract or a tool was changed";
    if (sha256(text) !== manifest.sha256) return "deploy/shipped is damaged";
    archive = archiveSchema.parse(JSON.parse(text));
  } catch (error) {
    return `deploy/shipped is damaged (${error instanceof Error ? error.message : error})`;
  }
  rmSync(join(artifacts, "contracts"), { recursive: true, force: true });
  for (const [path, artifact] of Object.entries(archive)) {
    const file = join(artifacts, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, canonicalJson(artifact));
  }
  return undefined;
}

function open(folder: string): { readonly text: string; readonly manifest: z.infer<typeof manifestSchema> } {
  return {
    text: brotliDecompressSync(readFileSync(archiveOf(folder))).toString("utf8"),
    manifest: manifestSchema.parse(JSON.parse(readFileSync(manifestOf(folder), "utf8"))),
  };
}

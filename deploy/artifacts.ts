import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";
import { z } from "zod";
import { AgentCityError } from "../orchestrator/primitives/errors.ts";

const places = z.array(z.strictObject({ start: z.number(), length: z.number() }));
const references = z.record(z.string(), z.record(z.string(), places));

const artifactSchema = z.object({
  contractName: z.string(),
  abi: z.custom<Abi>(Array.isArray),
  bytecode: z.templateLiteral(["0x", z.string()]),
  linkReferences: references,
  deployedBytecode: z.templateLiteral(["0x", z.string()]),
  deployedLinkReferences: references,
  immutableReferences: z.record(z.string(), places),
});

/** Compiler settings of hardhat.config.ts, and the artifact folder of each. */
export const profiles = {
  /** For tests and devnets. */
  default: "artifacts",
  /** For real networks; written by `npm run compile -- --production`. */
  production: "cache/production/artifacts",
} as const;
export type Profile = keyof typeof profiles;

/** A compiled contract, as output by the compiler. */
export interface Artifact {
  readonly name: string;
  readonly abi: Abi;
  /** Creation code; library addresses are placeholders until `link` fills them. */
  readonly bytecode: Hex;
  /** Called libraries: their artifact names, and the byte offsets of their addresses. */
  readonly libraries: readonly Library[];
  /** Deployed code. */
  readonly runtime: Runtime;
}

interface Library {
  readonly name: string;
  readonly source: string;
  readonly starts: readonly number[];
}

/** Expected on-chain code, except for the holes. */
export interface Runtime {
  /** Zero in the holes. */
  readonly code: Hex;
  /** Byte ranges filled in at deployment: immutables, libraries, and in a library its own address. */
  readonly holes: readonly { readonly start: number; readonly length: number }[];
  readonly libraries: readonly Library[];
}

export class ArtifactMissing extends AgentCityError {
  constructor(file: string, profile: Profile, cause: unknown) {
    const action = `run \`npm run compile${profile === "production" ? " -- --production" : ""}\``;
    super("ArtifactMissing", `No compiled contract at ${file}`, { cause, action });
  }
}

/** Another folder for the default profile: the benchmark deploys production artifacts. */
const compiled = process.env["AGENTCITY_ARTIFACTS"] ?? profiles.default;
const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder of the default profile's artifacts. */
export function artifactsFolder(): string {
  return resolve(root, compiled);
}

/** Reads the artifact of `contracts/<path>.sol`, e.g. `meta/LegislativeProcedure`. */
export function readArtifact(path: string, profile: Profile = "default"): Artifact {
  const name = path.split("/").at(-1) ?? path;
  const place = join(profile === "default" ? compiled : profiles[profile], "contracts", `${path}.sol`);
  const file = resolve(root, place, `${name}.json`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ArtifactMissing(place, profile, cause);
  }
  return parseArtifact(text);
}

/** Parses an artifact file. Throws a ZodError if it is malformed. */
export function parseArtifact(text: string): Artifact {
  const artifact = artifactSchema.parse(JSON.parse(text));
  const { bytecode, abi, contractName } = artifact;
  return { name: contractName, abi, bytecode, libraries: librariesOf(artifact.linkReferences), runtime: runtimeOf(artifact) };
}

function librariesOf(found: z.output<typeof references>): Library[] {
  return Object.entries(found).flatMap(([file, inFile]) =>
    Object.entries(inFile).map(([name, at]) => ({
      name,
      source: file.replace(/^(project\/)?contracts\//, "").replace(/\.sol$/, ""),
      starts: at.map(({ start }) => start),
    })),
  );
}

/** A deployed library starts with PUSH20 and its own address, which is zero in its artifact. */
const LIBRARY_START = `0x73${"0".repeat(40)}`;

function runtimeOf(artifact: z.output<typeof artifactSchema>): Runtime {
  const holes = [
    ...Object.values(artifact.deployedLinkReferences).flatMap((inFile) => Object.values(inFile).flat()),
    ...Object.values(artifact.immutableReferences).flat(),
    ...(artifact.deployedBytecode.startsWith(LIBRARY_START) ? [{ start: 1, length: 20 }] : []),
  ];
  return { code: emptied(artifact.deployedBytecode, holes), holes, libraries: librariesOf(artifact.deployedLinkReferences) };
}

/** Code with zeros in its holes. */
export function emptied(code: Hex, holes: Runtime["holes"]): Hex {
  // Placeholders are not hex: cut the text, two digits per byte.
  for (const { start, length } of holes)
    code = `0x${code.slice(2, 2 + 2 * start)}${"00".repeat(length)}${code.slice(2 + 2 * (start + length))}`;
  return code;
}

/** Creation code with all library addresses filled in. */
export function link(artifact: Artifact, addresses: ReadonlyMap<string, Hex>): Hex {
  let code: Hex = artifact.bytecode;
  for (const { name, starts } of artifact.libraries) {
    const address = addresses.get(name);
    if (address === undefined) throw new AgentCityError("LibraryMissing", `${artifact.name} needs library ${name}, which is not deployed`);
    for (const start of starts) {
      // Placeholders are not hex: cut the text, two digits per byte.
      code = `0x${code.slice(2, 2 + 2 * start)}${address.slice(2).toLowerCase()}${code.slice(2 + 2 * (start + 20))}`;
    }
  }
  return code;
}

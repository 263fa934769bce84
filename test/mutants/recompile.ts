/** Compiles again what one changed file is part of, and nothing else: seconds, where the whole build takes a minute. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { z } from "zod";
import { filesIn } from "../../scripts/dev/files.ts";

/** How Hardhat names our sources to the compiler. */
const OURS = "project/";
/** What an artifact takes from the compiler. */
const OUTPUTS = ["bytecode.object", "bytecode.linkReferences", "deployedBytecode.object", "deployedBytecode.linkReferences"]
  .concat("deployedBytecode.immutableReferences")
  .map((part) => `evm.${part}`);

const Artifact = z.looseObject({ contractName: z.string(), inputSourceName: z.string(), buildInfoId: z.string() });
const BuildInfo = z.object({
  input: z.looseObject({
    sources: z.record(z.string(), z.object({ content: z.string() })),
    settings: z.looseObject({ remappings: z.array(z.string()).default([]) }),
  }),
});
const Code = z.object({ object: z.string(), linkReferences: z.unknown(), immutableReferences: z.unknown().optional() });
const Compiled = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(z.string(), z.record(z.string(), z.object({ evm: z.object({ bytecode: Code, deployedBytecode: Code }) })))
    .default({}),
});
const Compiler = z.object({ compile: z.custom<(input: string) => string>((value) => typeof value === "function") });

interface Made {
  readonly path: string;
  readonly before: string;
  readonly artifact: z.infer<typeof Artifact>;
}

/** Paths of sources that `content` imports, as the compiler names them. */
function importsOf(name: string, content: string): string[] {
  const paths = [...content.matchAll(/^(?:import|\}) [^;]*"(\.[^"]+)";/gm)].map(([, path = ""]) => path);
  return paths.map((path) => posix.join(posix.dirname(name), path));
}

/** A source and all that are made of it, by any number of imports. */
function dependantsOf(changed: string, sources: ReadonlyMap<string, string>): Set<string> {
  const found = new Set([changed]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [name, content] of sources) if (importsOf(name, content).some((one) => found.has(one))) found.add(name);
  }
  return found;
}

/** The compiled copy of a project, recompiled piece by piece. */
export class Recompiler {
  readonly #workshop: string;
  readonly #artifacts: readonly Made[];
  readonly #input: z.infer<typeof BuildInfo>["input"];
  readonly #sources: ReadonlyMap<string, string>;

  constructor(workshop: string) {
    const folder = join(workshop, "artifacts");
    this.#workshop = workshop;
    this.#artifacts = filesIn(["contracts/**/*.json", "test/**/*.json"], folder).map((name) => {
      const path = join(folder, name);
      const before = readFileSync(path, "utf8");
      return { path, before, artifact: Artifact.parse(JSON.parse(before)) };
    });
    const ids = [...new Set(this.#artifacts.map(({ artifact }) => artifact.buildInfoId))];
    const inputs = ids.map((id) => BuildInfo.parse(JSON.parse(readFileSync(join(folder, "build-info", `${id}.json`), "utf8"))).input);
    const [input] = inputs;
    if (input === undefined) throw new Error(`${workshop} holds no artifacts: compile first`);
    // A build that compiled a part of the sources knows the libraries of that part alone.
    const remappings = [...new Set(inputs.flatMap(({ settings }) => settings.remappings))];
    this.#input = { ...input, settings: { ...input.settings, remappings } };
    this.#sources = new Map(inputs.flatMap(({ sources }) => Object.entries(sources).map(([name, { content }]) => [name, content])));
    // They describe code that is about to change; without them a chain opens sooner and names no contract in its messages.
    rmSync(join(folder, "build-info"), { recursive: true });
  }

  /** Makes the artifacts of `folder` current that contain `file`; throws the compiler's errors. The answer undoes it. */
  change(file: string, folder: string): () => void {
    const sources = this.#current();
    const concerned = [...dependantsOf(OURS + file, sources)].filter((name) => name.startsWith(`${OURS}${folder}/`));
    const made = this.#artifacts.filter(({ artifact }) => concerned.includes(artifact.inputSourceName));
    const contracts = this.#compile(sources, concerned);
    for (const { path, artifact } of made) {
      const evm = contracts[artifact.inputSourceName]?.[artifact.contractName]?.evm;
      if (evm === undefined) throw new Error(`the compiler made no ${artifact.contractName}`);
      const code = {
        bytecode: `0x${evm.bytecode.object}`,
        linkReferences: evm.bytecode.linkReferences,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
        deployedLinkReferences: evm.deployedBytecode.linkReferences,
        immutableReferences: evm.deployedBytecode.immutableReferences ?? {},
      };
      writeFileSync(path, JSON.stringify({ ...artifact, ...code }));
    }
    return () => {
      for (const { path, before } of made) writeFileSync(path, before);
    };
  }

  #current(): Map<string, string> {
    const current = new Map<string, string>();
    for (const [name, content] of this.#sources) {
      const path = join(this.#workshop, name.slice(OURS.length));
      if (!name.startsWith(OURS)) current.set(name, content);
      else if (existsSync(path)) current.set(name, readFileSync(path, "utf8"));
    }
    return current;
  }

  #compile(sources: ReadonlyMap<string, string>, wanted: readonly string[]) {
    const solc = Compiler.parse(createRequire(import.meta.url)("solc"));
    const input = {
      ...this.#input,
      sources: Object.fromEntries([...sources].map(([name, content]) => [name, { content }])),
      settings: { ...this.#input.settings, outputSelection: Object.fromEntries(wanted.map((name) => [name, { "*": OUTPUTS }])) },
    };
    const { errors, contracts } = Compiled.parse(JSON.parse(solc.compile(JSON.stringify(input))));
    const fatal = errors.filter(({ severity }) => severity === "error");
    if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join("\n"));
    return contracts;
  }
}

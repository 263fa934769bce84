/**
 * Writes `orchestrator/chain/abi/<Contract>.ts`, a typed constant, for every concrete contract, and `errors.ts`, the errors of all of
 * them, since a revert may come from a contract that the called one calls. `layouts.ts` says where they keep what in their storage.
 *
 * The compiler puts into a contract's ABI the errors and events of internal library code, but not those of a library that is linked
 * and called by delegatecall; they are added here, because they too come from the contract's address.
 *
 * usage: npm run abi [-- --check]      --check writes nothing and fails when a file is not current
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { compile } from "./compile.ts";
import { filesIn, root } from "./files.ts";
import { layoutsText } from "./storage-layouts.ts";

interface Parameter {
  name: string;
  type: string;
  indexed?: boolean | undefined;
  components?: Parameter[] | undefined;
}
const Parameter: z.ZodType<Parameter> = z.object({
  name: z.string(),
  type: z.string(),
  indexed: z.boolean().optional(),
  get components() {
    return z.array(Parameter).optional();
  },
});
/** An ABI item in key order of the output; `internalType`, which no client needs, is dropped by the parse. */
const Item = z.object({
  type: z.enum(["constructor", "error", "event", "fallback", "function", "receive"]),
  name: z.string().optional(),
  anonymous: z.boolean().optional(),
  inputs: z.array(Parameter).optional(),
  outputs: z.array(Parameter).optional(),
  stateMutability: z.enum(["pure", "view", "nonpayable", "payable"]).optional(),
});
type Item = z.infer<typeof Item>;
const Artifact = z.object({
  abi: z.array(Item),
  linkReferences: z.record(z.string(), z.record(z.string(), z.unknown())),
});
type Artifact = z.infer<typeof Artifact>;

const folder = "orchestrator/chain/abi";

const typeOf = (parameter: Parameter): string => parameter.type.replace("tuple", `(${(parameter.components ?? []).map(typeOf).join(",")})`);
const signatureOf = (item: Item) => `${item.type} ${item.name ?? ""}(${(item.inputs ?? []).map(typeOf).join(",")})`;

/** Sorted by kind, name and argument types; a repeated item once. */
function sorted(items: readonly Item[]): Item[] {
  const bySignature = new Map(items.map((item) => [signatureOf(item), item]));
  return [...bySignature].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function artifactOf(source: string, contract: string): Artifact {
  const path = join(root, "artifacts", source, `${contract}.json`);
  return Artifact.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** The contract's own items, and errors and events of the libraries linked to it, to any depth. */
function itemsOf({ abi, linkReferences }: Artifact): Item[] {
  const linked = Object.entries(linkReferences).flatMap(([source, libraries]) =>
    // Linked sources are named as the compiler saw them; ours lie in artifacts under their own path.
    Object.keys(libraries).flatMap((library) => itemsOf(artifactOf(source.replace(/^project\//, ""), library))),
  );
  return sorted([...abi, ...linked.filter(({ type }) => type === "error" || type === "event")]);
}

/** Generated text: one ABI item a line, so that a change of the law is one line of a diff. */
function moduleText(name: string, source: string, items: readonly Item[]): string {
  const lines = items.map((item) => `  ${JSON.stringify(item)},\n`).join("");
  return [
    `// Generated from ${source} by \`npm run abi\`. Do not edit.\n`,
    'import type { Abi } from "viem";\n\n',
    `export const ${name} = [\n${lines}] as const satisfies Abi;\n`,
  ].join("");
}

/** Every generated file: name → text. */
function generate(): Map<string, string> {
  const files = new Map<string, string>();
  const errors: Item[] = [];
  for (const source of filesIn("contracts/**/*.sol")) {
    const text = readFileSync(join(root, source), "utf8");
    for (const [, contract = ""] of text.matchAll(/^contract\s+(\w+)/gm)) {
      const items = itemsOf(artifactOf(source, contract));
      errors.push(...items.filter(({ type }) => type === "error"));
      const name = `${contract[0]?.toLowerCase()}${contract.slice(1)}Abi`;
      files.set(`${contract}.ts`, moduleText(name, source, items));
    }
  }
  files.set("errors.ts", moduleText("errorsAbi", "the errors of all contracts", sorted(errors)));
  files.set("layouts.ts", layoutsText());
  return files;
}

/** Names of files that are missing, different or left over from a contract that is gone. */
function staleFiles(files: ReadonlyMap<string, string>): string[] {
  const present = filesIn("*.ts", join(root, folder));
  const names = [...new Set([...present, ...files.keys()])].sort();
  return names.filter((name) => {
    const path = join(root, folder, name);
    return !existsSync(path) || readFileSync(path, "utf8") !== files.get(name);
  });
}

if (import.meta.main) {
  compile();
  const files = generate();
  const stale = staleFiles(files);
  if (process.argv.includes("--check")) {
    for (const name of stale) console.error(`${folder}/${name} is not current: npm run abi`);
    if (stale.length > 0) process.exitCode = 1;
  } else {
    mkdirSync(join(root, folder), { recursive: true });
    for (const name of stale) {
      const text = files.get(name);
      if (text === undefined) rmSync(join(root, folder, name));
      else writeFileSync(join(root, folder, name), text);
      console.log(`${text === undefined ? "removed" : "wrote"} ${folder}/${name}`);
    }
  }
}

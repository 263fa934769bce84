import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { cyclesIn } from "./shared/cycles.ts";
import { importsOf, isBuiltin, packageOf } from "./shared/imports.ts";
import { allItems, compareText, textField } from "./shared/items.ts";
import { isScript, languageOf } from "./shared/languages.ts";
import { jsonOf } from "./shared/quoted.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { parseScript } from "./shared/script.ts";
import { parseUri, resolveUri } from "./shared/uri.ts";

export const about: ServiceAbout = {
  id: "dependency-graph",
  title: "Which files import which, and circular imports",
  description:
    "Draws the dependency graph of JavaScript and TypeScript projects: which file imports or requires which, how often each is used by others, circular imports (cycles), imports that lead nowhere, and packages that are used but not declared in package.json or declared but never used.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: false,
  drops: true,
  input: itemsInput(),
  output: itemsOutput({ label: { type: "string" }, value: { type: "integer" } }),
  capabilities: capabilities({ parsing: 200, ordering: 120 }),
  deterministic: true,
};

/** One item per source file and per package.json; `value` is how many files import it. Other files are left out. */
const dependencyGraph: Service = (input) => {
  const items = allItems(input);
  const ids = new Set(items.map(({ id }) => id));
  const files = items.filter(({ id }) => isSource(id)).map((item) => readFile(item, ids));
  const edges = new Map(files.map(({ id, imports }) => [id, imports]));
  const users = new Map<string, number>();
  for (const target of files.flatMap(({ imports }) => imports)) users.set(target, (users.get(target) ?? 0) + 1);
  const cycles = cyclesIn(edges);
  const manifests = items.filter(({ id }) => /(^|\/)package\.json$/.test(id)).map(readManifest);
  const sources = files.map((file): Item => {
    const cycle = cycles.find((members) => members.includes(file.id));
    const manifest = nearest(manifests, file.id);
    const undeclared =
      manifest === undefined ? [] : file.packages.filter((name) => !manifest.declared.includes(name) && name !== manifest.name);
    const importedBy = users.get(file.id) ?? 0;
    return {
      id: file.id,
      name: file.id,
      label: cycle !== undefined ? "in a cycle" : importedBy > 0 ? "imported" : "imported by none",
      value: importedBy,
      imports: file.imports,
      packages: file.packages,
      ...(cycle === undefined ? {} : { cycle }),
      ...(file.nowhere.length === 0 ? {} : { nowhere: file.nowhere }),
      ...(undeclared.length === 0 ? {} : { undeclared }),
      ...(file.problem === undefined ? {} : { problem: file.problem }),
    };
  });
  const packages = manifests.map((manifest): Item => {
    const used = new Set(files.filter(({ id }) => nearest(manifests, id) === manifest).flatMap((file) => file.packages));
    return {
      id: manifest.id,
      name: manifest.name || manifest.id,
      label: "package",
      value: 0,
      declared: manifest.declared,
      unused: manifest.declared.filter((name) => !used.has(name) && !name.startsWith("@types/")),
      ...(manifest.problem === undefined ? {} : { problem: manifest.problem }),
    };
  });
  return { items: [...sources, ...packages] };
};
export default dependencyGraph;

interface SourceFile {
  readonly id: string;
  /** Ids of other given files, each once. */
  readonly imports: readonly string[];
  /** Names of packages, Node's own left out. */
  readonly packages: readonly string[];
  /** Relative imports that no given file answers. */
  readonly nowhere: readonly string[];
  readonly problem?: string;
}

function isSource(id: string): boolean {
  const language = languageOf(id);
  return language !== undefined && isScript(language);
}

function readFile({ id, ...item }: Item, ids: ReadonlySet<string>): SourceFile {
  const script = parseScript(id, textField({ id, ...item }, "text"));
  if (!script.ok) return { id, imports: [], packages: [], nowhere: [], problem: script.problem };
  const imports = new Set<string>();
  const packages = new Set<string>();
  const nowhere = new Set<string>();
  for (const specifier of importsOf(script.file)) {
    if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
      const target = targetOf(specifier, id, ids);
      if (target === undefined) nowhere.add(specifier);
      else imports.add(target);
    } else if (!isBuiltin(specifier)) packages.add(packageOf(specifier));
  }
  const listed = (set: ReadonlySet<string>): string[] => [...set].sort(compareText);
  return { id, imports: listed(imports), packages: listed(packages), nowhere: listed(nowhere) };
}

const EXTENSIONS = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];

/** As bundlers look: the file itself, the TypeScript behind a `.js`, an extension added, the directory's index. */
function targetOf(specifier: string, from: string, ids: ReadonlySet<string>): string | undefined {
  const { path } = resolveUri(parseUri(specifier), parseUri(from));
  const plain = path.replace(/^\/|\/$/g, "");
  const typed = plain.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const inside = plain === "" ? "" : `${plain}/`;
  const candidates = [
    plain,
    typed,
    typed.replace(/\.ts$/, ".tsx"),
    ...EXTENSIONS.map((extension) => `${plain}.${extension}`),
    ...EXTENSIONS.map((extension) => `${inside}index.${extension}`),
  ];
  return candidates.find((candidate) => ids.has(candidate));
}

interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly declared: readonly string[];
  readonly problem?: string;
}

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

function readManifest(item: Item): Manifest {
  const manifest = jsonOf(textField(item, "text"));
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) {
    return { id: item.id, name: "", declared: [], problem: "it is not a JSON object" };
  }
  const fields = new Map(Object.entries(manifest));
  const name = fields.get("name");
  const declared = DEPENDENCIES.flatMap((key) => {
    const listed = fields.get(key);
    return typeof listed === "object" && listed !== null && !Array.isArray(listed) ? Object.keys(listed) : [];
  });
  return { id: item.id, name: typeof name === "string" ? name : "", declared: [...new Set(declared)].sort(compareText) };
}

/** The package.json of the closest directory above a file. */
function nearest(manifests: readonly Manifest[], file: string): Manifest | undefined {
  const above = manifests.filter(({ id }) => file.startsWith(id.slice(0, -"package.json".length)));
  return above.reduce<Manifest | undefined>((best, one) => (best === undefined || one.id.length > best.id.length ? one : best), undefined);
}

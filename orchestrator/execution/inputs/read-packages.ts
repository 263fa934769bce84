import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Item } from "../../../services/shared/contract.ts";
import { messageOf } from "../../primitives/errors.ts";
import { readHead } from "./bounded-file.ts";
import { InputUnreadable } from "./errors.ts";

const MANIFEST_BYTES = 262_144;
const LICENCE_BYTES = 8_192;
const README_BYTES = 131_072;
const README_HEAD = 2_048;
const README_LICENCE = 768;
const LICENCE_FILES = /^(licen[sc]e|copying|unlicense)([.\-_].*)?$/i;
const README_FILE = /^readme(\.(md|markdown|txt))?$/i;

/**
 * Every package installed below a `node_modules` directory: scoped, nested, and linked within it, each real directory once. An item holds
 * what is on disk (manifest, licence, readme as bounded text); a broken manifest is an item with `problem`.
 */
export function readPackages(root: string): Item[] {
  const items: Item[] = [];
  const visited = new Set<string>();
  const waiting: string[] = [];
  const visitModules = (modules: string): void => {
    for (const name of list(modules)) {
      const path = join(modules, name);
      if (name.startsWith("@") || name === ".pnpm") visitModules(path);
      else if (!name.startsWith(".")) waiting.push(path);
    }
  };
  if (!statSync(root).isDirectory()) throw new InputUnreadable(root, "`kind: packages` needs a node_modules directory");
  visitModules(root);
  // Breadth first, so that a package also linked deeper is named by its shortest path.
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const real = directoryWithin(root, path);
    if (real === undefined || visited.has(real)) continue;
    visited.add(real);
    const files = list(real);
    if (files.includes("package.json")) items.push(packageItem(relative(root, path).split(sep).join("/"), real, files));
    if (files.includes("node_modules")) visitModules(join(path, "node_modules"));
  }
  return items;
}

function packageItem(id: string, directory: string, files: readonly string[]): Item {
  const licenceFiles = files.filter((file) => LICENCE_FILES.test(file) && isFile(join(directory, file)));
  const readmeFile = files.find((file) => README_FILE.test(file) && isFile(join(directory, file)));
  const manifest = readText(join(directory, "package.json"), MANIFEST_BYTES);
  const readme = readmeFile === undefined ? "" : readText(join(directory, readmeFile), README_BYTES).text;
  const [licenceFile] = licenceFiles;
  return {
    id,
    kind: "package",
    manifest: manifest.text,
    licenceFiles,
    licenceText: licenceFile === undefined ? "" : readText(join(directory, licenceFile), LICENCE_BYTES).text,
    readmeHead: cut(readme, README_HEAD),
    readmeLicence: licenceSection(readme),
    ...(manifest.problem === undefined ? {} : { problem: manifest.problem }),
  };
}

/** The section of a readme below its last heading about a licence. */
function licenceSection(readme: string): string {
  const headings = [...readme.matchAll(/^(#{1,6}[^\n]*licen[sc]e[^\n]*|[^\n]*licen[sc]e[^\n]*\n[=-]{3,})$/gim)];
  const start = headings.at(-1)?.index;
  return start === undefined ? "" : cut(readme.slice(start), README_LICENCE);
}

function readText(path: string, limit: number): { text: string; problem?: string } {
  try {
    const head = readHead(path, limit);
    if (head.binary) return { text: "", problem: "contains bytes that are not text" };
    return head.bytes > limit ? { text: head.text, problem: `longer than ${limit} bytes` } : { text: head.text };
  } catch (error) {
    return { text: "", problem: messageOf(error).replaceAll(path, "package.json") };
  }
}

/** The real path of a directory; undefined if it is not one, or is outside `root`. */
function directoryWithin(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() && (real === root || real.startsWith(root + sep)) ? real : undefined;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Names in a directory by code unit; empty if it cannot be listed. */
function list(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** At most `limit` code units, without splitting a surrogate pair. */
function cut(text: string, limit: number): string {
  return text
    .slice(0, limit)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
}

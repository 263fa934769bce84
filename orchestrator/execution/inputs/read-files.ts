import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { Item } from "../../../services/shared/contract.ts";
import { readHead } from "./bounded-file.ts";

const FILE_BYTES = 65_536;
const SKIPPED = new Set([".git", "node_modules"]);

/** Every regular file below a directory (or the one file), with the first 64 KiB of its text. Links are not followed. */
export function readFiles(root: string): Item[] {
  if (statSync(root).isFile()) return [fileItem(basename(root), root)];
  const items: Item[] = [];
  const visit = (directory: string): void => {
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name);
      const status = lstatSync(path);
      if (status.isDirectory() && !SKIPPED.has(name)) visit(path);
      else if (status.isFile()) items.push(fileItem(relative(root, path).split(sep).join("/"), path));
    }
  };
  visit(root);
  return items;
}

function fileItem(id: string, path: string): Item {
  const head = readHead(path, FILE_BYTES);
  return { id, kind: "file", bytes: head.bytes, binary: head.binary, text: head.text };
}

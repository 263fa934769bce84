import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { Item } from "../../../services/shared/contract.ts";
import { messageOf } from "../../primitives/errors.ts";
import { readHead } from "./bounded-file.ts";
import { InputUnreadable } from "./errors.ts";
import type { ReadItems, Skipped } from "./read-input.ts";

const FILE_BYTES = 65_536;
const SKIPPED = new Set([".git", "node_modules"]);

/**
 * Every regular file below a directory (or the one file), with the first 64 KiB of its text. Links are followed if they stay within the
 * directory. Files that are not read are listed with the reason.
 */
export function readFiles(root: string): ReadItems {
  const status = statSync(root);
  if (status.isFile()) return { items: [fileItem(basename(root), root)], skipped: [], remarks: [] };
  if (!status.isDirectory()) throw new InputUnreadable(root, "`kind: files` needs a directory or a regular file");
  const items: Item[] = [];
  const skipped: Skipped[] = [];
  const visit = (directory: string): void => {
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name);
      const id = relative(root, path).split(sep).join("/");
      try {
        const kind = lstatSync(path);
        if (kind.isDirectory() && !SKIPPED.has(name)) visit(path);
        else {
          const reason = kind.isDirectory() ? "not searched" : kind.isSymbolicLink() ? linkProblem(root, path) : kindProblem(kind);
          if (reason === undefined) items.push(fileItem(id, path));
          else skipped.push({ id, reason });
        }
      } catch (error) {
        skipped.push({ id, reason: messageOf(error).replaceAll(path, name) });
      }
    }
  };
  visit(root);
  return { items, skipped, remarks: [] };
}

function linkProblem(root: string, path: string): string | undefined {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return "a broken link";
  }
  if (!real.startsWith(root + sep)) return "a link to a place outside the input";
  const status = statSync(real);
  if (status.isDirectory()) return "a link to a directory";
  return relative(root, real)
    .split(sep)
    .some((part) => SKIPPED.has(part))
    ? "a link to something that is not searched"
    : kindProblem(status);
}

function kindProblem(status: Stats): string | undefined {
  return status.isFile() ? undefined : "not a regular file";
}

/** `problem` states what a reader must know to judge statements about the file. */
function fileItem(id: string, path: string): Item {
  const { bytes, binary, text, encoding } = readHead(path, FILE_BYTES);
  const truncated = bytes > FILE_BYTES && !binary;
  const problem = binary ? "contains bytes that are not text" : `only the first ${FILE_BYTES} of ${bytes} bytes were read`;
  return {
    id,
    kind: "file",
    path: id,
    name: basename(id),
    bytes,
    binary,
    text,
    ...(encoding === "utf-8" ? {} : { encoding }),
    ...(truncated ? { truncated } : {}),
    ...(binary || truncated ? { problem } : {}),
  };
}

/** Replaces `bundle.ts` in the published package: the code is prebuilt and only read. Its hash is recomputed. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "../../primitives/hash.ts";
import type * as made from "./bundle.ts";

const CODE = new URL("./code/", import.meta.url);

export const bundleService: typeof made.bundleService = async (file) => read(file);

export const bundleOwn: typeof made.bundleOwn = async (file) => read(file);

export const bundleOf: typeof made.bundleOf = (bytes) => ({ bytes, codeHash: keccak256(bytes) });

function read(file: string): made.Bundle {
  return bundleOf(new Uint8Array(readFileSync(fileURLToPath(new URL(basename(file).replace(/\.ts$/, ".js"), CODE)))));
}

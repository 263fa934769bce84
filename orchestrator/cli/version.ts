import { readFileSync } from "node:fs";
import { z } from "zod";

/** Version of this program, from its package. */
export function version(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))).version;
}

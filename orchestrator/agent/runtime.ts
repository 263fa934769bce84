import { createRequire } from "node:module";
import { join } from "node:path";
import { AgentCityError } from "../primitives/errors.ts";

/** Node's major version that services run on. */
const NODE_MAJOR = 24;

/** Services run on Node 24: this process's, or that of the package `node` beside this one. Throws WrongRuntime. */
export function nodeForServices(): string {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath;
  for (const from of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return createRequire(from).resolve("node/bin/node");
    } catch {
      // Not installed there.
    }
  }
  throw new AgentCityError("WrongRuntime", `Services run on Node ${NODE_MAJOR}; this is ${process.version}`, {
    action: `npm install node@${NODE_MAJOR} beside this package, or sell no services`,
  });
}

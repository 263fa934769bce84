import { createRequire } from "node:module";
import { join } from "node:path";
import { AgentCityError } from "../primitives/errors.ts";

/** Node major version that services run on. */
const NODE_MAJOR = 24;

/** Path of a Node 24 for services: this process's, or that of an installed `node` package. Throws WrongRuntime. */
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
    action: `npm install node@${NODE_MAJOR} next to this package, or sell no services`,
  });
}

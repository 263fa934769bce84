import { join } from "node:path";

/** One empty cluster for all test files, so that each opens its database in a moment. */
export const template = join(import.meta.dirname, "../../node_modules/.cache/agentcity/pglite-0.5.14.tar");

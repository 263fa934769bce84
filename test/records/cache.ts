import { join } from "node:path";

/** One empty cluster for all test files, so that each opens its database in a moment. */
export const cache = join(import.meta.dirname, "../../node_modules/.cache/agentcity");

import { join } from "node:path";

/** An empty cluster for all test files, so that each city is founded in a moment. */
export const cache = join(import.meta.dirname, "../../node_modules/.cache/agentcity");

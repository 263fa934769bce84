/** The thread of a city's gateway, from the kept files: loading two thousand sources takes longer. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { programUrl } from "./kept-program.ts";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)));
await import(await programUrl(undefined, "gateway-thread"));

#!/usr/bin/env node
/**
 * The `agentcity` program, on whatever Node it was started with: the sources need Node 24, which is a dependency of this project.
 * Plain JavaScript, so that an old Node gets as far as saying so.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const NODE_MAJOR = 24;
const OWN_NODE = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
/** What Node made of the sources is kept between commands, a second of each. */
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url));

if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) {
  module.enableCompileCache(COMPILED);
  const { programUrl } = await import("./kept-program.ts");
  await import(await programUrl());
} else if (existsSync(OWN_NODE)) {
  const child = spawn(OWN_NODE, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
} else {
  const problem = `agentcity needs Node ${NODE_MAJOR} or later; this is ${process.version}`;
  const action = `run npm ci in ${fileURLToPath(new URL("..", import.meta.url))}, which installs one`;
  if (process.argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ status: "error", error: { code: "WrongRuntime", message: problem, action } })}\n`);
  process.stderr.write(`WrongRuntime: ${problem}\nWhat to do: ${action}\n`);
  process.exitCode = 1;
}

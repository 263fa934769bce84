import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { AgentCityError } from "../../primitives/errors.ts";

/** This machine has no second sandbox layer, and untrusted code was to run. */
export class NoSandbox extends AgentCityError {
  constructor(why: string) {
    super("NoSandbox", "Untrusted code is not run in a single sandbox layer", {
      details: why,
      action: "install bubblewrap (apt-get install bubblewrap), or accept the risk with --weak-sandbox",
    });
  }
}

/** Path of the Node binary inside the sandbox, where nothing else of this machine is visible. */
const NODE = "/node";
/** Shared libraries of a Node binary, where the system has them. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"] as const;
/** Limits enforced by the kernel: open files, file size in bytes, core dumps, seconds of CPU time. */
const BOUNDS = ["--nofile=64", "--fsize=0", "--core=0", "--cpu=900"] as const;

/**
 * The command for a process in the second sandbox layer (bubblewrap): its own user, process, network, mount and IPC namespaces, no
 * capabilities, no environment, and no files except Node and its libraries, read-only.
 */
export function fenced(node: string, args: readonly string[]): readonly [command: string, args: readonly string[]] {
  const libraries = LIBRARIES.flatMap((path) => ["--ro-bind-try", path, path]);
  const walls = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"];
  const inside = [
    "--ro-bind",
    realpathSync(node),
    NODE,
    ...libraries,
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--remount-ro",
    "/",
    "--chdir",
    "/",
  ];
  return ["prlimit", [...BOUNDS, "bwrap", ...walls, ...inside, "--", NODE, ...args]];
}

/**
 * Why this machine has no second sandbox layer; undefined if it has one. Tested by running it: bubblewrap may be installed without user
 * namespaces.
 */
export function fenceProblem(node: string): string | undefined {
  const [command, args] = fenced(node, ["--eval", "process.stdout.write('inside')"]);
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 10_000, env: { PATH: process.env["PATH"] } });
  if (stdout === "inside") return undefined;
  return (error?.message ?? (stderr || "it did not start")).slice(0, 300);
}

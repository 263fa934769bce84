import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { AgentCityError } from "../../primitives/errors.ts";

/** There is no second fence on this machine, and somebody else's code was to run. */
export class NoSandbox extends AgentCityError {
  constructor(why: string) {
    super("NoSandbox", "Code of others is not run behind one fence alone", {
      details: why,
      action: "install bubblewrap (apt-get install bubblewrap), or accept the risk aloud with --weak-sandbox",
    });
  }
}

/** Where the process finds the Node that runs it, and nothing else of this machine. */
const NODE = "/node";
/** What a Node is linked with, where a system keeps it. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"] as const;
/** Bounds that the kernel holds: open files, bytes of a file, core dumps, seconds of processor time. */
const BOUNDS = ["--nofile=64", "--fsize=0", "--core=0", "--cpu=900"] as const;

/**
 * The command of a process behind the second fence (bubblewrap): namespaces of its own for users, processes, network, mounts and IPC, no
 * capabilities, no environment, and no files but Node and its libraries, which it cannot write.
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

/** Why this machine has no second fence; undefined if it has one. Tries it: bubblewrap may be there and user namespaces not. */
export function fenceProblem(node: string): string | undefined {
  const [command, args] = fenced(node, ["--eval", "process.stdout.write('inside')"]);
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 10_000, env: { PATH: process.env["PATH"] } });
  if (stdout === "inside") return undefined;
  return (error?.message ?? (stderr || "it did not start")).slice(0, 300);
}

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { DEVNET_GENESIS } from "./devnet.ts";
import type { Genesis } from "./transcript.ts";

export interface AnvilOptions {
  /** 0 or undefined: any free port. */
  readonly port?: number;
  /** Directory for its state: loaded at start, saved every second and at the end. */
  readonly dir?: string;
  readonly startTimeoutMillis?: number;
  /**
   * Block 0; blocks are then mined on request only, at the requested time (chain/anvil-chain.ts). Default: each transaction is mined at
   * once, at the machine's time.
   */
  readonly driven?: Genesis;
  /** Node of the chain whose block `driven.fork` names. */
  readonly forkUrl?: string | undefined;
  /** A file into which another Anvil with the same genesis dumped its state. */
  readonly from?: string | undefined;
  /** Called if the program exits unexpectedly. */
  readonly onExit?: (how: string) => void;
}

/** A chain in another process, which outlives this one. */
export interface Anvil {
  readonly url: string;
  readonly pid: number;
  /** Stops it: SIGTERM saves the state, SIGKILL loses at most the last second. Returns the signal that ended it. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<NodeJS.Signals | null>;
}

export class AnvilFailed extends AgentCityError {
  constructor(reason: string, cause?: unknown) {
    super("AnvilFailed", "Anvil did not start", {
      details: reason,
      action: "npm install (it brings Anvil for this platform), or use the embedded chain",
      cause,
    });
  }
}

/** A fork queries the chain it was forked from for state it does not hold. */
export class ForkUrlMissing extends AgentCityError {
  constructor(chainId: number) {
    super("ForkUrlMissing", `This city lives on a fork of chain ${chainId}, and no RPC URL of that chain was given`, {
      action: "give one whose node has the state of the forked block: --fork <url> (an audit: --rpc <url>)",
    });
  }
}

/** Path of the program itself, not of npm's wrapper script, which would outlive it and hide its pid. */
function anvilBinary(): string {
  const machine = { x64: "amd64", arm64: "arm64" }[process.arch as string] ?? process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${machine}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
    const manifest = createRequire(wrapper).resolve(`${name}/package.json`);
    return join(manifest, "..", "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
  } catch (cause) {
    throw new AnvilFailed(`the package ${name} is not installed`, cause);
  }
}

export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const program = anvilBinary();
  const state = options.dir === undefined ? [] : ["--state", join(options.dir, "anvil.json"), "--state-interval", "1"];
  const from = options.from === undefined ? [] : ["--load-state", options.from];
  const genesis = options.driven ?? DEVNET_GENESIS;
  const driven = options.driven === undefined ? [] : ["--no-mining", "--order", "fifo", "--hardfork", genesis.hardfork];
  const child = spawn(
    program,
    [
      ...["--host", "127.0.0.1", "--port", String(options.port ?? 0), "--chain-id", String(genesis.chainId)],
      ...["--mnemonic", genesis.mnemonic, "--accounts", String(genesis.accounts)],
      ...["--balance", (BigInt(genesis.balance) / 10n ** 18n).toString(), "--gas-limit", String(genesis.gasLimit)],
      ...beginning(genesis, options.forkUrl),
      ...driven,
      // Keeps a few past states, so that a revert can still be explained.
      ...["--prune-history", "64", "--optimism", ...state, ...from],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const url = await listening(child, options.startTimeoutMillis ?? 20_000);
  let stopping = false;
  // A process that exits in a hurry takes its node along.
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.on("exit", (code, signal) => {
    process.off("exit", end);
    if (!stopping) options.onExit?.(signal ?? `code ${code}`);
  });
  return {
    url,
    pid: child.pid ?? 0,
    async stop(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return child.signalCode;
      stopping = true;
      const exit = once(child, "exit");
      child.kill(signal);
      await exit;
      return child.signalCode;
    },
  };
}

/** Flags for block 0, or for the forked block in its place. */
function beginning({ fork, timestamp, baseFee }: Genesis, forkUrl: string | undefined): readonly string[] {
  if (fork === undefined) return ["--timestamp", String(timestamp), "--base-fee", String(baseFee)];
  if (forkUrl === undefined) throw new ForkUrlMissing(fork.chainId);
  return ["--fork-url", forkUrl, "--fork-block-number", String(fork.number), "--no-storage-caching"];
}

function listening(child: ChildProcess, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new AnvilFailed(`${reason}\n${said.trim().split("\n").slice(-3).join("\n")}`));
    };
    const timer = setTimeout(() => fail(`it did not start listening within ${timeout / 1000} s`), timeout);
    child.on("error", (error) => fail(messageOf(error)));
    child.on("exit", (code) => fail(`it exited with code ${code}`));
    const hear = (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const match = /Listening on (\S+)/.exec(said);
      if (match === null) return;
      clearTimeout(timer);
      child.removeAllListeners("exit");
      // Later output is not read, but a full pipe would block it.
      child.stdout?.off("data", hear).resume();
      child.stderr?.off("data", hear).resume();
      resolve(`http://${match[1]}`);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
  });
}

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { connectRpcChain } from "../chain/rpc.ts";
import { foundedSeed } from "../city/city.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { isSystemError } from "../primitives/files.ts";
import { keccak256 } from "../primitives/hash.ts";
import { carryOut, home } from "./carry-out.ts";
import { wallTime } from "./wall-time.ts";

export interface MissionOptions {
  readonly input?: string;
  readonly seed?: string;
  readonly rpc?: string;
  readonly ask?: boolean;
  readonly model?: string;
  readonly json?: boolean;
}

export class MissionFileMissing extends AgentCityError {
  constructor(file: string, cause: unknown) {
    super("MissionFileMissing", `There is no mission file at ${file}`, { cause, action: "see missions/ for samples" });
  }
}

/** Runs a mission file in the city of this folder, founding it first if need be. */
export async function mission(file: string, options: MissionOptions): Promise<void> {
  const text = readMissionFile(file);
  if (options.rpc !== undefined) await requireFoundedChain(options.rpc);
  const { dir } = home();
  const seed = options.seed ?? foundedSeed(dir) ?? "7";
  const key = {
    command: "mission",
    file: keccak256(new TextEncoder().encode(text)),
    input: options.input ?? "",
    seed,
    model: options.model ?? "",
  };
  await carryOut({ ...options, seed, key, fileName: basename(file), text, directory: process.cwd() });
}

function readMissionFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "EISDIR")) throw new MissionFileMissing(file, error);
    throw error;
  }
}

/** Reaches a chain by URL. A city on another chain than the embedded one is founded by `npm run genesis`, which is not there yet. */
async function requireFoundedChain(url: string): Promise<never> {
  const chain = await connectRpcChain({ url, wall: wallTime });
  const { id } = chain;
  await chain.close();
  throw new AgentCityError("NoCityThere", `Chain ${id} answers, but no city is known on it`, {
    action: "leave --rpc out to use the embedded chain",
  });
}

import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { foundedSeed } from "../city/founding/city-folder.ts";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import { isSystemError } from "../primitives/files.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import type { MissionFile } from "../protocol/mission-file.ts";
import { carryOut } from "./carry-out.ts";
import { home } from "./home.ts";
import { placeOf } from "./network.ts";
import { typedPath } from "./shell.ts";
import { sponsor } from "./sponsor.ts";

export interface MissionOptions {
  readonly input?: string;
  /** URL of another operator's city, and the keystore that pays there. */
  readonly city?: string;
  readonly key?: string;
  readonly passwordFile?: string;
  readonly again?: number;
  readonly seed?: string;
  readonly network: string;
  readonly rpc?: string;
  readonly fork?: string;
  readonly confirmations?: number;
  readonly maxFee?: bigint;
  readonly token?: Address;
  readonly mode?: MissionFile["mode"];
  readonly open?: number;
  readonly agents?: number;
  readonly serve?: boolean;
  readonly port: number;
  readonly ask?: boolean;
  readonly waitForHumans?: boolean;
  readonly simulateHumans?: boolean;
  readonly model?: string;
  readonly database?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

export class MissionFileMissing extends AgentCityError {
  constructor(file: string, cause: unknown) {
    super("MissionFileMissing", `There is no mission file at ${file}`, { cause, action: "see missions/ for samples" });
  }
}

/** Runs a mission file in the city of this folder, which is founded first if necessary. */
export async function mission(file: string, options: MissionOptions): Promise<void> {
  const path = resolve(typedPath(file));
  const text = readMissionFile(path);
  if (options.city !== undefined)
    return sponsor({ ...options, city: options.city, text, fileName: basename(file), directory: dirname(path) });
  const place = placeOf(options);
  if (options.agents !== undefined && options.open === undefined)
    throw new InvalidValue("--agents", "it requires --open", { action: "add --open 8787" });
  const { dir } = home(place.name);
  const seed = options.seed ?? foundedSeed(dir) ?? "7";
  const key = {
    command: "mission",
    file: keccak256(new TextEncoder().encode(text)),
    input: options.input ?? "",
    seed,
    model: options.model ?? "",
    ...(options.mode === undefined ? {} : { mode: options.mode }),
  };
  const { open: seats, agents = 0, serve = false, port, ...rest } = options;
  const open = seats === undefined ? {} : { open: { port: seats, agents } };
  await carryOut({
    ...rest,
    ...open,
    serve: serve ? { port } : undefined,
    place,
    seed,
    key,
    fileName: basename(file),
    text,
    directory: dirname(path),
  });
}

function readMissionFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "EISDIR")) throw new MissionFileMissing(file, error);
    throw error;
  }
}

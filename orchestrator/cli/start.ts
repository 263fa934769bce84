import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { carryOut } from "./carry-out.ts";
import { devnetNamed } from "./network.ts";

/** Audits this project's own dependencies, wherever it is called from. */
const SAMPLE = fileURLToPath(new URL("../../missions/dependency-licences.yaml", import.meta.url));

export interface StartOptions {
  readonly network: string;
  readonly seed: string;
  readonly serve?: boolean;
  readonly port: number;
  readonly cheat?: boolean;
  readonly ask?: boolean;
  readonly waitForHumans?: boolean;
  readonly simulateHumans?: boolean;
  readonly newCity?: boolean;
  readonly model?: string;
  readonly database?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

/** Founds a city, runs the sample mission and prints the first screen. Resumes an interrupted start. */
export async function start(options: StartOptions): Promise<void> {
  const { network, ...rest } = options;
  const key = { command: "start", seed: options.seed, cheat: options.cheat === true, model: options.model ?? "" };
  await carryOut({
    ...rest,
    place: { name: network, devnet: devnetNamed(network) },
    key,
    serve: options.serve === true ? { port: options.port } : undefined,
    restart: { newCity: options.newCity === true },
    fileName: "missions/dependency-licences.yaml",
    text: readFileSync(SAMPLE, "utf8"),
    directory: dirname(SAMPLE),
  });
}

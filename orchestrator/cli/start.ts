import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endOrphan } from "../chain/anvil-chain.ts";
import { clearUnlessInterrupted } from "../city/runs.ts";
import { carryOut } from "./carry-out.ts";
import { home } from "./home.ts";
import { devnetNamed } from "./network.ts";

const SAMPLE = fileURLToPath(new URL("../../missions/dependency-licences.yaml", import.meta.url));
/** The sample audits this project's own dependencies, wherever it is called from. */
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

export interface StartOptions {
  readonly network: string;
  readonly seed: string;
  readonly cheat?: boolean;
  readonly ask?: boolean;
  readonly waitForHumans?: boolean;
  readonly model?: string;
  readonly database?: string;
  readonly json?: boolean;
}

/** The main job: a new city, the sample mission, the first screen. An interrupted start goes on where it stopped. */
export async function start(options: StartOptions): Promise<void> {
  const network = devnetNamed(options.network);
  const { dir } = home(network);
  endOrphan(dir, (line) => process.stderr.write(`${line}\n`));
  const key = { command: "start", seed: options.seed, cheat: options.cheat === true, model: options.model ?? "" };
  clearUnlessInterrupted(dir, key);
  await carryOut({
    ...options,
    network,
    key,
    fileName: "missions/dependency-licences.yaml",
    text: readFileSync(SAMPLE, "utf8"),
    directory: PROJECT,
  });
}

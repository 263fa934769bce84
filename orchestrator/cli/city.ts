import { openCity } from "../city/city.ts";
import { foundedSeed } from "../city/city-folder.ts";
import { systemClock } from "../primitives/clock.ts";
import type { Address } from "../primitives/hex.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import { placeOf } from "./network.ts";
import { withProgress } from "./progress.ts";
import { forEver, serveCity } from "./serve-city.ts";
import { wallTime } from "./wall-time.ts";

export interface CityCommandOptions {
  readonly network: string;
  readonly rpc?: string;
  readonly fork?: string;
  readonly confirmations?: number;
  readonly maxFee?: bigint;
  readonly token?: Address;
  readonly seed?: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly origin?: readonly string[];
  readonly database?: string;
  readonly json?: boolean;
}

/** A city that stays: opened or founded, served until the process is stopped. */
export async function city(options: CityCommandOptions): Promise<void> {
  const { port, publicUrl, origin, json = false } = options;
  const { name, devnet: network, rpcUrl, forkUrl, live, society } = placeOf(options);
  const { dir, cacheDir } = home(name);
  const url = await withProgress(async ({ tell }) => {
    const opened = await openCity({
      ...{ dir, cacheDir, network, tell, interrupted, millis: wallTime.millis, environment: process.env },
      databaseUrl: options.database,
      ...{ rpcUrl, forkUrl, live, society },
      seed: foundedSeed(dir) ?? options.seed ?? "7",
      silenceClock: rpcUrl === undefined && live === undefined ? undefined : systemClock(wallTime),
      copyFounding: true,
    });
    return (await serveCity(opened, { port, publicUrl, ...(origin === undefined ? {} : { origins: origin }) })).url;
  });
  process.stdout.write(json ? `${JSON.stringify({ status: "serving", url })}\n` : `SERVING ${url}   (Ctrl-C ends it)\n`);
  await forEver();
}

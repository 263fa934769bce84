import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileAt, readSite } from "../../console/build/site.ts";
import type { AllowedOrigin } from "../attestation/index.ts";
import type { City } from "../city/city.ts";
import type { Hearings } from "../city/hearings/hearings.ts";
import type { OpenSeats } from "../city/missions/open-seats.ts";
import type { PostedMissions } from "../city/missions/posted-missions.ts";
import type { Pages } from "../gateway/http.ts";
import { type Gateway, serveGateway } from "../gateway/serve.ts";
import type { Toll } from "../gateway/x402.ts";
import { messageOf } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { home } from "./home.ts";
import { version } from "./version.ts";
import { wallTime } from "./wall-time.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DIST = join(ROOT, "console", "dist");

export interface Serving {
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly origins?: readonly string[];
  readonly proxies?: readonly string[];
  readonly ipfs?: string | undefined;
  readonly retainMonths?: number | undefined;
  readonly toll?: Toll | undefined;
  readonly gasBudget?: number | undefined;
  readonly identities?: Address | undefined;
  readonly claimOrigins?: readonly AllowedOrigin[] | undefined;
  readonly escrow?: Address | undefined;
  /** Seats for external agents, while they are open. */
  readonly seats?: OpenSeats | undefined;
  /** Missions of external sponsors, if accepted. */
  readonly posted?: PostedMissions | undefined;
  /** Jobs of external escrows before panels of this city. */
  readonly hearings?: Hearings | undefined;
}

/** Serves an open city of this process, on the machine's own clock. */
export async function serveCity(city: City, { seats, ...serving }: Serving): Promise<Gateway> {
  const pages = consolePages(city);
  const own = home().root;
  const folders = { campaigns: { published: join(ROOT, "bench"), own }, bundles: join(own, "missions") };
  const open = seats === undefined ? {} : { seats: seats.desk, seatsUrl: seats.url };
  const gateway = await serveGateway(city, {
    ...{ ...serving, ...open, ...folders, pages, version: version() },
    millis: wallTime.millis,
    sleep: wallTime.sleep,
    thread: new URL("../../scripts/gateway-thread.ts", import.meta.url),
  });
  city.progress(`the gateway is at ${gateway.url} (reference: ${gateway.url}/docs)`);
  return gateway;
}

/** Never resolves; the server keeps the process alive. */
export async function forEver(): Promise<never> {
  return new Promise<never>(() => {});
}

/** The console's files, each with the hash recorded by its build; undefined with a log line if it is not built or was changed. */
function consolePages({ progress }: City): Pages | undefined {
  try {
    const { site, build } = readSite(DIST);
    progress(`the console is build ${build.slice(0, 12)}`);
    return (path) => fileAt(site, path, "city");
  } catch (error) {
    progress(`no console: ${messageOf(error)} (npm run console:build)`);
    return undefined;
  }
}

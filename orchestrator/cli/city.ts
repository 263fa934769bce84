import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { simulatedJudge } from "../adjudication/simulated-judge.ts";
import { openCity } from "../city/city.ts";
import { foundedSeed } from "../city/founding/city-folder.ts";
import { Hearings } from "../city/hearings/hearings.ts";
import { externalJudges } from "../city/humans/case-desk.ts";
import { openSeats } from "../city/missions/open-seats.ts";
import { PostedMissions } from "../city/missions/posted-missions.ts";
import { issuersIn, verifiersIn } from "../city/world.ts";
import { systemClock } from "../primitives/clock.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { keepBusy } from "./demo.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import { lastingNetwork, placeOf } from "./network.ts";
import { withProgress } from "./progress.ts";
import { forEver, serveCity } from "./serve-city.ts";
import { testBoundary } from "./test-boundary.ts";
import { wallTime } from "./wall-time.ts";

export interface CityCommandOptions {
  readonly network?: string;
  readonly embedded?: boolean;
  readonly rpc?: string;
  readonly fork?: string;
  readonly confirmations?: number;
  readonly maxFee?: bigint;
  readonly token?: Address;
  readonly seed?: string;
  readonly port: number;
  readonly publicUrl?: string;
  /** Addresses. */
  readonly trustedProxy?: readonly string[];
  readonly origin?: readonly string[];
  readonly ipfs?: string;
  readonly retain?: number;
  readonly gasBudget?: number;
  readonly relayGas: number;
  /** An ERC-8004 identity registry. */
  readonly identities?: Address;
  /** Allowed origins for sources of claims. */
  readonly claimSource?: readonly string[];
  /** The escrow that agreements use. */
  readonly escrow?: Address;
  readonly database?: string;
  /** Price of paid commands, in the token's smallest unit, and the account paid. */
  readonly price?: bigint;
  readonly payTo?: Address;
  /** Port at which agents of the package join. */
  readonly open: number;
  /** Lets a labelled simulation make human decisions. */
  readonly simulateHumans?: boolean;
  /** Runs missions of this folder one after another, as a demonstration. */
  readonly demo?: boolean;
  readonly json?: boolean;
}

/** Demonstration missions are for devnets. */
class DemoRefused extends AgentCityError {
  constructor() {
    super("DemoRefused", "--demo would spend real money", {
      action: "leave out --network and --rpc: a devnet's money is play money",
    });
  }
}

/** A path or plain http would promise less than its digest suggests. */
class SourceUnfit extends AgentCityError {
  constructor(given: string) {
    super("SourceUnfit", "--claim-source takes https origins", { details: given, action: "give one such as https://records.example" });
  }
}

/** A name could resolve to another address later. */
class ProxyUnknown extends AgentCityError {
  constructor(given: string) {
    super("ProxyUnknown", "--trusted-proxy takes IP addresses", {
      details: given,
      action: "give the proxy's IP address, such as 127.0.0.1",
    });
  }
}

/** A price requires a payee, and vice versa. */
class TollIncomplete extends AgentCityError {
  constructor() {
    super("TollIncomplete", "--price and --pay-to belong together", { action: "give both, or neither" });
  }
}

const pause = (millis: number, signal: AbortSignal) => sleep(millis, undefined, { signal }).catch(() => undefined);

/** Opens or founds a city and serves it until the process is stopped. */
export async function city(options: CityCommandOptions): Promise<void> {
  const {
    port,
    publicUrl,
    trustedProxy: proxies = [],
    origin,
    ipfs,
    retain: retainMonths,
    gasBudget,
    identities,
    demo = false,
    simulateHumans = false,
    json = false,
  } = options;
  // A demonstration need not be kept.
  const where = options.network ?? (options.embedded === true || demo ? "embedded" : lastingNetwork());
  const { name, devnet: network, rpcUrl, forkUrl, forkToken, live, society } = placeOf({ ...options, network: where });
  const { root, dir, cacheDir } = home(name);
  const { price: amount, payTo } = options;
  if ((amount === undefined) !== (payTo === undefined)) throw new TollIncomplete();
  const toll = amount === undefined || payTo === undefined ? undefined : { amount, payTo };
  const noAddress = proxies.find((each) => isIP(each) === 0);
  if (noAddress !== undefined) throw new ProxyUnknown(noAddress);
  const { claimSource: origins = [] } = options;
  const unfit = origins.find((each) => URL.parse(each)?.origin !== each || !each.startsWith("https:"));
  if (unfit !== undefined) throw new SourceUnfit(unfit);
  if (demo && (rpcUrl !== undefined || live !== undefined || forkUrl !== undefined)) throw new DemoRefused();
  const {
    opened: served,
    outsiders,
    url,
    seats: seatsUrl,
  } = await withProgress(async ({ progress }) => {
    const opened = await openCity({
      ...{ dir, cacheDir, network, progress, interrupted, millis: wallTime.millis, environment: process.env },
      databaseUrl: options.database,
      ...{ rpcUrl, forkUrl, forkToken, live, society },
      seed: foundedSeed(dir) ?? options.seed ?? "7",
      silenceClock: rpcUrl === undefined && live === undefined ? undefined : systemClock(wallTime),
      copyFounding: true,
      boundary: testBoundary(),
    });
    const clock = { millis: wallTime.millis, wait: pause };
    const seats = await openSeats(opened, { port: options.open, clock, relayGas: BigInt(options.relayGas) });
    progress(`external agents join at ${seats.url}`);
    const { client, chain } = opened;
    const judge = simulateHumans ? simulatedJudge(chain.id) : externalJudges({ client, dir, progress, sleep: wallTime.sleep });
    const posted = new PostedMissions(opened, {
      ...{ home: root, judge, outsiders: seats.outsiders, millis: wallTime.millis, sleep: wallTime.sleep },
    });
    const hearings = new Hearings(opened, {
      verifiers: async () => [...verifiersIn(opened), ...(await seats.outsiders()).verifiers],
      issuers: issuersIn(opened),
      issuersElsewhere: async () => (await seats.outsiders()).issuers,
      relays: seats.desk.relays,
      millis: wallTime.millis,
    });
    const serving = {
      port,
      seats,
      posted,
      hearings,
      publicUrl,
      proxies,
      ipfs,
      retainMonths,
      toll,
      gasBudget,
      identities,
      claimOrigins: origins.map((each) => ({ origin: each })),
      escrow: options.escrow ?? client.addresses.AgreementEscrow,
      ...(origin === undefined ? {} : { origins: origin }),
    };
    const gateway = await serveCity(opened, serving);
    return { opened, outsiders: seats.outsiders, url: gateway.url, seats: seats.url };
  });
  process.stdout.write(json ? `${JSON.stringify({ status: "serving", url, seats: seatsUrl })}\n` : `SERVING ${url}   (stop with Ctrl-C)\n`);
  if (demo) await keepBusy(served, { home: root, progress: served.progress, outsiders });
  await forEver();
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { Profile } from "../../deploy/artifacts.ts";
import { errorsAbi } from "../chain/abi/errors.ts";
import { openAnvilChain } from "../chain/anvil-chain.ts";
import { boundedRequest } from "../chain/bounded-request.ts";
import type { CityChain } from "../chain/chain.ts";
import { removeCityFile, writeCityFile } from "../chain/city-file.ts";
import { openEmbeddedChain } from "../chain/embedded.ts";
import { type LiveOptions, openLiveChain } from "../chain/live-chain.ts";
import { acquireLock } from "../chain/lock.ts";
import { serveRpc } from "../chain/rpc-server.ts";
import { createSender, type Sender, type SenderBoundary } from "../chain/sender.ts";
import { type SilenceNews, SilenceRetry } from "../chain/silence-retry.ts";
import type { LogNote } from "../client/base.ts";
import { type CityClient, createCityClient } from "../client/client.ts";
import { NODES_PER_TRANSACTION } from "../execution/batches.ts";
import { createFetcher, type FetchPage } from "../execution/fetch/fetcher.ts";
import type { Environment } from "../execution/guardian/scorers.ts";
import { createSandbox, type Sandbox } from "../execution/sandbox/run.ts";
import { type Boundary, noBoundary } from "../primitives/boundary.ts";
import type { Clock } from "../primitives/clock.ts";
import type { Address } from "../primitives/hex.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { Progress } from "../primitives/progress.ts";
import type { BoundaryName } from "../protocol/boundaries.ts";
import { type Answers, openAnswers } from "../records/answers.ts";
import { type Blocks, openBlocks } from "../records/blocks.ts";
import { type CallRecords, openCallRecords } from "../records/calls.ts";
import { openCheckpointer } from "../records/checkpoints.ts";
import { type Database, openDatabase, requireEmpty } from "../records/database.ts";
import { RecordLog } from "../records/log.ts";
import { openOutbox } from "../records/outbox.ts";
import { sqlAfter } from "../records/sql.ts";
import { claimFolder, foundedSeed } from "./founding/city-folder.ts";
import { deploymentFile, requireOwnContracts, writeDeployment } from "./founding/deployment-file.ts";
import { foundCity, foundingUnits, REAL_TIME, requireFounded } from "./founding/found-city.ts";
import { genesisPort } from "./founding/genesis-port.ts";
import {
  copiedDeployment,
  copyFounding,
  endCopy,
  forgetFounding,
  isCopying,
  keepFounding,
  placeOfFounding,
  undoCopy,
} from "./founding/kept-founding.ts";
import { requireRecords, requireSameHistory, requireTranscript } from "./founding/same-history.ts";
import { settlementToken } from "./founding/settlement-token.ts";
import { devnetSociety, type Member, memberOf, membersOf } from "./founding/society.ts";

/** Networks whose members' keys are public. */
export const devnets = ["embedded", "anvil"] as const;
export type DevnetName = (typeof devnets)[number];

export interface CityOptions {
  /** The network's folder, `.agentcity/embedded`. */
  readonly dir: string;
  /** Where the chain runs: in this process, in its own Anvil, or in a running one. Default: embedded. */
  readonly network?: DevnetName;
  readonly rpcUrl?: string | undefined;
  /** RPC URL of the chain that the city's own Anvil forks. */
  readonly forkUrl?: string | undefined;
  /** With `forkUrl`, when the city is founded: a contract of that chain in which it settles. Default: the devnet's test token. */
  readonly forkToken?: Address | undefined;
  /** A network that lives without the city, in real time, by its URL: instead of a devnet. */
  readonly live?: LivePlace | undefined;
  /** Shared between cities: a prepared empty database. */
  readonly cacheDir: string;
  /** A Postgres for log, outbox, answers and checkpoints, instead of the embedded one in `dir`. It serves one city. */
  readonly databaseUrl?: string | undefined;
  /** Names every random stream; fixed when the city is founded. */
  readonly seed: string;
  /** Progress for people. */
  readonly progress: Progress;
  /** Members of the city. Default: a demonstration's. */
  readonly society?: readonly Member[] | undefined;
  /** Milliseconds of the machine's clock; only progress and service timings are made from it. */
  readonly millis: () => number;
  /** Time while the chain is silent. Without it silence is an error at once: for a chain that ends with this process. */
  readonly silenceClock?: Clock | undefined;
  readonly boundary?: Boundary<BoundaryName>;
  /** Aborted when the process is about to end, to release at once whatever other processes can see. */
  readonly interrupted?: AbortSignal;
  /** Addresses and keys of models behind scorers that the constitution names. Default: none. */
  readonly environment?: Environment;
  /** Fetches pages for services. Default: public addresses only. */
  readonly fetchPage?: FetchPage;
  /** How many nodes of a mission one transaction is about at most. Default: what fits into a block. */
  readonly nodesPerTransaction?: number;
  /** Begin with a copy of a city that was founded alike, and keep one for those that follow. Only with the default network, database and society. */
  readonly copyFounding?: boolean;
}

/** A network in real time, and how a city is founded there. */
export interface LivePlace extends Pick<LiveOptions, "network" | "url" | "wall"> {
  /** Compiler profile of the deployed contracts. */
  readonly profile: Profile;
  /** The settlement token. Default: the devnet's test token, which exists on chain id 31337 only. */
  readonly token?: Address | undefined;
}

/** A city that runs in this process: chain, records, keys, and the one sender. */
export interface City {
  readonly dir: string;
  readonly seed: string;
  readonly chain: CityChain;
  readonly client: CityClient;
  readonly sender: Sender<LogNote>;
  readonly society: readonly Member[];
  /** URL of its chain for other processes, on loopback. */
  readonly rpcUrl: string;
  readonly database: Database;
  readonly log: RecordLog;
  readonly blocks: Blocks;
  readonly answers: Answers;
  /** Questions to external seats, and their answers. */
  readonly calls: CallRecords;
  readonly checkpointer: BaseCheckpointSaver;
  readonly sandbox: Sandbox;
  readonly silenceRetry: SilenceRetry | undefined;
  /** Sessions take turns in paying their deposits. */
  readonly deposits: Mutex;
  /** Missions take turns in bidding. */
  readonly bidding: Mutex;
  /** Missions take turns in writing passports. */
  readonly passports: Mutex;
  readonly nodesPerTransaction: number;
  readonly boundary: Boundary<BoundaryName>;
  readonly environment: Environment;
  readonly fetchPage: FetchPage;
  readonly progress: Progress;
  close(): Promise<void>;
}

/**
 * Accounts whose transactions only this process sends; agents and adjudicators may also send their own from elsewhere. On a devnet the
 * deployer, who has nothing to send after the founding, pays for adjudicators' transactions.
 */
const SENDERS = ["relayer", "sponsor", "registrar", "speaker", "regulator", "codifier"] as const;

/** Opens the city in a folder, founding it if there is none. One process owns it at a time (decision 36). */
export async function openCity(options: CityOptions): Promise<City> {
  const { dir, cacheDir, seed, network = "embedded", live, databaseUrl, society } = options;
  const isPlain = network === "embedded" && live === undefined && databaseUrl === undefined && society === undefined;
  const founding = options.copyFounding === true && isPlain ? placeOfFounding(cacheDir, seed) : undefined;
  try {
    return await open(options, founding);
  } catch (error) {
    if (founding === undefined || !isCopying(dir)) throw error;
    forgetFounding(founding);
    return open(options);
  }
}

/** `founding`: cache folder for the founding of such a city. */
async function open(
  {
    dir,
    cacheDir,
    databaseUrl,
    network = "embedded",
    rpcUrl,
    forkUrl,
    forkToken,
    live,
    seed,
    progress,
    millis,
    society = devnetSociety(),
    silenceClock,
    boundary = noBoundary,
    interrupted,
    environment = {},
    fetchPage = createFetcher(),
    nodesPerTransaction = NODES_PER_TRANSACTION,
  }: CityOptions,
  founding?: string,
): Promise<City> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    foundedSeed(dir);
    const lock = acquireLock(dir, progress);
    closers.push(() => lock.release());
    const leave = () => {
      removeCityFile(dir);
      lock.release();
    };
    interrupted?.addEventListener("abort", leave);
    closers.push(() => interrupted?.removeEventListener("abort", leave));
    const isNew = claimFolder(dir, seed) || undoCopy(dir);
    progress(
      isNew ? `founding a new city in ${dir} (seed ${seed}), which takes a few seconds` : `the city in ${dir} is opened (seed ${seed})`,
    );
    const isCopy = isNew && founding !== undefined && (await copyFounding(founding, dir));
    requireOwnContracts(deploymentFile(dir));
    if (rpcUrl === undefined && live === undefined) requireTranscript(dir);
    // News of a silence go into the log once there is one.
    let note = async (_news: SilenceNews): Promise<void> => {};
    const silenceRetry = silenceClock === undefined ? undefined : new SilenceRetry({ clock: silenceClock, notify: (news) => note(news) });
    const open = (): Promise<CityChain> => {
      if (live !== undefined) return openLiveChain({ ...live, dir, silenceRetry, log: progress });
      if (network === "embedded") return openEmbeddedChain({ dir, log: progress });
      const deal = forkToken && { token: forkToken, to: memberOf(society, "deployer").account.address, units: foundingUnits(society) };
      return openAnvilChain({
        dir,
        forkUrl,
        deal,
        keys: society.length,
        log: progress,
        silenceRetry,
        ...(rpcUrl === undefined ? {} : { url: rpcUrl }),
      });
    };
    const opening = open();
    const opened = opening.catch(() => undefined);
    closers.push(async () => (await opened)?.close());
    // The embedded chain works on threads of its own while the records are opened.
    if (network === "anvil" || live !== undefined) await opening;
    if (databaseUrl === undefined) requireRecords(dir);
    const database = await openDatabase(databaseUrl === undefined ? { dir: join(dir, "records"), cache: cacheDir } : { url: databaseUrl });
    closers.push(() => database.close());
    const chain = await opening;
    if (isNew && !isCopy) await requireEmpty(database);
    const blocks = openBlocks(join(dir, "blocks"));
    // A block that cannot be stored now is not referenced.
    closers.push(() => blocks.sync().catch(() => {}));
    const sql = sqlAfter(blocks.sync, database);
    const log = new RecordLog(sql, chain.clock);
    note = async (news) => {
      progress(describeSilence(news));
      await log.append([{ kind: `chain.${news.kind}`, subjects: [], content: blocks.putJson(plain(news)) }]);
    };
    const outbox = openOutbox(sql, log, database.sync);
    const relayers = membersOf(society, "relayer").map(({ account }) => account);
    await requireSameHistory(
      dir,
      database.where,
      chain,
      outbox,
      SENDERS.flatMap((role) => membersOf(society, role)).map(({ account }) => account.address),
    );
    const sender = createSender<LogNote>({
      chain,
      outbox,
      relayers,
      abis: [errorsAbi],
      boundary: senderBoundary(boundary),
      guard: () => lock.assertHeld(),
      silenceRetry,
    });
    const again = await sender.recover();
    if (again > 0) progress(`resumed: ${again} signed transactions had no known fate and were sent again, byte for byte`);
    const port = genesisPort(sender, memberOf(society, "deployer").account, live?.profile ?? "default");
    // A city that was founded before is checked again, and not founded a second time.
    const news = existsSync(deploymentFile(dir)) && !isCopy ? () => {} : progress;
    const token = await settlementToken(dir, chain, live?.token ?? forkToken, memberOf(society, "deployer").account);
    const deployment = isCopy
      ? await requireFounded(chain, copiedDeployment(dir), progress)
      : await foundCity({
          ...{ chain, sender, society, port, seed, progress: news },
          network: live?.network.name ?? network,
          ...(live === undefined ? {} : { parameters: REAL_TIME }),
          token,
        });
    writeDeployment(dir, deployment);
    if (isCopy) endCopy(dir);
    else if (isNew && founding !== undefined) await keepFounding(founding, dir, database);
    const { addresses } = deployment.city;
    const { request, close: closeReplica } = boundedRequest(chain);
    closers.push(closeReplica);
    const rpc = await serveRpc({ request });
    closers.push(() => rpc.close());
    writeCityFile(dir, { pid: process.pid, rpcUrl: rpc.url, apiUrl: null, chainId: chain.id, addresses });
    closers.push(() => removeCityFile(dir));
    return {
      dir,
      seed,
      chain,
      client: createCityClient({ chain, addresses, sender }),
      sender,
      society,
      rpcUrl: rpc.url,
      database,
      log,
      blocks,
      answers: openAnswers(sql),
      calls: openCallRecords(sql),
      checkpointer: await openCheckpointer(database, blocks.sync),
      sandbox: createSandbox({ now: millis }),
      silenceRetry,
      deposits: new Mutex(),
      bidding: new Mutex(),
      passports: new Mutex(),
      nodesPerTransaction,
      boundary,
      environment,
      fetchPage,
      progress,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Sender and stages share one list of boundaries. */
function senderBoundary(boundary: Boundary<BoundaryName>): Boundary<SenderBoundary> {
  return (name) => boundary(name);
}

function describeSilence(news: SilenceNews): string {
  if (news.kind === "silent") return "the chain does not answer: transactions are queued in order until it is back";
  if (news.kind === "back") return `the chain is back after ${news.lasted} s`;
  return `the chain has been silent for ${news.lasted} s: all work stops, humans decide when it is back`;
}

/** Times as numbers: seconds of the clock that measured the silence. */
function plain({ kind, since, ...rest }: SilenceNews): { readonly kind: string; readonly since: number; readonly lasted?: number } {
  return { kind, since: Number(since), ...("lasted" in rest ? { lasted: Number(rest.lasted) } : {}) };
}

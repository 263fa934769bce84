import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { z } from "zod";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import { errorsAbi } from "../chain/abi/errors.ts";
import { openAnvilChain } from "../chain/anvil-chain.ts";
import { removeCityFile, writeCityFile } from "../chain/city-file.ts";
import type { DrivenChain } from "../chain/driven.ts";
import { openEmbeddedChain } from "../chain/embedded.ts";
import { acquireLock } from "../chain/lock.ts";
import { Patience, type SilenceNews } from "../chain/patience.ts";
import { serveRpc } from "../chain/rpc-server.ts";
import { createSender, type Sender, type SenderBoundary } from "../chain/sender.ts";
import type { LogNote } from "../client/base.ts";
import { type AgentCityClient, createAgentCityClient } from "../client/client.ts";
import { NODES_PER_TRANSACTION } from "../execution/batches.ts";
import { createFetcher, type FetchPage } from "../execution/fetch/fetcher.ts";
import type { Environment } from "../execution/guardian/scorers.ts";
import { createSandbox, type Sandbox } from "../execution/sandbox/run.ts";
import { type Boundary, noBoundary } from "../primitives/boundary.ts";
import type { Clock } from "../primitives/clock.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import { Mutex } from "../primitives/mutex.ts";
import type { BoundaryName } from "../protocol/boundaries.ts";
import { type Answers, openAnswers } from "../records/answers.ts";
import { type Blocks, openBlocks } from "../records/blocks.ts";
import { openCheckpointer } from "../records/checkpoints.ts";
import { type Database, openDatabase, requireEmpty } from "../records/database.ts";
import { RecordLog } from "../records/log.ts";
import { openOutbox } from "../records/outbox.ts";
import { writeDeployment } from "./deployment-file.ts";
import { foundCity } from "./found-city.ts";
import { genesisPort } from "./genesis-port.ts";
import { devnetSociety, type Member, memberOf, membersOf } from "./society.ts";

/** Networks whose members' keys everybody knows. */
export const devnets = ["embedded", "anvil"] as const;
export type DevnetName = (typeof devnets)[number];

export interface CityOptions {
  /** The network's folder, `.agentcity/embedded`. */
  readonly dir: string;
  /** Where the chain lives: in this process, in an Anvil of its own, or in one that somebody else runs. Default: embedded. */
  readonly network?: DevnetName;
  readonly rpcUrl?: string | undefined;
  /** Shared between cities: a prepared empty database. */
  readonly cacheDir: string;
  /** A Postgres for log, outbox, answers and checkpoints, instead of the embedded one in `dir`. It serves one city. */
  readonly databaseUrl?: string | undefined;
  /** Names every random stream; fixed when the city is founded. */
  readonly seed: string;
  /** Progress for people. */
  readonly tell: (line: string) => void;
  /** Who lives there and what producers sell from the first day. Default: a demonstration's members, the whole catalogue. */
  readonly society?: readonly Member[];
  readonly catalog?: readonly CatalogEntry[];
  /** Milliseconds of the machine's clock; only progress and service timings are made from it. */
  readonly millis: () => number;
  /** Time while the chain is silent. Without it silence is an error at once: for a chain that ends with this process. */
  readonly silenceClock?: Clock | undefined;
  readonly boundary?: Boundary<BoundaryName>;
  /** Addresses and keys of models behind scorers that the constitution names. Default: none. */
  readonly environment?: Environment;
  /** Fetches pages for services. Default: public addresses only. */
  readonly fetchPage?: FetchPage;
  /** How many nodes of a mission one transaction is about at most. Default: what fits into a block. */
  readonly nodesPerTransaction?: number;
}

/** A city that runs in this process: chain, records, keys, and the one sender. */
export interface City {
  readonly dir: string;
  readonly seed: string;
  readonly chain: DrivenChain;
  readonly client: AgentCityClient;
  readonly sender: Sender<LogNote>;
  readonly society: readonly Member[];
  readonly database: Database;
  readonly log: RecordLog;
  readonly blocks: Blocks;
  readonly answers: Answers;
  readonly checkpointer: BaseCheckpointSaver;
  readonly sandbox: Sandbox;
  readonly patience: Patience | undefined;
  /** Sessions take turns in paying their deposits. */
  readonly deposits: Mutex;
  /** Missions take turns in bidding. */
  readonly bidding: Mutex;
  readonly nodesPerTransaction: number;
  readonly boundary: Boundary<BoundaryName>;
  readonly environment: Environment;
  readonly fetchPage: FetchPage;
  readonly tell: (line: string) => void;
  close(): Promise<void>;
}

const FOUNDING_FILE = "founding.json";
const foundingSchema = z.strictObject({ seed: z.string() });

/** The city at this place was founded with another seed. */
export class SeedDiffers extends AgentCityError {
  constructor(dir: string, founded: string, asked: string) {
    super("SeedDiffers", `The city in ${dir} was founded with seed ${founded}, not ${asked}`, {
      action: `leave --seed out, or start a new city: npm start -- --seed ${asked}`,
    });
  }
}

/** Opens the city in a folder, founding it if there is none. One process owns it at a time (decision 36). */
export async function openCity({
  dir,
  cacheDir,
  databaseUrl,
  network = "embedded",
  rpcUrl,
  seed,
  tell,
  millis,
  society = devnetSociety(),
  catalog = CATALOG,
  silenceClock,
  boundary = noBoundary,
  environment = {},
  fetchPage = createFetcher(),
  nodesPerTransaction = NODES_PER_TRANSACTION,
}: CityOptions): Promise<City> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const lock = acquireLock(dir, tell);
    closers.push(() => lock.release());
    const isNew = checkSeed(dir, seed);
    // News of a silence go into the log once there is one.
    let note = async (_news: SilenceNews): Promise<void> => {};
    const patience = silenceClock === undefined ? undefined : new Patience({ clock: silenceClock, tell: (news) => note(news) });
    const chain =
      network === "anvil"
        ? await openAnvilChain({ dir, log: tell, patience, ...(rpcUrl === undefined ? {} : { url: rpcUrl }) })
        : await openEmbeddedChain({ dir, log: tell });
    closers.push(() => chain.close());
    const database = await openDatabase(databaseUrl === undefined ? { dir: join(dir, "records"), cache: cacheDir } : { url: databaseUrl });
    closers.push(() => database.close());
    if (isNew) await requireEmpty(database);
    const log = new RecordLog(database, chain.clock);
    const blocks = openBlocks(join(dir, "blocks"));
    note = async (news) => {
      tell(inWords(news));
      await log.append([{ kind: `chain.${news.kind}`, subjects: [], content: blocks.putJson(plain(news)) }]);
    };
    const sender = createSender<LogNote>({
      chain,
      outbox: openOutbox(database, log),
      relayers: membersOf(society, "relayer").map(({ account }) => account),
      abis: [errorsAbi],
      boundary: senderBoundary(boundary),
      guard: () => lock.assertHeld(),
      patience,
    });
    const again = await sender.recover();
    if (again > 0) tell(`resumed: ${again} signed transactions had no known fate and were sent again, byte for byte`);
    const port = genesisPort(sender, memberOf(society, "deployer").account, "default");
    const deployment = await foundCity({ chain, network, sender, society, port, seed, catalog, tell });
    writeDeployment(dir, deployment);
    const { addresses } = deployment.city;
    const rpc = await serveRpc({ request: chain.request });
    closers.push(() => rpc.close());
    writeCityFile(dir, { pid: process.pid, rpcUrl: rpc.url, apiUrl: null, chainId: chain.id, addresses });
    closers.push(() => removeCityFile(dir));
    return {
      dir,
      seed,
      chain,
      client: createAgentCityClient({ chain, addresses, sender }),
      sender,
      society,
      database,
      log,
      blocks,
      answers: openAnswers(database),
      checkpointer: await openCheckpointer(database),
      sandbox: createSandbox({ directory: join(dir, "bundles"), now: millis }),
      patience,
      deposits: new Mutex(),
      bidding: new Mutex(),
      nodesPerTransaction,
      boundary,
      environment,
      fetchPage,
      tell,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The seed of the city in this folder, if there is one. */
export function foundedSeed(dir: string): string | undefined {
  const path = join(dir, FOUNDING_FILE);
  return existsSync(path) ? foundingSchema.parse(parseJson(readFileSync(path, "utf8"))).seed : undefined;
}

/** True when the city is founded now. */
function checkSeed(dir: string, seed: string): boolean {
  const founded = foundedSeed(dir);
  if (founded === undefined) writeFileAtomic(join(dir, FOUNDING_FILE), `${canonicalJson({ seed })}\n`);
  else if (founded !== seed) throw new SeedDiffers(dir, founded, seed);
  return founded === undefined;
}

/** Sender and stages share one list of boundaries. */
function senderBoundary(boundary: Boundary<BoundaryName>): Boundary<SenderBoundary> {
  return (name) => boundary(name);
}

function inWords(news: SilenceNews): string {
  if (news.kind === "silent") return "the chain does not answer: what goes on chain waits in order, and is sent when it is back";
  if (news.kind === "back") return `the chain is back after ${news.lasted} s`;
  return `the chain has been silent for ${news.lasted} s: all work stops, humans decide when it is back`;
}

/** Times as numbers: seconds of the clock that measured the silence. */
function plain({ kind, since, ...rest }: SilenceNews): { readonly kind: string; readonly since: number; readonly lasted?: number } {
  return { kind, since: Number(since), ...("lasted" in rest ? { lasted: Number(rest.lasted) } : {}) };
}

import type { LocalAccount } from "viem";
import type { z } from "zod";
import type { CityClient } from "../client/client.ts";
import type { Boundary } from "../primitives/boundary.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import type { Mutex } from "../primitives/mutex.ts";
import type { Progress } from "../primitives/progress.ts";
import type { Recent } from "../primitives/recent.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import type { ExecutionBoundary } from "../protocol/boundaries.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import type { FetchPage } from "./fetch/fetcher.ts";
import type { Embedder } from "./guardian/embedder.ts";
import type { Asking, OpenModel } from "./models/model-tool.ts";
import type { Bundle } from "./sandbox/bundle.ts";
import type { Sandbox, ServiceSchemas } from "./sandbox/run.ts";
import { type Executor, emptySeat, type Issuer, type Verifier, type Worker } from "./seat.ts";

/** A key that signs for a member. */
export interface Signatory {
  readonly name: string;
  readonly account: LocalAccount;
  /** The same key for plain bytes. */
  readonly seal: () => ByteSigner;
}

/** Code as its owner registered it. */
export interface RegisteredService {
  /** On-chain id: hash of the record. */
  readonly id: Hash;
  /** Catalogue name. */
  readonly name: string;
  readonly owner: Address;
  readonly bundle: Bundle;
  /** JSON Schemas of its input and output. */
  readonly schemas: ServiceSchemas;
  readonly record: {
    readonly owner: Address;
    readonly codeHash: Hash;
    readonly schemaHash: Hash;
    readonly endpoint: string;
    readonly constraints: Hash;
  };
}

/** Content-addressed bytes; implemented by `records/`. */
export interface ContentStore {
  put(bytes: Uint8Array): Promise<ContentId>;
  get(id: ContentId): Promise<Uint8Array>;
}

/** Stores the first answer to a question permanently, as JSON, so that a re-run reads it back (decision 45). */
export type Remember = <Value>(
  key: readonly (string | number)[],
  schema: z.ZodType<Value>,
  compute: () => Promise<Value>,
) => Promise<Value>;

/** The stored answer to a question, if any. */
export type Recall = <Value>(key: readonly (string | number)[], schema: z.ZodType<Value>) => Promise<Value | undefined>;

/** Everything that execution needs; `city/` provides the ports. */
export interface World {
  readonly client: CityClient;
  readonly workers: readonly Worker[];
  /** The principal that pays. */
  readonly sponsor: Signatory;
  readonly verifiers: readonly Verifier[];
  /** Issuers that re-execute committed bundles (class ATT), or sign receipts for outputs (class REC). */
  readonly issuers: readonly Issuer[];
  /** Attests which code is live. */
  readonly runner: Signatory;
  /** Reports anomalies. */
  readonly monitor: Signatory;
  /** Services sold by the law's producers. */
  readonly services: readonly RegisteredService[];
  /** The same code as registered by agents that bid without a seat here, by id (`strangers.ts`). */
  readonly strangers: Map<Hash, RegisteredService>;
  /** A Guardian's scorer by its number in EMBEDDING_SCORERS. */
  readonly embedder: (number: number) => Promise<Embedder>;
  /** Output ids of a service's last completed tasks, newest first. */
  readonly traces: (service: Hash, most: number) => Promise<readonly string[]>;
  readonly sandbox: Sandbox;
  /** Fetches a page on behalf of a service. */
  readonly fetchPage: FetchPage;
  /** Opens a chat model that a law names; its key stays here. */
  readonly openModel: OpenModel;
  readonly asking: Asking;
  readonly store: ContentStore;
  /** Caches: every executor of a node, its issuer and its verifiers read the same. */
  readonly recent: { readonly inputs: Recent<JsonObject>; readonly outputs: Recent<JsonObject> };
  /** Serialises bidding of concurrent missions. */
  readonly bidding: Mutex;
  /** Maximum number of nodes per transaction (`batches.ts`). */
  readonly nodesPerTransaction: number;
  readonly remember: Remember;
  readonly recall: Recall;
  /** Hash of the log's last entry. */
  readonly logHead: () => Promise<Hash>;
  readonly boundary: Boundary<ExecutionBoundary>;
  /** Reports progress to people. */
  readonly progress: Progress;
}

/** The mission being executed. */
export interface Mission {
  readonly address: Address;
  readonly sponsor: Address;
  readonly document: MissionDocument;
  /** The mission's input items in order of id. */
  readonly items: readonly (JsonObject & { readonly id: string })[];
}

/** The seat behind an executor's address; an empty one if it bid on chain but never joined here. */
export function workerOf(world: Pick<World, "workers">, agent: Address): Executor {
  return world.workers.find(({ account }) => account.address === agent) ?? emptySeat(agent);
}

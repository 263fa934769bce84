import { z } from "zod";
import type { CityChain } from "../../chain/chain.ts";
import type { DrivenChain } from "../../chain/driven.ts";
import { openTranscript } from "../../chain/open-transcript.ts";
import { type ReplayLimits, replayLimits } from "../../chain/replay-limits.ts";
import type { Genesis } from "../../chain/transcript.ts";
import { liveChainIn, openWitnessedChain, requireUrl } from "../../chain/witnessed-chain.ts";
import { type CityClient, createCityClient } from "../../client/client.ts";
import { type CompiledLaw, recompileLaw } from "../../client/compile-law.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import type { Address, ContentId, Hash } from "../../primitives/hex.ts";
import { type JsonValue, parseCanonicalJson, parseJsonBytes } from "../../primitives/json.ts";
import { type Outcome, outcomeSchema } from "../../protocol/outcome.ts";
import type { Bundle } from "../../records/bundle.ts";
import { Withheld } from "../../records/errors.ts";
import { type LogEntry, parseLog } from "../../records/log.ts";
import { decodeLaw, type LawHeader, type LawNode } from "../../rules/law-codec.ts";
import { BUNDLE_FILES, blockFile, bundledCitySchema } from "../bundle/bundle-layout.ts";
import { devnetSociety } from "../founding/society.ts";
import { type Child, childrenOf } from "../missions/family.ts";
import { type ChainRecord, ReplayedRecord } from "./chain-record.ts";
import { MissionHistory } from "./history.ts";
import { Roles } from "./roles.ts";

/** A mission as its chain has it, with the documents that the chain names: what most checks look at. */
export interface ChainContext {
  readonly mission: Address;
  readonly session: bigint;
  /** Name of the mission; of a mission below, what its parent calls it. */
  readonly name: string;
  readonly chain: CityChain;
  readonly client: CityClient;
  readonly record: ChainRecord;
  readonly history: MissionHistory;
  readonly roles: Roles;
  /** What its document compiles to. */
  readonly document: CompiledLaw;
  readonly documentBytes: Uint8Array;
  /** The mission's input. */
  readonly items: readonly JsonValue[];
  /** What the mission's contract carries. */
  readonly law: { readonly header: LawHeader; readonly nodes: readonly LawNode[]; readonly hash: Hash };
  /** Label of a node, from the document, for people. */
  readonly label: (node: number) => string;
  /** Name of an account, for people and for the outcome. */
  readonly nameOf: (address: Address) => string;
  /** Files by their place in a bundle; throws when one is not there, or withheld. */
  readonly bundle: Pick<Bundle, "bytes">;
  /** A block as JSON; throws when it is not there. */
  readonly block: (id: ContentId) => JsonValue;
  readonly hasBlock: (id: ContentId) => boolean;
  /** What the orchestrator wrote down; empty where nothing is kept. */
  readonly log: readonly LogEntry[];
}

/** Everything a check may look at: the bundle, and the chain that its transcript gives. */
export interface AuditContext extends ChainContext {
  readonly bundle: Bundle;
  readonly seed: string;
  /** Labels of the nodes that lead to the mission from the one the bundle is of; empty for that one. */
  readonly path: string;
  /** The same chain with another mission as the one looked at. */
  readonly recordAbout: (mission: Address) => ChainRecord;
  /** Where the document is in the bundle. */
  readonly documentFile: string;
  /** The document that the mission was for, if it wrote one. */
  readonly report: string | undefined;
  /** Every mission below this one. */
  readonly family: readonly Child[];
  readonly outcome: Outcome;
}

/** A file of the bundle cannot be read at all, so nothing that rests on it can be checked. */
export class Unreadable extends AgentCityError {
  readonly file: string;
  constructor(file: string, cause: unknown) {
    super("Unreadable", messageOf(cause), { details: file, cause });
    this.file = file;
  }
}

/** Reads a bundle and replays its chain. Throws Unreadable with the file that cannot be used, caused by TooHeavy if it is too much. */
export async function openContext(bundle: Bundle, limits: ReplayLimits = replayLimits(), rpcUrl?: string): Promise<AuditContext> {
  const city = reading(BUNDLE_FILES.city, () => bundledCitySchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.city))));
  const outcome = unlessWithheld(BUNDLE_FILES.outcome, () => outcomeSchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.outcome))));
  const document = reading(BUNDLE_FILES.document, () => recompileLaw(bundle.bytes(BUNDLE_FILES.document)));
  const log = reading(BUNDLE_FILES.log, () => parseLog(bundle.text(BUNDLE_FILES.log)));
  const transcript = reading(BUNDLE_FILES.chain, () => bundle.text(BUNDLE_FILES.chain));
  const documentBytes = bundle.bytes(BUNDLE_FILES.document);
  const items = unlessWithheld(BUNDLE_FILES.input, () => itemsSchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.input))));
  const live = reading(BUNDLE_FILES.chain, () => liveChainIn(transcript));
  const url = live === undefined ? undefined : requireUrl(rpcUrl, live.name);
  const chain: CityChain = await readingAsync(BUNDLE_FILES.chain, () =>
    url === undefined ? openTranscript(transcript, limits, rpcUrl) : openWitnessedChain(transcript, url),
  );
  try {
    return await readingAsync(BUNDLE_FILES.chain, async () => {
      const client = createCityClient({ chain, addresses: city.addresses });
      const record = await ReplayedRecord.read(chain, city.addresses, city.mission, limits.events);
      const names = new Map(
        city.members === undefined
          ? devnetSociety(genesisIn(chain)?.mnemonic).map(({ account, name }) => [account.address.toLowerCase(), name])
          : Object.entries(city.members).map(([address, name]) => [address.toLowerCase(), name]),
      );
      return contextOf(
        {
          bundle,
          seed: city.seed,
          chain,
          client,
          roles: new Roles(record),
          log,
          recordAbout: (mission) => record.about(mission),
          nameOf: (address) => names.get(address.toLowerCase()) ?? address,
          block: (id) => parseJsonBytes(bundle.bytes(blockFile(id))),
          hasBlock: (id) => bundle.has(blockFile(id)),
        },
        {
          mission: city.mission,
          session: BigInt(city.session),
          name: city.name,
          path: "",
          record,
          document,
          documentBytes,
          documentFile: BUNDLE_FILES.document,
        },
        {
          outcome,
          items,
          report: () => (bundle.has(BUNDLE_FILES.report) ? bundle.text(BUNDLE_FILES.report) : undefined),
        },
      );
    });
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Of a chain that was mined again. */
export function genesisIn(chain: CityChain | DrivenChain): Genesis | undefined {
  return "genesis" in chain ? chain.genesis : undefined;
}

const itemsSchema = z.array(z.json());

/** The data shared by all missions of a bundle, and the data of each one. */
type Shared = Pick<
  AuditContext,
  "bundle" | "seed" | "chain" | "client" | "roles" | "log" | "recordAbout" | "nameOf" | "block" | "hasBlock"
>;
/** What a copy of a bundle may lack: each throws Withheld when it is asked for. */
interface Withholdable {
  readonly outcome: () => Outcome;
  readonly items: () => AuditContext["items"];
  readonly report: () => string | undefined;
}
type Own = Omit<AuditContext, keyof Shared | keyof Withholdable | "law" | "history" | "family" | "label">;

async function contextOf(shared: Shared, own: Own, { outcome, items, report }: Withholdable): Promise<AuditContext> {
  const { client, chain, bundle } = shared;
  const { mission, document, record, path } = own;
  const contract = client.mission(mission);
  const law = { ...decodeLaw(await contract.law()), hash: await contract.lawHash() };
  const parent = { address: mission, document: document.document };
  return {
    ...shared,
    ...own,
    law,
    history: new MissionHistory(record, { chainId: BigInt(chain.id), mission, lawHash: law.hash }),
    family: await childrenOf(client, (id) => bundle.bytes(blockFile(id)), parent, path),
    label: (node) => document.document.nodes[node]?.label ?? `node ${node}`,
    get outcome() {
      return outcome();
    },
    get items() {
      return items();
    },
    get report() {
      return report();
    },
  };
}

/** A mission and all that are below it, each with what its parent's law says it works on. */
export async function treeOf(root: AuditContext): Promise<readonly AuditContext[]> {
  const tree = [root];
  for (const { parent, node, path, session, enacted } of root.family) {
    const above = tree.find(({ mission }) => mission === parent);
    if (enacted === null || above === undefined) continue;
    const { shard = null, label } = above.document.document.nodes[node] ?? { label: "" };
    const documentFile = blockFile(enacted.documentId);
    const { bundle, seed, chain, client, roles, log, recordAbout, nameOf, block, hasBlock } = root;
    tree.push(
      await contextOf(
        { bundle, seed, chain, client, roles, log, recordAbout, nameOf, block, hasBlock },
        {
          mission: enacted.mission,
          session,
          name: `${above.name}/${label}`,
          path,
          record: root.recordAbout(enacted.mission),
          document: enacted.law,
          documentBytes: root.bundle.bytes(documentFile),
          documentFile,
        },
        {
          outcome: () => root.outcome,
          items: () => (shard === null ? [] : above.items.slice(shard.from, shard.to)),
          report: () => undefined,
        },
      ),
    );
  }
  return tree;
}

function reading<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new Unreadable(file, cause);
  }
}

/** Reads a file now, and gives what it holds; one that is withheld says so to whoever asks for it. */
function unlessWithheld<Value>(file: string, read: () => Value): () => Value {
  try {
    const value = reading(file, read);
    return () => value;
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    if (!(cause instanceof Withheld)) throw error;
    return () => {
      throw cause;
    };
  }
}

async function readingAsync<Value>(file: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : new Unreadable(file, cause);
  }
}

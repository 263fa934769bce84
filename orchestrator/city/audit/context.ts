import type { DrivenChain } from "../../chain/driven.ts";
import { openTranscript } from "../../chain/open-transcript.ts";
import { type AgentCityClient, createAgentCityClient } from "../../client/client.ts";
import { type CompiledLaw, recompileLaw } from "../../client/compile-law.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import type { Address, ContentId, Hash } from "../../primitives/hex.ts";
import { type JsonValue, parseCanonicalJson, parseJsonBytes } from "../../primitives/json.ts";
import { type Outcome, outcomeSchema } from "../../protocol/outcome.ts";
import type { Bundle } from "../../records/bundle.ts";
import { checkLine, EMPTY_LOG, type LogEntry } from "../../records/log.ts";
import { decodeLaw, type LawHeader, type LawNode } from "../../rules/law-codec.ts";
import { BUNDLE_FILES, blockFile, bundledCitySchema } from "../bundle-layout.ts";
import { devnetSociety } from "../society.ts";
import { type ChainRecord, ReplayedRecord } from "./chain-record.ts";
import { MissionHistory } from "./history.ts";
import { Roles } from "./roles.ts";

/** Everything a check may look at: the bundle, and the chain that its transcript gives. */
export interface AuditContext {
  readonly bundle: Bundle;
  readonly mission: Address;
  readonly session: bigint;
  readonly seed: string;
  /** Name in `city.json`. */
  readonly name: string;
  readonly chain: DrivenChain;
  readonly client: AgentCityClient;
  readonly record: ChainRecord;
  readonly history: MissionHistory;
  readonly roles: Roles;
  /** What `document.json` compiles to. */
  readonly document: CompiledLaw;
  /** What the mission's contract carries. */
  readonly law: { readonly header: LawHeader; readonly nodes: readonly LawNode[]; readonly hash: Hash };
  readonly log: readonly LogEntry[];
  readonly outcome: Outcome;
  /** Label of a node, from the document, for people. */
  readonly label: (node: number) => string;
  /** Name of an account, for people and for the outcome. */
  readonly nameOf: (address: Address) => string;
  /** A block as JSON; throws when it is not there. */
  readonly block: (id: ContentId) => JsonValue;
  readonly hasBlock: (id: ContentId) => boolean;
}

/** A file of the bundle cannot be read at all, so nothing that rests on it can be checked. */
export class Unreadable extends AgentCityError {
  readonly file: string;
  constructor(file: string, cause: unknown) {
    super("Unreadable", messageOf(cause), { details: file, cause });
    this.file = file;
  }
}

/** Reads a bundle and replays its chain. Throws Unreadable with the file that cannot be used. */
export async function openContext(bundle: Bundle): Promise<AuditContext> {
  const city = reading(BUNDLE_FILES.city, () => bundledCitySchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.city))));
  const outcome = reading(BUNDLE_FILES.outcome, () => outcomeSchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.outcome))));
  const document = reading(BUNDLE_FILES.document, () => recompileLaw(bundle.bytes(BUNDLE_FILES.document)));
  const log = reading(BUNDLE_FILES.log, () => entriesOf(bundle.text(BUNDLE_FILES.log)));
  const transcript = reading(BUNDLE_FILES.chain, () => bundle.text(BUNDLE_FILES.chain));
  const chain = await readingAsync(BUNDLE_FILES.chain, () => openTranscript(transcript));
  try {
    return await readingAsync(BUNDLE_FILES.chain, async () => {
      const client = createAgentCityClient({ chain, addresses: city.addresses });
      const record = await ReplayedRecord.read(chain, city.addresses, city.mission);
      const contract = client.mission(city.mission);
      const law = { ...decodeLaw(await contract.law()), hash: await contract.lawHash() };
      const names = new Map(devnetSociety(chain.genesis.mnemonic).map(({ account, name }) => [account.address.toLowerCase(), name]));
      const context: AuditContext = {
        bundle,
        mission: city.mission,
        session: BigInt(city.session),
        seed: city.seed,
        name: city.name,
        chain,
        client,
        record,
        history: new MissionHistory(record, { chainId: BigInt(chain.id), mission: city.mission, lawHash: law.hash }),
        roles: new Roles(record),
        document,
        law,
        log,
        outcome,
        label: (node) => document.document.nodes[node]?.label ?? `node ${node}`,
        nameOf: (address) => names.get(address.toLowerCase()) ?? address,
        block: (id) => parseJsonBytes(bundle.bytes(blockFile(id))),
        hasBlock: (id) => bundle.files.has(blockFile(id)),
      };
      return context;
    });
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Every entry of the log; sequence, links and hashes hold. */
function entriesOf(text: string): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  let head: { readonly seq: number; readonly hash: Hash } = EMPTY_LOG;
  if (!text.endsWith("\n")) throw new AgentCityError("LogTorn", "The last line of the log is torn");
  for (const line of text.slice(0, -1).split("\n")) {
    const entry = checkLine(line, head);
    entries.push(entry);
    head = entry;
  }
  return entries;
}

function reading<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new Unreadable(file, cause);
  }
}

async function readingAsync<Value>(file: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : new Unreadable(file, cause);
  }
}

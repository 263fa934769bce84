import { zeroHash } from "viem";
import type { BlockName } from "../../chain/chain.ts";
import { DEVNET_CHAIN_ID } from "../../chain/devnet.ts";
import { intentKey } from "../../chain/outbox.ts";
import { obligationSchema } from "../../clearing/obligation.ts";
import { recompileLaw } from "../../client/compile-law.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { type Address, type ContentId, type Hash, hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, type JsonObject } from "../../primitives/json.ts";
import { callScope, type RecordedCalls } from "../../protocol/call-records.ts";
import { type Outcome, outcomeSchema } from "../../protocol/outcome.ts";
import { writeBundle } from "../../records/bundle.ts";
import type { BundleManifest } from "../../records/bundle-manifest.ts";
import { checkLine, EMPTY_LOG, type LogEntry, logLine } from "../../records/log.ts";
import type { City } from "../city.ts";
import { devnetSociety, memberOf } from "../founding/society.ts";
import { childrenOf, type Tree, treeOf } from "../missions/family.ts";
import { BUNDLE_FILES, blockFile, type CityFacts, CLOSING_KIND, reachableBlocks } from "./bundle-layout.ts";

/** How long the runner's signature holds, seconds of chain time. */
const ANCHOR_VALIDITY = 3600n;

/** The records do not contain the root that is on chain. */
export class RootNotInLog extends AgentCityError {
  constructor(root: Hash) {
    super("RootNotInLog", "The log has no entry with the hash that is anchored on chain", {
      details: root,
      action: "the records belong to another city, or were changed: restore them from a bundle",
    });
  }
}

/**
 * Anchors the head of the log by the runner's signature, so that every record up to it is covered by an on-chain root (decision 39). The
 * mission file, the city's facts and questions to external seats enter the log first. Done once: later calls return the first root.
 */
export async function anchorRecords(city: City, facts: Anchored): Promise<Hash> {
  const { mission, missionText } = facts;
  const contract = city.client.mission(mission);
  const known = await contract.anchored();
  if (known !== zeroHash) return known;
  const [closing] = await city.log.read({ kind: CLOSING_KIND, subject: mission, limit: 1 });
  if (closing === undefined) {
    const missionFile = city.blocks.put(new TextEncoder().encode(missionText));
    const calls = await callsOf(city, facts);
    const asked = calls === undefined ? {} : { calls: city.blocks.putJson(calls) };
    const content = city.blocks.putJson({ ...(await cityFacts(city, mission)), missionFile, ...asked });
    await city.log.append([{ kind: CLOSING_KIND, subjects: [mission], content }]);
  }
  const { hash: root } = await city.log.head();
  const { account } = memberOf(city.society, "runner");
  const deadline = Number(city.chain.clock.now() + ANCHOR_VALIDITY);
  const signature = await signMessage(city.client, account, "Anchor", { runner: account.address, root, deadline }, mission);
  await contract.anchor([root, account.address, deadline, signature], { intent: intentKey("anchor", mission) });
  return contract.anchored();
}

/** Questions to external seats for a mission and its children; undefined if there are none. */
async function callsOf(city: City, facts: Anchored): Promise<RecordedCalls | undefined> {
  const { sessions, missions } = await treeIn(city, facts);
  const undertaken = await Promise.all(missions.map((subject) => city.log.read({ kind: "execution.obligation", subject })));
  const obligations = undertaken.flat().flatMap(({ content }) => (content === null ? [] : [city.blocks.getJson(content)]));
  const scopes = [
    ...missions.map((mission) => callScope("mission", mission)),
    ...sessions.map((session) => callScope("session", String(session))),
    ...obligations.map((obligation) => callScope("obligation", obligationSchema.parse(obligation).obligation_hash)),
  ];
  const calls = await city.calls.about(scopes);
  return calls.length === 0 ? undefined : { receiver: memberOf(city.society, "runner").account.address, calls: [...calls] };
}

/** The mission whose records are anchored. */
type Anchored = Pick<MissionFacts, "mission" | "session" | "missionText" | "documentBytes">;

/** What a bundle needs in addition to the city's own data. */
export interface MissionFacts {
  readonly mission: Address;
  readonly session: bigint;
  /** The mission file as given. */
  readonly missionText: string;
  /** RFC 8785 bytes of the law's document. */
  readonly documentBytes: Uint8Array;
  /** The mission's input items in order of id. */
  readonly items: readonly JsonObject[];
  readonly outcome: Outcome;
  readonly report: string;
  /** Destination of the bundle. */
  readonly directory: string;
}

/** Writes everything an audit needs into one directory. The same mission gives the same bytes. */
export async function writeMissionBundle(city: City, facts: MissionFacts): Promise<BundleManifest> {
  const { mission, documentBytes, items, outcome, report } = facts;
  const root = await city.client.mission(mission).anchored();
  const entries = await entriesUpTo(city, root);
  const named = entries.flatMap(({ content }) => content ?? []);
  const read = (id: ContentId) => (city.blocks.has(id) ? city.blocks.get(id) : undefined);
  const blocks = reachableBlocks([...named, ...(await blocksOnChain(city, facts))], read);
  const files = new Map<string, Uint8Array | string>([
    [BUNDLE_FILES.chain, city.chain.transcript(blockNamed(outcome.finalBlock))],
    [BUNDLE_FILES.log, entries.map((entry) => `${logLine(entry)}\n`).join("")],
    [BUNDLE_FILES.mission, facts.missionText],
    [BUNDLE_FILES.document, documentBytes],
    [BUNDLE_FILES.input, canonicalBytes(items)],
    [BUNDLE_FILES.city, canonicalBytes({ ...(await cityFacts(city, mission)), name: outcome.name })],
    [BUNDLE_FILES.outcome, canonicalBytes(outcomeSchema.parse(outcome))],
    [BUNDLE_FILES.report, report],
    ...blocks.map((id) => [blockFile(id), city.blocks.get(id)] as const),
  ]);
  return writeBundle(facts.directory, files);
}

function blockNamed({ number, hash }: Outcome["finalBlock"]): BlockName {
  return { number: BigInt(number), hash: hashSchema.parse(hash) };
}

async function cityFacts({ client, chain, seed, society }: City, mission: Address): Promise<CityFacts> {
  const { session } = await client.mission(mission).context();
  const members = Object.fromEntries(society.map(({ name, account }) => [account.address, name]));
  // A devnet's usual members follow from its known keys.
  const named = chain.id === DEVNET_CHAIN_ID && society.length <= devnetSociety().length ? {} : { members };
  return { addresses: client.addresses, chainId: chain.id, mission, seed, session: session.toString(), ...named };
}

/** The log's entries up to the anchored one; their links are checked on the way. */
async function entriesUpTo(city: City, root: Hash): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  let head: { readonly seq: number; readonly hash: Hash } = EMPTY_LOG;
  for await (const line of city.log.lines()) {
    const entry = checkLine(line, head);
    entries.push(entry);
    if (entry.hash === root) return entries;
    head = entry;
  }
  throw new RootNotInLog(root);
}

/** A mission and those below it, with the sessions that they came from. */
async function treeIn({ client, blocks }: City, { mission, session, documentBytes }: Anchored): Promise<Tree> {
  const { document } = recompileLaw(documentBytes);
  return treeOf([session], mission, await childrenOf(client, (id) => blocks.get(id), { address: mission, document }));
}

/** Blocks that the chain names by digest, of a mission and those below it: candidates' documents, humans' justifications, appeals' texts. */
async function blocksOnChain(city: City, facts: MissionFacts): Promise<readonly ContentId[]> {
  const { client, blocks } = city;
  const tree = await treeIn(city, facts);
  const digests: Hash[] = [];
  for (const each of tree.sessions) {
    const proposals = await client.legislation.history("Proposed", { session: each });
    digests.push(...proposals.map(({ args }) => args.cid));
  }
  for (const each of tree.missions) {
    const overrides = await client.adjudication.history("OverrideExecuted", { mission: each });
    const appeals = await client.mission(each).history("AppealFiled");
    digests.push(...overrides.map(({ args }) => args.justification), ...appeals.map(({ args }) => args.evidence));
  }
  // Anyone may put a digest on chain; content that this city never had cannot be in its bundle, and the audit reports that.
  return digests.map(contentIdFromDigest).filter((id) => blocks.has(id));
}

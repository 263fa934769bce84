import { numberToHex, zeroHash } from "viem";
import { listDigest, messageHash, type SigningDomain } from "../../client/sign/sign-message.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import { nodeCommitmentOf } from "../../rules/commitments.ts";
import { type ClearWave, decodeClearWave, type WireItem, type WireOrder, type WireVerdict } from "../../rules/wire.ts";
import type { ChainContext } from "./context.ts";

export interface Known extends Pick<ChainContext, "record" | "history" | "mission"> {
  readonly client: SigningDomain;
  readonly law: Pick<ChainContext["law"], "nodes">;
}

/** What a clearing was asked with about one node; `isSigned`: whether the list that an entry is in is its signer's. */
export interface HandedIn extends WireOrder {
  readonly at: bigint;
  readonly hash: Hash;
  readonly items: readonly (WireItem & { readonly issuer: Address; readonly isSigned: boolean })[];
  /** `said`: hash of the verdict, with what it is about. */
  readonly verdicts: readonly (WireVerdict & { readonly verifier: Address; readonly isSigned: boolean; readonly said: Hash })[];
}

/** Everything handed in to `clear`, node by node; nodes that a call passed over are left out. */
export async function handedIn(context: Known): Promise<readonly HandedIn[]> {
  const { record } = context;
  const cleared = record.calls("CollaborationContract", "clear").map(({ at, hash, args }) => ({ at, hash, wave: args[0] }));
  const advanced = record.calls("CollaborationContract", "advance").map(({ at, hash, args }) => ({ at, hash, wave: args[0] }));
  const all: HandedIn[] = [];
  for (const { at, hash, wave } of [...cleared, ...advanced]) {
    if (wave === "0x") continue;
    const orders = await ordersIn(context, at, hash, wave);
    all.push(...orders.filter(({ node }) => !passedOver(context, hash, node)));
  }
  return all;
}

/** `Skipped`: the whole node. */
const EVERY_SLOT = 255;

/** Whether a call left a node as it was and went on to others. */
export function passedOver({ record }: Pick<ChainContext, "record">, hash: Hash, node: number): boolean {
  return record
    .events("CollaborationContract", "Skipped")
    .some((event) => event.hash === hash && event.args.node === node && event.args.slot === EVERY_SLOT);
}

/** The verdicts that members posted ahead of a clearing, by `said`. */
export async function postedBefore(context: Known, at: bigint): Promise<ReadonlySet<Hash>> {
  const { record } = context;
  const taken = record.events("CollaborationContract", "Posted");
  const posted = new Set<Hash>();
  let before = 0n;
  for (const { at: sent, hash, args } of record.events("CollaborationContract", "WavePosted").filter((wave) => wave.at < at)) {
    const nodes = taken.filter((event) => event.at > before && event.at < sent).map((event) => event.args.node);
    for (const { node, verdicts } of await ordersIn(context, sent, hash, args.wave))
      if (nodes.includes(node)) for (const { said } of verdicts) posted.add(said);
    before = sent;
  }
  return posted;
}

async function ordersIn(context: Known, at: bigint, hash: Hash, bytes: Hex): Promise<readonly HandedIn[]> {
  const { client, mission, history, law } = context;
  const wave = decodeClearWave(bytes);
  const subjects = wave.orders.map(({ node }) => {
    const attempt = history.attemptAt(node, at);
    const commitments = history.commitmentsAt(node, attempt, law.nodes[node]?.redundancy ?? 0, at);
    const draw = Number(history.drawBlockAt(node, at) ?? 0n);
    return { obligation: history.obligation(node, attempt), commitment: nodeCommitmentOf(commitments), draw };
  });
  const subjectOf = (order: number): Subject => {
    const subject = subjects[order];
    if (subject === undefined) throw new RangeError(`no order ${order}`);
    return subject;
  };
  const { items, verdicts } = await signedIn(client, mission, wave, subjectOf);
  return wave.orders.map((order, place) => ({
    ...order,
    at,
    hash,
    items: items.filter((item) => item.order === place),
    verdicts: verdicts.filter((verdict) => verdict.order === place),
  }));
}

/** What an entry of a wave is about. */
interface Subject {
  readonly obligation: Hash;
  readonly commitment: Hash;
  readonly draw: number;
}

/** The items and verdicts that a wave says in full, and whether the list that each is in is its signer's, for this contract. */
export async function signedIn(
  client: SigningDomain,
  contract: Address,
  wave: ClearWave,
  subjectOf: (order: number) => Subject,
): Promise<Pick<HandedIn, "items" | "verdicts">> {
  const items: HandedIn["items"][number][] = [];
  for (const { issuer, signature, items: list } of wave.issuers) {
    const hashes = list.map((item) =>
      typeof item === "string" ? item : messageHash("Evidence", { ...item, obligation: subjectOf(item.order).obligation }),
    );
    const isSigned = await isBy(issuer, listDigest(client, "Evidences", { before: [issuer], hashes }, contract), signature);
    for (const item of list) if (typeof item !== "string") items.push({ ...item, issuer, isSigned });
  }
  const verdicts: HandedIn["verdicts"][number][] = [];
  for (const { verifier, deadline, signature, verdicts: list } of wave.verifiers) {
    const hashes = list.map((verdict) =>
      typeof verdict === "string" ? verdict : messageHash("Verdict", { ...verdict, ...subjectOf(verdict.order) }),
    );
    const parts = { before: [verifier], hashes, after: [numberToHex(deadline)] };
    const isSigned = await isBy(verifier, listDigest(client, "Verdicts", parts, contract), signature);
    for (const [place, verdict] of list.entries())
      if (typeof verdict !== "string") verdicts.push({ ...verdict, verifier, isSigned, said: hashes[place] ?? zeroHash });
  }
  return { items, verdicts };
}

/** Not the form of a signature at all is nobody's. */
async function isBy(signer: Address, hash: Hash, signature: Hex): Promise<boolean> {
  const by = await recoverAddress({ hash, signature }).catch(() => undefined);
  return by?.toLowerCase() === signer.toLowerCase();
}

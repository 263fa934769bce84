import { zeroAddress } from "viem";
import type { Submission } from "../clearing/judgement.ts";
import type { CityClient } from "../client/client.ts";
import { messageDigest } from "../client/sign/sign-message.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import { type EvidenceClassName, evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass, geq } from "../rules/admissibility.ts";
import type { SignedItem } from "./evidence.ts";

/** Context of an item of evidence. */
export interface Vouched {
  readonly mission: Address;
  readonly obligation: Hash;
  /** Weakest class that the law accepts. */
  readonly floor: EvidenceClassName;
  /** The executor whose work it is about. */
  readonly agent: Address;
}

/** Whether an authorised issuer signed exactly this item, for this mission's obligation. */
export async function isIssued(client: CityClient, mission: Address, obligation: Hash, item: SignedItem): Promise<boolean> {
  const { issuer, signature, class: name, ...said } = item;
  if (!(await client.evidence.mayIssue(issuer, EvidenceClass[name]))) return false;
  const list = { issuer, items: [{ ...said, obligation, class: EvidenceClass[name] }] };
  const digest = messageDigest(client, "Evidences", list, mission);
  return (await recoverAddress({ hash: digest, signature }).catch(() => undefined)) === issuer;
}

/**
 * The receipt seat (RAILS 5.6): whether a registered issuer, independent of the executor, signed for exactly these bytes: that they were
 * handed in, or that re-execution gave them.
 */
export async function isVouched(
  client: CityClient,
  { mission, obligation, floor, agent }: Vouched,
  { slot, handed }: Pick<Submission, "slot" | "handed">,
  items: readonly SignedItem[],
): Promise<boolean> {
  const house = await client.agents.principalOf(agent);
  for (const item of items) {
    const isAbout = item.slot === slot && item.payload === handed && item.kind !== evidenceKinds.REFUTATION;
    if (!isAbout || !geq(EvidenceClass[item.class], EvidenceClass[floor])) continue;
    const principal = await client.evidence.principalOf(item.issuer);
    if (principal === zeroAddress || principal === house) continue;
    if (await isIssued(client, mission, obligation, item)) return true;
  }
  return false;
}

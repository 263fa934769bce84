/**
 * What an audit verifies from documents alone. Free of Node and of the chain: the command runs these rules after replaying the chain, a
 * browser runs them by themselves and says what only a replay can tell.
 */

import { publicKeyToAddress } from "viem/accounts";
import { digestOf } from "../../attestation/claims.ts";
import { isOutcomeSignedBy, outcomeKey, verificationOutcomeSchema } from "../../attestation/outcome.ts";
import { isSigned } from "../../clearing/clearing-decision.ts";
import type { Deployment } from "../../clearing/deployment.ts";
import { secondsOf } from "../../clearing/fields.ts";
import type { Signer } from "../../clearing/signature.ts";
import { type ClaimFile, NO_OUTPUT, trailOf } from "../../execution/claims.ts";
import { type ClearingRecord, cityDeployment, clearAgain, isAgainst, type Standing } from "../../execution/clearing-record.ts";
import { contentIdOf, contentIdOfJson } from "../../primitives/hash.ts";
import type { Hash, Hex } from "../../primitives/hex.ts";
import { accountOfKey } from "../../primitives/recovery.ts";
import { field } from "../../primitives/values.ts";
import type { AuditReport } from "../../protocol/audit-report.ts";
import type { BundleManifest } from "../../records/bundle-manifest.ts";
import { BUNDLE_FILES, bundledCitySchema, CLOSING_KIND, closingSchema } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import type { Inspection } from "./inspection.ts";

/** The last entry vouches for the mission file and for which city this is. */
export function closing(
  {
    bundle,
    log,
    mission,
    block,
    hasBlock,
  }: Pick<AuditContext, "log" | "mission" | "block" | "hasBlock"> & { readonly bundle: Pick<AuditContext["bundle"], "bytes" | "text"> },
  seen: Inspection,
): void {
  const entry = log.findLast(({ kind, subjects }) => kind === CLOSING_KIND && subjects.includes(mission));
  const content = entry?.content ?? undefined;
  if (content === undefined || !hasBlock(content)) {
    seen.holds(false, "closing entry", "is missing, so that nothing vouches for the mission file");
    return;
  }
  const { missionFile, calls: _, ...facts } = closingSchema.parse(block(content));
  seen.same(contentIdOf(bundle.bytes(BUNDLE_FILES.mission)), missionFile, "mission file against the closing entry", BUNDLE_FILES.mission);
  const { name, ...claimed } = bundledCitySchema.parse(JSON.parse(bundle.text(BUNDLE_FILES.city)));
  seen.same(claimed, facts, `facts of ${name} against the closing entry`, BUNDLE_FILES.city);
  seen.same(contentIdOf(bundle.bytes(BUNDLE_FILES.city)), contentIdOfJson({ ...facts, name }), "spelling of the facts", BUNDLE_FILES.city);
}

/** A claim, what an issuer said of it, and what the two are about. */
export interface CheckedClaim {
  /** For findings: what this is, and in which file. */
  readonly subject: string;
  readonly file: string;
  readonly claimed: ClaimFile;
  /** The evidence that the issuer signed of it. */
  readonly item: { readonly issuer: string; readonly payload: Hash };
  /** Hash of what the executor handed in. */
  readonly handed: Hash;
  /** Its bytes, where the bundle has them. */
  readonly source: Uint8Array | undefined;
}

/** How a claim's check ended follows from what was committed and found, and the issuer signed it. */
export function claimOutcome(seen: Inspection, { subject, file, claimed, item, handed, source }: CheckedClaim): void {
  const { claim, outcome, found, key, trail } = claimed;
  const status = found === NO_OUTPUT ? "unverifiable" : found === handed ? "verified" : "rejected";
  seen.same(outcome.status, status, `${subject}: how its check ended`, file);
  seen.same([outcome.verifier_id, found], [item.issuer, item.payload], `${subject}: against the evidence`, file);
  if (status === "verified" && source !== undefined)
    seen.same(outcome.source_digest, digestOf(source), `${subject}: the source of its check`, file);
  seen.holds(isOutcomeSignedBy(outcome, key) && accountOfKey(key.key) === item.issuer, subject, "is not signed by its issuer", file);
  seen.same(trail, trailOf(claim, outcome), `${subject}: the trail of its life`, file);
}

/** A clearing, and what is known of its parties. */
export interface ClearingToCheck {
  readonly subject: string;
  readonly file: string;
  readonly record: ClearingRecord;
  readonly standings: readonly Standing[];
  /** Whether a party undertook an obligation that it did not sign. */
  readonly undertook: Deployment["undertook"];
}

/** Whose each key is, the engine's signature, and the decision once more from the documents with every signature checked. */
export function recomputeClearing(seen: Inspection, { subject, file, record, standings, undertook }: ClearingToCheck): void {
  refutationsHold(seen, { subject, file, record });
  const { keys, decision } = record;
  for (const [id, key] of Object.entries(keys)) {
    seen.same(accountOfKey(hexOf(key)), id.split("/")[0], `${subject}: the key of ${id}`, file);
  }
  const world = cityDeployment(keys, standings, { undertook });
  seen.holds(isSigned(decision, world), `${subject}: decision`, "is not signed by the engine", file);
  const again = clearAgain(record, world, engineIn(record), BigInt(secondsOf(decision.emitted_at)));
  seen.same(decision.clearing_decision_hash, again.decision.clearing_decision_hash, `${subject}: decision, cleared again`, file);
}

/** Who speaks against a work checked the claim that it opened, under its own signature, and got something else. */
function refutationsHold(seen: Inspection, { subject, file, record }: Pick<ClearingToCheck, "subject" | "file" | "record">): void {
  for (const { id, content, provenance } of record.envelope.items.filter((item) => isAgainst(item.id))) {
    const name = `${subject}: the word against it, ${id}`;
    const outcome = verificationOutcomeSchema.parse(field(content, "outcome"));
    seen.same([id.split("/")[2], provenance[0]?.emitter], [outcome.verifier_id, outcome.verifier_id], `${name}: whose it is`, file);
    const isSigned = outcomeKey(outcome, (key) => publicKeyToAddress(key) === outcome.verifier_id) !== undefined;
    seen.holds(isSigned, name, "is not signed by its issuer", file);
    seen.same(outcome.status, "rejected", `${name}: how its check ended`, file);
  }
}

/** The engine of a record as one that signs again what it has signed there. */
function engineIn({ decision, keys }: ClearingRecord): Signer {
  const { clearing_engine: id, clearing_engine_signature: signature } = decision;
  return { id, key: keys[id] ?? "ed25519:0x", sign: () => signature };
}

export function hexOf(key: `${string}:${Hex}`): Hex {
  return `0x${key.split(":0x")[1] ?? ""}`;
}

/** How many files a copy of a bundle lacks, by what they are. */
export function withheldIn(withheld: NonNullable<BundleManifest["withheld"]>): Pick<AuditReport, "withheld"> {
  const kinds = [...Map.groupBy(withheld, ({ of }) => of)].map(([of, files]) => ({ of, files: files.length }));
  return kinds.length === 0 ? {} : { withheld: kinds.sort((a, b) => (a.of < b.of ? -1 : 1)) };
}

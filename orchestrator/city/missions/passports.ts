import { zeroHash } from "viem";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { type Passport, passportSchema } from "../../clearing/passport.ts";
import { Regulator } from "../../clerks/regulator.ts";
import type { NodeView } from "../../execution/chain-view.ts";
import {
  indexAfter,
  indexDigest,
  nextWeight,
  type PassportIndex,
  type Passports,
  passportAmong,
  passportIndexSchema,
  passportsAfter,
  passportsSchema,
} from "../../execution/passports.ts";
import { finalClearings } from "../../execution/settlements.ts";
import type { Mission, World } from "../../execution/world.ts";
import { addressSchema } from "../../primitives/address.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import type { City } from "../city.ts";
import { membersOf } from "../founding/society.ts";

/**
 * Applies a mission's final clearings to the passports of those involved, reports drifting verifiers, and has the Regulator post the result
 * (decision 82). One mission after the other: each continues from the passports of the previous one. A city without its Regulator's key or
 * the earlier passports posts nothing.
 */
export async function postPassports(city: City, world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const [account] = membersOf(city.society, "regulator").map((member) => member.account);
  if (account === undefined) return;
  await city.passports.run(async () => {
    const clearings = await finalClearings(world, mission, nodes);
    if (clearings.length === 0) return;
    const posted = await world.client.evidence.history("PassportsPosted");
    const digests: readonly Hash[] = [zeroHash, ...posted.map(({ args }) => args.passports)];
    for (const [place, digest] of digests.slice(1).entries()) {
      const own = await world.recall(passportsKey(mission, digests[place] ?? zeroHash), passportsSchema);
      if (own !== undefined && indexDigest(indexAfter(own)) === digest) return;
    }
    const previous = digests.at(-1) ?? zeroHash;
    const before = indexOf(city, previous);
    if (before === undefined) return world.progress("the passports that were posted last are not in these records: none are posted");
    const passports = await world.remember(passportsKey(mission, previous), passportsSchema, async () => {
      const next = passportsAfter(before, clearings, (subject, digest) => passportAmong(knownOf(city, digest), subject, digest));
      // Stored by its digest, for the next mission.
      city.blocks.putJson(indexAfter(next));
      for (const { after } of next.changed) city.blocks.putJson(after);
      return next;
    });
    reportFlagged(world, passports);
    const weights = await weightsAfter(world, passports);
    const intent = intentKey("post-passports", mission.address, previous);
    try {
      await new Regulator(world.client, account).postPassports(indexDigest(indexAfter(passports)), weights, intent);
    } catch (error) {
      // Money does not wait for reputation.
      if (!(error instanceof TransactionReverted)) throw error;
      world.progress(`passports are not posted (${error.errorName ?? error.shortMessage})`);
    }
  });
}

/** Reports verifiers that drift, and those whose recomputed work does not match their declaration (RAILS 10.2). */
function reportFlagged({ progress }: World, { changed, verdicts }: Passports): void {
  for (const { before, after } of changed)
    if (after.flagged && !before.flagged)
      progress(`${after.subject} judges otherwise than is decided, too often: adjudicators may want to look`);
  for (const { seat, differs } of verdicts)
    if (differs !== undefined) progress(`${seat} declared a result that does not match its recomputed work: ${differs.join(", ")}`);
}

/** Record key of the passports after a mission, which continue from those with this digest. */
function passportsKey(mission: Mission, previous: Hash): readonly string[] {
  return ["passports", mission.address, previous];
}

function indexOf(city: City, digest: Hash): PassportIndex | undefined {
  if (digest === zeroHash) return {};
  const id = contentIdFromDigest(digest);
  return city.blocks.has(id) ? passportIndexSchema.parse(city.blocks.getJson(id)) : undefined;
}

function knownOf(city: City, digest: Hash | undefined): readonly Passport[] {
  return digest === undefined ? [] : [passportSchema.parse(city.blocks.getJson(contentIdFromDigest(digest)))];
}

/** Verifiers whose weight differs from their passport's worth, with their next weight. */
async function weightsAfter({ client }: World, { changed }: Passports) {
  const verifiers = changed.flatMap(({ after }) => {
    const account = addressSchema.safeParse(after.subject);
    return account.success && after.record.agreed + after.record.disagreed > 0 ? [{ account: account.data, passport: after }] : [];
  });
  const [weights] = await client.evidence.verifiersOf(verifiers.map(({ account }) => account));
  return verifiers.flatMap(({ account, passport }, place) => {
    const weight = nextWeight(weights[place] ?? 0, passport);
    return weight === undefined ? [] : [{ verifier: account, weight }];
  });
}

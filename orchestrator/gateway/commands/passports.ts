import { z } from "zod";
import { passportSchema } from "../../clearing/passport.ts";
import { passportCard } from "../../clearing/passport-card.ts";
import { type PassportIndex, passportAmong, passportIndexSchema } from "../../execution/passports.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import type { JsonValue } from "../../primitives/json.ts";
import { type Command, cityCommand, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { pageOfPayloads } from "../payloads.ts";
import { address, count, hash, pageInput, seconds, toAddress } from "../wire.ts";

const time = z.iso.datetime();
const at = seconds.optional().meta({ description: "As it was posted last by then; by default now" });

/** Where the digest of all passports was posted. */
const postedOutput = z.strictObject({ index: hash, at: seconds, block: count, transaction: hash.nullable() });

export const passportOutput = z.strictObject({
  card: z.strictObject({
    card_id: hash,
    subject: z.string(),
    fields: z.record(z.string(), z.int()),
    record: z.strictObject({ agreed: count, disagreed: count, audits: count, mismatches: count }),
    flagged: z.boolean(),
    counted: count,
    passport_digest: hash,
    period: z.strictObject({ from: time, until: time }),
    clearing_engine: z.string(),
    clearing_engine_signature: z.string(),
  }),
  /** The engine's public key: that of the runner's account in its name. */
  engine: z.string(),
  posted: postedOutput,
});

export const passportListOutput = z.strictObject({
  items: z.array(z.strictObject({ subject: z.string(), passport_digest: hash })),
  next: z.string().nullable(),
  posted: postedOutput.nullable(),
});

/** What the chain says was posted is not among the city's records. */
export class PassportMissing extends AgentCityError {
  constructor(what: string, digest: Hash) {
    super("PassportMissing", `${what} with digest ${digest} was posted on chain, and is not in this city's records`, {
      action: `restore the block ${contentIdFromDigest(digest)} from the bundle of the last mission that changed it`,
    });
  }
}

const postedSchema = z.object({ passports: hashSchema });
const NAME = "EvidenceRegistry.PassportsPosted";

/** Postings read to find the last one: those that a reorganization took back are among them. */
const NEWEST = 20;

interface Posting {
  readonly index: PassportIndex;
  readonly posted: z.input<typeof postedOutput>;
}

/** The passports that were posted last by a time, unix seconds; undefined if there are none. Throws PassportMissing. */
async function postingOf(world: World, by?: number): Promise<Posting | undefined> {
  const range = by === undefined ? {} : { toTime: by * 1_000 + 999 };
  const { payloads } = await pageOfPayloads(world, { name: NAME, ...range, newest: true, limit: NEWEST }, postedSchema);
  const [last] = payloads;
  if (last === undefined) return undefined;
  const { event, args } = last;
  const posted = { index: args.passports, block: event.blockNumber, transaction: event.transactionHash };
  return {
    index: passportIndexSchema.parse(keptIn(world, "The list of passports", args.passports)),
    posted: { ...posted, at: Math.floor(event.timestamp / 1_000) },
  };
}

function keptIn({ blocks }: Pick<World, "blocks">, what: string, digest: Hash): JsonValue {
  const id = contentIdFromDigest(digest);
  if (!blocks.has(id)) throw new PassportMissing(what, digest);
  return blocks.getJson(id);
}

function passportIn(world: World, subject: string, digest: Hash) {
  return passportAmong([passportSchema.parse(keptIn(world, `The passport of ${subject}`, digest))], subject, digest);
}

/** Passports as they were posted: what final clearings say of those who work and judge here. */
export const passportCommands: readonly Command[] = [
  cityCommand({
    name: "list_passports",
    method: "GET",
    path: "/v1/passports",
    group: "Members",
    doc: "Digests of all passports as they were posted on chain last, or last by `at`, by subject. The digest of this list is the one on chain.",
    access: "open",
    cost: 5,
    input: z.strictObject({ cursor: pageInput.cursor, limit: pageInput.limit, at }),
    output: passportListOutput,
    async run(world, { cursor = "", limit = 50, at: by }) {
      const posting = await postingOf(world, by);
      const rest = Object.entries(posting?.index ?? {})
        .filter(([subject]) => subject > cursor)
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
      const items = rest.slice(0, limit).map(([subject, digest]) => ({ subject, passport_digest: digest }));
      return { items, next: rest.length > limit ? (items.at(-1)?.subject ?? null) : null, posted: posting?.posted ?? null };
    },
  }),
  cityCommand({
    name: "get_passport",
    method: "GET",
    path: "/v1/passports/{subject}",
    group: "Members",
    doc: "The card of an agent's passport as it was posted on chain last, or last by `at`: how its obligations ended, its verdicts compared with final decisions, audits of its bases. Covers the time from its registration to the posting; the difference of two cards is the record between them. Signed by the city's clearing engine, whose key is the runner's.",
    access: "open",
    cost: 10,
    input: z.strictObject({ subject: address, at }),
    output: passportOutput,
    async run(world, input) {
      const subject = toAddress(input.subject);
      const posting = await postingOf(world, input.at);
      const digest = posting?.index[subject];
      if (posting === undefined || digest === undefined) throw new Refused("NotFound", `No passport of ${subject} was posted by then`);
      if (world.engine === undefined) throw new Refused("NotFound", "This city has no clearing engine that could sign it");
      const { registeredAt } = await world.client.agents.agentOf(subject);
      const until = posting.posted.at;
      // An account that left and came back is registered anew, and keeps its passport.
      const period = { from: BigInt(Math.min(registeredAt, until)), until: BigInt(until) };
      return {
        card: passportCard(passportIn(world, subject, digest), period, world.engine),
        engine: world.engine.key,
        posted: posting.posted,
      };
    },
  }),
];

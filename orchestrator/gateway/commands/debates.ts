import { z } from "zod";
import { MANIPULATIONS } from "../../client/codification-audit.ts";
import { recompileLaw } from "../../client/compile-law.ts";
import { recordedBallots } from "../../client/recorded-ballots.ts";
import { addressSchema } from "../../primitives/address.ts";
import { contentIdFromDigest, parseContentId } from "../../primitives/hash.ts";
import { type ContentId, type Hash, hashSchema } from "../../primitives/hex.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import {
  briefingSchema,
  debateSchema,
  evidenceSchema,
  grounds,
  opinionsSchema,
  publishedSchema,
  speechContentSchema,
} from "../../protocol/debate.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import { depth, jaccard, tau } from "../../rules/rank-correlation.ts";
import { type Command, command, type World } from "../command.ts";
import { payloadsOf } from "../payloads.ts";
import { address, contentId, count, hash } from "../wire.ts";
import { proposedSchema, sessionInput, sessionNamed } from "./law.ts";

const ranking = z.array(count);

const factOutput = z.strictObject({
  id: z.string(),
  kind: evidenceSchema.shape.kind,
  /** The candidate, or the producer, that it is about. */
  specHash: hash.nullable(),
  agent: address.nullable(),
  facts: z.record(z.string(), z.int()),
});

export const debateOutput = z.strictObject({
  /** The facts that a Regulator signed before the debate; speeches cite them by id. Null before that. */
  briefing: z.strictObject({ regulator: address, documentId: contentId, block: count, evidence: z.array(factOutput) }).nullable(),
  /** Every voter's ranking before the debate: ballot entries, best first. */
  straws: z.array(z.strictObject({ agent: address, ranking })),
  /** Recorded when the vote opens. */
  rounds: z.array(
    z.strictObject({
      turns: z.array(
        z.strictObject({
          agent: address,
          /** Ballot entry that it speaks for; null if that is not on the ballot. */
          about: count.nullable(),
          ground: z.enum(grounds),
          text: z.string(),
          evidence: z.array(z.string()),
          contentId,
        }),
      ),
      /** Number of voters whose ranking changed in the round. */
      changed: count,
    }),
  ),
  /** Voters that the Regulator flagged for ranking alike; the contract verified each from the ballots. */
  blocs: z.array(
    z.strictObject({
      leader: address,
      members: z.array(address),
      /** The member least alike its leader: Kendall's tau and Jaccard index of the first places, ten-thousandths. */
      tau: z.int(),
      jaccard: count,
    }),
  ),
  /** Whether approval waits for adjudicators because of them, and their ruling. */
  isDelayed: z.boolean(),
  ruling: z.enum(["let stand", "void"]).nullable(),
  /** Whether the law is what was voted on. */
  checks: z.array(z.strictObject({ what: z.string(), result: z.enum(["holds", "differs", "not yet", "not kept"]), details: z.string() })),
});

type Checks = z.input<typeof debateOutput>["checks"];

const blocSchema = z.object({ leader: addressSchema, members: z.array(addressSchema) });
const ruledSchema = z.object({ released: z.boolean() });
const specSchema = z.object({ specHash: hashSchema });
const delegatedSchema = z.object({
  report: z.object({
    checked: z.array(z.enum(Object.keys(MANIPULATIONS) as [keyof typeof MANIPULATIONS, ...(keyof typeof MANIPULATIONS)[]])),
    findings: z.array(z.object({ manipulation: z.string(), subject: z.string(), problem: z.string() })),
  }),
});

/** The newest record of a kind about a session; undefined if there is none, or this city does not store it. */
async function recordOf<Content>(world: World, missionId: Hash, name: string, schema: z.ZodType<Content>): Promise<Content | undefined> {
  const { events } = await world.hub.query({ missionId, name, newest: true, limit: 1 });
  const [event] = events;
  return event === undefined ? undefined : read(world, event.payloadCid, schema);
}

function read<Content>({ blocks }: World, id: ContentId, schema: z.ZodType<Content>): Content | undefined {
  return blocks.has(id) ? schema.parse(parseJsonBytes(blocks.get(id))) : undefined;
}

const sameRanking = (a: readonly number[] | undefined, b: readonly number[]) => a !== undefined && a.join() === b.join();

/** The speeches in order, and how many voters changed their minds after each round. */
function roundsOf(
  world: World,
  debate: z.output<typeof debateSchema>,
  straws: z.input<typeof debateOutput>["straws"],
  entryOf: (specHash: Hash) => number | null,
): z.input<typeof debateOutput>["rounds"] {
  let before = new Map<string, readonly number[]>(straws.map(({ agent, ranking: own }) => [agent, own]));
  return debate.rounds.map(({ turns, opinions }) => {
    const after = read(world, opinions, opinionsSchema) ?? [];
    const changed = after.filter(({ agent, ranking: own }) => !sameRanking(before.get(agent), own)).length;
    before = new Map(after.map(({ agent, ranking: own }) => [agent, own]));
    return {
      turns: turns.flatMap(({ agent, content }) => {
        const speech = read(world, content, speechContentSchema);
        if (speech === undefined) return [];
        const { about, ground, text, evidence } = speech;
        return [{ agent, about: entryOf(about), ground, text, evidence: [...evidence], contentId: content }];
      }),
      changed,
    };
  });
}

/** Compares every step from the proposed document to the clone that holds the money. */
async function checksOf(world: World, session: string, missionId: Hash): Promise<Checks> {
  const { client } = world;
  const { winner, mission: missionAddress } = await client.legislation.sessionOf(BigInt(session));
  const proposed = await payloadsOf(world, { missionId, name: "LegislativeProcedure.Proposed" }, proposedSchema);
  const won = winner === 0 ? undefined : proposed.findLast(({ args }) => args.candidate === winner)?.args;
  const id = won === undefined ? undefined : contentIdFromDigest(won.cid);
  const law = id === undefined || !world.blocks.has(id) ? undefined : recompileLaw(world.blocks.get(id));
  const specOf = async (name: string) => (await payloadsOf(world, { missionId, name }, specSchema)).at(-1)?.args.specHash;
  const [validated, codified] = [await specOf("LegislativeProcedure.Validated"), await specOf("LegislativeProcedure.Codified")];
  const audited = await recordOf(world, missionId, "legislature.delegation", delegatedSchema);
  const mission = world.hub.sessionNumbered(session)?.mission ?? null;
  const lawOnChain = mission === null || /^0x0+$/.test(missionAddress) ? undefined : await client.mission(mission).lawHash();
  const compare = (what: string, wanted: Hash | undefined, found: Hash | undefined): Checks[number] => {
    const details = found ?? "";
    if (found === undefined) return { what, result: "not yet", details };
    if (wanted === undefined) return { what, result: "not kept", details: "this city does not store the document" };
    return { what, result: wanted === found ? "holds" : "differs", details };
  };
  return [
    compare("the document compiles to what was on the ballot", law?.specHash, won?.specHash),
    compare("what was on the ballot was compared with the constitution", won?.specHash, validated),
    compare("what was codified is what was on the ballot", won?.specHash, codified),
    audited === undefined
      ? { what: "the code was audited", result: "not yet", details: "" }
      : {
          what: `the code was audited for ${audited.report.checked.map((name) => MANIPULATIONS[name]).join(", ")}`,
          result: audited.report.findings.length === 0 ? "holds" : "differs",
          details: audited.report.findings.map(({ subject, problem }) => `${subject} ${problem}`).join("; "),
        },
    compare("the contract that holds the deposit carries the document, compiled", law?.lawHash, lawOnChain),
  ];
}

export const debateCommands: readonly Command[] = [
  command({
    name: "get_debate",
    method: "GET",
    path: "/v1/sessions/{session}/debate",
    group: "Law",
    doc: "A session's debate with its facts, rankings before it, blocs flagged after it, and whether the law is what was voted on.",
    access: "open",
    cost: 20,
    input: sessionInput,
    output: debateOutput,
    async run(world, { session }) {
      const { client } = world;
      const { id: missionId } = sessionNamed(world, session);
      const number = BigInt(session);
      const paper = await client.legislation.ballotOf(number);
      const proposed = await payloadsOf(world, { missionId, name: "LegislativeProcedure.Proposed" }, proposedSchema);
      const entryOf = (specHash: Hash) => {
        const candidate = proposed.find(({ args }) => args.specHash === specHash)?.args.candidate;
        const entry = candidate === undefined ? -1 : paper.indexOf(candidate);
        return entry === -1 ? null : entry;
      };
      const polled = await client.legislation.history("StrawPollCast", { session: number });
      const straws = polled.map(({ args }) => ({ agent: args.agent, ranking: [...unpackRanking(args.ranking, paper.length)] }));
      const published = await recordOf(world, missionId, "legislature.briefing", publishedSchema);
      const facts = published === undefined ? undefined : read(world, published.content, briefingSchema);
      const debate = await recordOf(world, missionId, "legislature.voting", debateSchema);
      const ballots = new Map((await recordedBallots(client, number)).map((each) => [each.agent, each.ranking]));
      const flagged = await payloadsOf(world, { missionId, name: "LegislativeProcedure.BlocFlagged" }, blocSchema);
      const ruled = (await payloadsOf(world, { missionId, name: "LegislativeProcedure.BlocRuled" }, ruledSchema)).at(-1);
      return {
        briefing:
          published === undefined || facts === undefined
            ? null
            : {
                regulator: published.regulator,
                documentId: parseContentId(published.content),
                block: facts.block.number,
                evidence: facts.evidence.map((each) => ({ ...each })),
              },
        straws,
        rounds: debate === undefined ? [] : roundsOf(world, debate, straws, entryOf),
        blocs: [...Map.groupBy(flagged, ({ args }) => args.leader)].map(([leader, flags]) => {
          const members = flags.flatMap(({ args }) => args.members);
          const own = ballots.get(leader) ?? 0n;
          const others = members.map((member) => ballots.get(member) ?? 0n);
          return {
            ...{ leader, members },
            tau: Math.min(...others.map((other) => tau(own, other, paper.length))),
            jaccard: Math.min(...others.map((other) => jaccard(own, other, paper.length, depth(paper.length)))),
          };
        }),
        isDelayed: (await client.legislation.blocOf(number)).delayed,
        ruling: ruled === undefined ? null : ruled.args.released ? ("let stand" as const) : ("void" as const),
        checks: await checksOf(world, session, missionId),
      };
    },
  }),
];

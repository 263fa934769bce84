import { z } from "zod";
import { recompileLaw } from "../../client/compile-law.ts";
import { recordedBallots } from "../../client/recorded-ballots.ts";
import { addressSchema } from "../../primitives/address.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { type ContentId, hashSchema } from "../../primitives/hex.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { pageOfPayloads, payloadsOf } from "../payloads.ts";
import { address, contentId, count, hash, pageInput, pageOf, seconds, units } from "../wire.ts";

const sessionInput = z.strictObject({ session: units });

export const sessionOutput = z.strictObject({
  session: units,
  missionId: hash,
  epoch: count,
  state: z.enum(sessionTransitions.states),
  sponsor: address,
  deposit: units,
  electorate: count,
  ballots: count,
  openedAt: seconds,
  deadline: seconds,
  /** Null until its law is deployed. */
  mission: address.nullable(),
});

const openedSchema = z.object({ session: z.string() });
const proposedSchema = z.object({ candidate: z.number(), proposer: addressSchema, specHash: hashSchema, cid: hashSchema });
const talliedSchema = z.object({ winner: z.number(), ballots: z.number(), order: z.array(z.number()) });

function sessionNamed({ hub }: World, session: string) {
  const row = hub.sessionNumbered(session);
  if (row === undefined)
    throw new Refused("NotFound", `This city has no session ${session}`, { action: "list_sessions names those it has" });
  return row;
}

function titleOf({ blocks }: World, id: ContentId): string | null {
  return blocks.has(id) ? recompileLaw(blocks.get(id)).document.title : null;
}

async function describe(world: World, session: string): Promise<z.input<typeof sessionOutput>> {
  const row = sessionNamed(world, session);
  const { state, sponsor, deposit, electorate, ballots, openedAt, deadline } = await world.client.legislation.sessionOf(BigInt(session));
  return {
    ...{ session, missionId: row.id, epoch: row.epoch, sponsor, electorate, ballots, openedAt, deadline, mission: row.mission },
    state: sessionTransitions.states[state] ?? "NONE",
    deposit: deposit.toString(),
  };
}

export const lawCommands: readonly Command[] = [
  command({
    name: "list_sessions",
    method: "GET",
    path: "/v1/sessions",
    group: "Law",
    doc: "Legislative sessions with their state.",
    access: "open",
    cost: 5,
    input: z.strictObject(pageInput),
    output: pageOf(sessionOutput),
    async run(world, query) {
      const { payloads, next } = await pageOfPayloads(world, { ...query, name: "LegislativeProcedure.SessionOpened" }, openedSchema);
      return { items: await Promise.all(payloads.map(({ args }) => describe(world, args.session))), next };
    },
  }),
  command({
    name: "get_session",
    method: "GET",
    path: "/v1/sessions/{session}",
    group: "Law",
    doc: "One session: its candidates, and once it is tallied the winner and the order of all.",
    access: "open",
    cost: 3,
    input: sessionInput,
    output: z.strictObject({
      ...sessionOutput.shape,
      candidates: z.array(
        z.strictObject({
          candidate: count,
          proposer: address,
          specHash: hash,
          documentId: contentId,
          sponsors: count,
          /** Of its document, where this city keeps it. */
          title: z.string().nullable(),
          isKept: z.boolean(),
        }),
      ),
      tally: z.strictObject({ winner: count, ballots: count, order: z.array(count) }).nullable(),
    }),
    async run(world, { session }) {
      const summary = await describe(world, session);
      const proposed = await payloadsOf(
        world,
        { missionId: summary.missionId as `0x${string}`, name: "LegislativeProcedure.Proposed" },
        proposedSchema,
      );
      const tallied = await payloadsOf(
        world,
        { missionId: summary.missionId as `0x${string}`, name: "LegislativeProcedure.Tallied" },
        talliedSchema,
      );
      const onBallot = await world.client.legislation.ballotOf(BigInt(session));
      return {
        ...summary,
        candidates: await Promise.all(
          proposed.map(async ({ args }) => ({
            ...{ candidate: args.candidate, proposer: args.proposer, specHash: args.specHash },
            documentId: contentIdFromDigest(args.cid),
            title: titleOf(world, contentIdFromDigest(args.cid)),
            sponsors: (await world.client.legislation.candidateOf(BigInt(session), args.candidate)).sponsors,
            isKept: onBallot.includes(args.candidate),
          })),
        ),
        tally: tallied.at(-1)?.args ?? null,
      };
    },
  }),
  command({
    name: "list_ballots",
    method: "GET",
    path: "/v1/sessions/{session}/ballots",
    group: "Law",
    doc: "Every ballot of a session, and how often each entry was put before each other one.",
    access: "open",
    cost: 10,
    input: sessionInput,
    output: z.strictObject({
      /** Candidates by their place on the ballot. */
      entries: z.array(count),
      ballots: z.array(z.strictObject({ agent: address, ranking: z.array(count) })),
      /** Row before column. */
      pairwise: z.array(z.array(count)),
    }),
    async run(world, { session }) {
      sessionNamed(world, session);
      const id = BigInt(session);
      const entries = await world.client.legislation.ballotOf(id);
      const cast = await recordedBallots(world.client, id);
      const pairwise = await Promise.all(
        entries.map((_, row) =>
          Promise.all(
            entries.map(async (__, column) => (row === column ? 0 : Number(await world.client.legislation.pairwise(id, row, column)))),
          ),
        ),
      );
      const ballots = cast.map(({ agent, ranking }) => ({ agent, ranking: [...unpackRanking(ranking, entries.length)] }));
      return { entries: [...entries], ballots, pairwise };
    },
  }),
];

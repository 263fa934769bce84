import { z } from "zod";
import { recompileLaw } from "../../client/compile-law.ts";
import { recordedBallots } from "../../client/recorded-ballots.ts";
import { addressSchema } from "../../primitives/address.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import { type ContentId, hashSchema } from "../../primitives/hex.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import type { MissionDocument } from "../../protocol/mission-document.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { pageOfPayloads, payloadsOf } from "../payloads.ts";
import { address, contentId, count, hash, pageInput, pageOf, seconds, units } from "../wire.ts";

export const sessionInput = z.strictObject({ session: units });

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
export const proposedSchema = z.object({ candidate: z.number(), proposer: addressSchema, specHash: hashSchema, cid: hashSchema });
const talliedSchema = z.object({ winner: z.number(), ballots: z.number(), order: z.array(z.number()) });

export function sessionNamed({ hub }: World, session: string) {
  const row = hub.sessionNumbered(session);
  if (row === undefined) throw new Refused("NotFound", `This city has no session ${session}`, { action: "list_sessions lists them" });
  return row;
}

/** A candidate law in numbers, for comparison. */
export const shapeOutput = z.strictObject({
  nodes: count,
  /** Minimum number of executions: nodes times executors. */
  executions: count,
  /** Number of nodes of tier 1, 2, 3: re-executed, compared, reviewed by a human. */
  tiers: z.tuple([count, count, count]),
  /** Number of verdicts. */
  verdicts: count,
  /** Weakest evidence class that it pays for. */
  floor: z.enum(evidenceClasses),
  budget: units,
  /** Largest share of the budget for one node, basis points. */
  dearestBps: count,
  /** Duration of its longest chain of nodes at full time limits, seconds: no run without a failure takes longer. */
  longest: seconds,
  /** Number of nodes on that chain. */
  steps: count,
});

/** Simulates a law on paper: every node uses its full time limit, with as much parallelism as the graph allows. */
function shapeOf({ nodes, budget }: MissionDocument): z.input<typeof shapeOutput> {
  const ends = new Map<number, { readonly at: number; readonly steps: number }>();
  for (const { number, after, timeout } of nodes) {
    const before = after.map((each) => ends.get(each) ?? { at: 0, steps: 0 });
    const last = before.reduce((latest, each) => (each.at > latest.at ? each : latest), { at: 0, steps: 0 });
    ends.set(number, { at: last.at + timeout, steps: last.steps + 1 });
  }
  const longest = [...ends.values()].reduce((latest, each) => (each.at > latest.at ? each : latest), { at: 0, steps: 0 });
  const ofTier = (tier: number) => nodes.filter((node) => node.tier === tier).length;
  const floors = nodes.map(({ floor }) => evidenceClasses.indexOf(floor));
  const dearest = nodes.reduce((most, node) => (BigInt(node.budget) > most ? BigInt(node.budget) : most), 0n);
  return {
    nodes: nodes.length,
    executions: nodes.reduce((sum, { redundancy }) => sum + redundancy, 0),
    tiers: [ofTier(1), ofTier(2), ofTier(3)],
    verdicts: nodes.reduce((sum, { panelSize }) => sum + panelSize, 0),
    floor: evidenceClasses[Math.min(...floors)] ?? "SELF",
    budget,
    dearestBps: BigInt(budget) === 0n ? 0 : Number((dearest * BigInt(BASIS_POINTS)) / BigInt(budget)),
    longest: longest.at,
    steps: longest.steps,
  };
}

function documentOf({ blocks }: World, id: ContentId): MissionDocument | undefined {
  return blocks.has(id) ? recompileLaw(blocks.get(id)).document : undefined;
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
    doc: "One session: its candidates and, once tallied, the winner and the full ranking.",
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
          /** Title of its document, if this city stores it. */
          title: z.string().nullable(),
          isKept: z.boolean(),
          shape: shapeOutput.nullable(),
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
          proposed.map(async ({ args }) => {
            const documentId = contentIdFromDigest(args.cid);
            const document = documentOf(world, documentId);
            return {
              ...{ candidate: args.candidate, proposer: args.proposer, specHash: args.specHash, documentId },
              title: document?.title ?? null,
              sponsors: (await world.client.legislation.candidateOf(BigInt(session), args.candidate)).sponsors,
              isKept: onBallot.includes(args.candidate),
              shape: document === undefined ? null : shapeOf(document),
            };
          }),
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
    doc: "Every ballot of a session, and how many voters prefer each entry over each other.",
    access: "open",
    cost: 10,
    input: sessionInput,
    output: z.strictObject({
      /** Candidates by position on the ballot. */
      entries: z.array(count),
      ballots: z.array(z.strictObject({ agent: address, ranking: z.array(count) })),
      /** Voters who prefer the row over the column. */
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

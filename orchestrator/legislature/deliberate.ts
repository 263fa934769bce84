import { toHex } from "viem";
import { z } from "zod";
import { proposedIn } from "../client/candidates.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { type CandidateView, type DebateView, type HeardSpeech, type Ranking, rankingSchema, type SessionPlace } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { digestOf, parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { randomStream } from "../primitives/random.ts";
import {
  briefingSchema,
  type debateSchema,
  publishedSchema,
  reasonsSchema,
  roundSchema,
  speechContentSchema,
  strawsSchema,
  turnSchema,
} from "../protocol/debate.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import { briefingOf, type Debated } from "./briefing.ts";
import type { LegislatureContext } from "./context.ts";
import { documentBehind, draftsOf, requestFor, tableOf, viewOf } from "./propose.ts";
import { askAll, type BallotEntry, ballotPaper, inBatches, opinionOf, opinionsIn, signedRankingsSchema, signRankings } from "./rankings.ts";
import type { SessionState } from "./state.ts";

/** Maximum number of turns in a round, so that a city of a thousand can still listen: every proposer, and others by lot. */
export const MAX_SPEAKERS = 24;

const saidSchema = z.array(z.strictObject({ agent: addressSchema, content: z.string().transform(parseContentId) }));

/**
 * Stage 2b (AgentCity 3.4, committee deliberation): facts are published, then opinions recorded on chain, then up to DEBATE_ROUNDS rounds
 * of speeches in an order drawn by lot. The ballot is fixed when the debate opens: no majority can remove a candidate from it.
 */
export function deliberate(context: LegislatureContext) {
  const { client, clerks } = context;
  const votersOf = (state: SessionState) => context.survey(state.survey).voters;

  return {
    /** Thinks: the chain's facts about the candidates and their possible executors. */
    async brief(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const drafts = draftsOf(context, state);
      const debated: Debated[] = [];
      for (const { candidate, specHash } of await proposedIn(client, session)) {
        if (drafts.some((draft) => draft.specHash === specHash))
          debated.push({ candidate, specHash, document: documentBehind(context, drafts, specHash).document });
      }
      return { briefing: context.save(await briefingOf(client, session, debated, votersOf(state))) };
    },

    /** Signs: a Regulator, for the facts. */
    async signBriefing(state: SessionState): Promise<Partial<SessionState>> {
      const [regulator] = clerks.regulators;
      if (regulator === undefined || state.briefing === null)
        throw new AgentCityError("RegulatorMissing", "No Regulator can publish the facts that open a debate");
      const { signature } = await regulator.publish(BigInt(state.session), digestOf(state.briefing));
      const published = context.save({ regulator: regulator.address, content: state.briefing, signature });
      await context.cross("legislature:briefing-signed");
      return { published };
    },

    /** Sends: the Speaker opens the debate; the log records the facts with it, before any speech. */
    async openDebate(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const note = context.note("briefing", [state.session], state.published ?? undefined);
      await clerks.speaker.openDebate(session, context.stepInto(["DELIBERATING"], "openDebate", session, note));
      await context.cross("legislature:debate-opened");
      return { debateOpened: await blockOfDebate(context, session) };
    },

    /** Thinks: every voter's ranking before the debate. */
    async poll(state: SessionState): Promise<Partial<SessionState>> {
      const { reading } = state;
      const paper = await ballotPaper(context, BigInt(state.session));
      const candidates = candidatesOn(paper, context, state);
      const opinions = await askAll(votersOf(state), async ({ agent }) => {
        const request = { ...requestFor(context, state.survey, agent), place: placeIn(state, 0), candidates };
        const ranking = await context.askOrAbstain(agent, "poll", rankingSchema, (mind) => mind.rank(request), {
          reading,
        });
        return ranking === undefined ? undefined : { agent, ranking: unknownLast(ranking, paper) };
      });
      return { opinions: context.save(opinions) };
    },

    /** Signs: the straw ballots. */
    async signStraws(state: SessionState): Promise<Partial<SessionState>> {
      const straws = await signRankings(context, "StrawPoll", BigInt(state.session), state.opinions);
      await context.cross("legislature:straws-signed");
      return { straws };
    },

    /**
     * Sends: the straw ballots in batches. They have no effect on the outcome. Those on chain then are the record, as voters may have sent
     * others themselves.
     */
    async castStraws(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      await inBatches(
        context,
        { what: "strawPoll", session },
        context.load(state.straws, signedRankingsSchema),
        (batch, name) => {
          const note = context.note("straws", [state.session, ...batch.map(({ agent }) => agent)], state.straws ?? undefined);
          return client.legislation.strawPoll([session, batch], context.step("strawPoll", `${session}/${name}`, note));
        },
        () => context.cross("legislature:mid-straws"),
      );
      await context.cross("legislature:polled");
      const polled = await client.legislation.history("StrawPollCast", { session });
      return { straws: context.save(polled.map(({ args: { agent, ranking } }) => ({ agent, ranking: toHex(ranking, { size: 8 }) }))) };
    },

    /** Thinks: speakers in turn, each having heard those before. Speakers whose mind gives no valid reasons are skipped. */
    async speak(state: SessionState): Promise<Partial<SessionState>> {
      const round = state.rounds.length + 1;
      const paper = await ballotPaper(context, BigInt(state.session));
      const candidates = candidatesOn(paper, context, state);
      const view = debateSoFar(context, state, paper);
      const heard = [...view.heard];
      const opinions = opinionOf(opinionsIn(context, state.opinions));
      const said: z.input<typeof saidSchema> = [];
      for (const agent of speakersFor(paper, context, state)) {
        const favourite = opinions.get(agent)?.[0] ?? 0;
        const about = paper[favourite];
        if (about === undefined) continue;
        const law = candidates.find(({ number }) => number === favourite);
        const own = requestFor(context, state.survey, agent);
        const debate = { ...view, heard };
        const { goal = own.goal, shape = null, document } = law ?? {};
        const request = { ...own, place: placeIn(state, round), goal, about: shape, candidate: favourite, document, debate };
        const reasons = await context.askOrAbstain(agent, "speak", reasonsSchema, (mind) => mind.speak(request), {
          reading: state.reading,
          round,
        });
        if (reasons === undefined) continue;
        heard.push({ ...reasons, speaker: agent, round, about: favourite });
        said.push({ agent, content: context.save({ session: state.session, about: about.specHash, ...reasons }) });
      }
      return { said: context.save(said) };
    },

    /** Signs: the speakers, for content and position in the round. */
    async signSpeeches(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const round = state.rounds.length + 1;
      const turns: z.input<typeof turnSchema>[] = [];
      for (const { agent, content } of context.load(state.said, saidSchema)) {
        const turn = turns.length;
        const message = { session, agent, round, turn, content: digestOf(content) };
        const { account } = context.producer(agent);
        const signature = await unlessAbsent(() => signSessionMessage(client, account, "Speech", message));
        if (signature === undefined) continue;
        turns.push({ agent, round, turn, content, signature });
      }
      await context.cross("legislature:speeches-signed");
      return { turns: context.save(turns) };
    },

    /** Thinks: every voter's current ranking. A mind without a valid answer keeps its last. */
    async reconsider(state: SessionState): Promise<Partial<SessionState>> {
      const round = state.rounds.length + 1;
      const turns = context.load(state.turns, z.array(turnSchema));
      const paper = await ballotPaper(context, BigInt(state.session));
      const candidates = candidatesOn(paper, context, state);
      const debate = debateSoFar(context, state, paper, turns);
      const before = opinionOf(opinionsIn(context, state.opinions));
      const opinions = await askAll(votersOf(state), async ({ agent }) => {
        const request = { ...requestFor(context, state.survey, agent), place: placeIn(state, round), candidates, debate };
        const ranking = await context.askOrAbstain(agent, "rank", rankingSchema, (mind) => mind.rank(request), {
          reading: state.reading,
          round,
        });
        const kept: Ranking | undefined = ranking === undefined ? before.get(agent)?.slice() : unknownLast(ranking, paper);
        return kept === undefined ? undefined : { agent, ranking: kept };
      });
      const record = context.save(opinions);
      await context.cross("legislature:reconsidered");
      const rounds = [...state.rounds, context.save({ turns, opinions: record })];
      // An identical record means that no voter changed its mind.
      return { rounds, opinions: record, settled: record === state.opinions };
    },

    /** Whether the debate continues: at most DEBATE_ROUNDS, fewer if a round changes no ranking. */
    async goesOn({ rounds, settled }: SessionState): Promise<boolean> {
      return !settled && BigInt(rounds.length) < (await client.constitution.param(parameterIndex("DEBATE_ROUNDS")));
    },
  };
}

/** The whole debate as one record, for the log. */
export function debateRecord(context: LegislatureContext, state: SessionState): ContentId | undefined {
  if (state.published === null || state.straws === null || state.debateOpened === null) return undefined;
  const debate: z.input<typeof debateSchema> = {
    session: state.session,
    briefing: context.load(state.published, publishedSchema),
    opened: state.debateOpened,
    straws: state.straws,
    rounds: roundsOf(context, state),
  };
  return context.save(debate);
}

/** Speakers of a round, in order: drawn by the hash of the block that opened the debate, not by anyone in the city. */
export function speakingOrder(opened: Hash, round: number, voters: readonly Address[], proposers: ReadonlySet<Address>): Address[] {
  const lot = randomStream(opened, "speakers", round).shuffle(voters);
  const invited = [...lot.filter((agent) => proposers.has(agent)), ...lot.filter((agent) => !proposers.has(agent))].slice(0, MAX_SPEAKERS);
  return randomStream(opened, "order", round).shuffle(invited);
}

/** The point of the debate at which a mind is asked; round 0 is before it. */
function placeIn({ session }: SessionState, round: number): SessionPlace {
  return { session: BigInt(session), stage: "debate", round };
}

/** Speakers of the round that begins, in order. */
function speakersFor(paper: readonly BallotEntry[], context: LegislatureContext, state: SessionState): Address[] {
  if (state.debateOpened === null) throw new AgentCityError("DebateUnknown", "The debate is not open yet");
  const proposers = new Set(paper.flatMap(({ candidate, proposer }) => (candidate === 0 ? [] : [proposer])));
  // Agents without a straw ballot do not speak, so that an audit can draw the same order from the chain. Others may vote elsewhere.
  const polled = context.load(state.straws, strawsSchema).map(({ agent }) => agent);
  return speakingOrder(state.debateOpened, state.rounds.length + 1, polled, proposers).filter((agent) => context.isHere(agent));
}

/** The ballot as minds see it: entry 0 is "no law". A law that was proposed elsewhere, without its document here, is none of their choices. */
function candidatesOn(paper: readonly BallotEntry[], context: LegislatureContext, state: SessionState): CandidateView[] {
  const laws = new Map(tableOf(context, state.table).map((law) => [law.specHash, law]));
  const documents = new Map(draftsOf(context, state).map(({ specHash, document }) => [specHash, document]));
  return paper.flatMap(({ specHash }, number): CandidateView[] => {
    const law = laws.get(specHash);
    if (law !== undefined) return [{ ...viewOf(context, state.survey, number, law), document: documents.get(specHash) }];
    return number === 0 ? [{ number, shape: null }] : [];
  });
}

/** A ranking of the whole ballot: nobody prefers a law that it cannot read. */
function unknownLast(ranking: Ranking, paper: readonly BallotEntry[]): Ranking {
  return [...ranking, ...paper.map((_, number) => number).filter((number) => !ranking.includes(number))];
}

function roundsOf(context: LegislatureContext, { rounds }: SessionState): z.output<typeof roundSchema>[] {
  return rounds.map((record) => context.load(parseContentId(record), roundSchema));
}

/** What a mind may base its opinion on: the published facts, and the speeches of all rounds and of `latest`. */
function debateSoFar(
  context: LegislatureContext,
  state: SessionState,
  paper: readonly BallotEntry[],
  latest: readonly z.output<typeof turnSchema>[] = [],
): DebateView {
  const entryOf = new Map(paper.map(({ specHash }, entry) => [specHash, entry]));
  const { evidence } = context.load(state.briefing, briefingSchema);
  const turns = [...roundsOf(context, state).flatMap((round) => round.turns), ...latest];
  return {
    evidence: evidence.map(({ specHash, ...fact }) => ({ ...fact, candidate: specHash === null ? null : (entryOf.get(specHash) ?? null) })),
    heard: turns.map(({ agent, round, content }): HeardSpeech => {
      const { session: _, about, ...reasons } = context.load(content, speechContentSchema);
      return { ...reasons, speaker: agent, round, about: entryOf.get(about) ?? 0 };
    }),
  };
}

async function blockOfDebate({ client }: LegislatureContext, session: bigint): Promise<Hash> {
  const [opened] = await client.legislation.history("DebateOpened", { session });
  if (opened === undefined) throw new AgentCityError("DebateUnknown", "The debate was opened, but the chain does not show it");
  return opened.blockHash;
}

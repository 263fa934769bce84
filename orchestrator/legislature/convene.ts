import { zeroAddress } from "viem";
import { z } from "zod";
import { compileLaw, goalHashOf } from "../client/compile-law.ts";
import { electorsAmong } from "../client/eligibility.ts";
import { signAuth } from "../client/sign/auth.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { rankingSchema } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { digestOf, parseContentId } from "../primitives/hash.ts";
import { hexSchema } from "../primitives/hex.ts";
import { lawShapeSchema } from "../protocol/law-shape.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { tally } from "../rules/condorcet.ts";
import { sendBatch } from "./acts.ts";
import { type LegislatureContext, payerOf } from "./context.ts";
import { requireFeasible } from "./feasible.ts";
import { withDeposit } from "./identify.ts";
import { goalsUnder, planOrAbstain } from "./plan.ts";
import { type barredSchema, draftBy, draftSchema, tableOf } from "./propose.ts";
import { askAll, ballotPaper, signedRankingsSchema } from "./rankings.ts";
import { draftKey, nextReading, type SessionState } from "./state.ts";

/** Validity of a signature for one of these calls, seconds of chain time. */
const VALIDITY = 3_600n;

const authSchema = z.strictObject({ agent: addressSchema, deadline: z.int(), signature: hexSchema });
const backersSchema = z.array(addressSchema);
const amendmentSchema = z.strictObject({ candidate: z.int(), agent: addressSchema, draft: z.string().transform(parseContentId) });

/** Sessions without a sponsor's initiative (AgentCity 3.4, 4): producers petition for one, or a failed proposal returns amended. */
export function convene(context: LegislatureContext) {
  const { client, options } = context;
  const { mission, parent = zeroAddress } = options;
  const goalHash = goalHashOf(mission.goal);

  return {
    /** Thinks: which producers want a law for this goal: those that prefer their own draft to none. */
    async findBackers(): Promise<Partial<SessionState>> {
      const facts = await requireFeasible(context);
      const goalUnder = goalsUnder(context, facts.limits);
      const electors = await electorsAmong(
        client,
        options.producers.map(({ account }) => account.address),
      );
      const voters = options.producers.filter(({ account }) => electors.has(account.address));
      const backers = await askAll(voters, async ({ account: { address: self } }) => {
        const plan = await planOrAbstain(context, self, facts.limits);
        if (plan === undefined) return undefined;
        const request = { self, goal: goalUnder(plan), facts };
        const shape = await context.askOrAbstain(self, "wish", lawShapeSchema, (mind) => mind.draft(request));
        if (shape === undefined) return undefined;
        const candidates = [
          { number: 0, shape: null },
          { number: 1, shape },
        ];
        const order = await context.askOrAbstain(self, "petition", rankingSchema, (mind) => mind.rank({ ...request, candidates }));
        return order?.[0] === 1 ? self : undefined;
      });
      return { backers: context.save(backers) };
    },

    /** Signs: the backers, for the open round. */
    async signPetition(state: SessionState): Promise<Partial<SessionState>> {
      const { round } = await client.legislation.petitionOf(goalHash, parent);
      const deadline = Number(client.chain.clock.now() + VALIDITY);
      const signed: z.input<typeof authSchema>[] = [];
      for (const agent of context.load(state.backers, backersSchema)) {
        const message = { agent, goalHash, parent, round, deadline };
        const auth = await unlessAbsent(() => signAuth(client, context.producer(agent).account, "Petition", message));
        if (auth !== undefined) signed.push(auth);
      }
      return { petition: context.save(signed) };
    },

    /** Sends: the signatures. Enough of them open a session, which is paid for only once its law has won; too few lapse with the round. */
    async sendPetition(state: SessionState): Promise<Partial<SessionState>> {
      const backers = context.load(state.petition, z.array(authSchema));
      const note = context.note("petition", [mission.mission], state.petition ?? undefined);
      const submit = (part: typeof backers, name: string) =>
        client.legislation.petition([goalHash, parent, part], context.step("petition", name, note));
      const receipts = backers.length === 0 ? [] : await sendBatch(context, { what: "petition" }, backers, submit);
      await context.cross("legislature:petitioned");
      const [granted] = receipts.flatMap((receipt) => (receipt === undefined ? [] : client.legislation.events(receipt, "PetitionGranted")));
      return granted === undefined ? { outcome: "failed" } : { session: granted.args.session.toString() };
    },

    /** Whether the winning law still needs a sponsor. */
    async isUnpaid(state: SessionState): Promise<boolean> {
      const { sponsor } = await client.legislation.sessionOf(BigInt(state.session));
      return BigInt(sponsor) === 0n;
    },

    /** Sends: the deposit's allowance; then the sponsor pays for the winning law and adopts the session. */
    async adopt(state: SessionState): Promise<Partial<SessionState>> {
      const { law, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      const note = context.note("adoption", [state.session], state.document ?? undefined);
      await withDeposit(context, state, () =>
        client.legislation.adopt([BigInt(state.session), law, docHash], {
          ...context.step("adopt", state.session, note),
          account: payerOf(options),
        }),
      );
      await context.cross("legislature:adopted");
      return {};
    },

    /** Whether a failed proposal may return: too few voted, and it had not returned before (AgentCity 3.4, stage 3). */
    async mayReturn(state: SessionState): Promise<boolean> {
      const session = BigInt(state.session);
      const { ballotSize, ballots, electorate, origin, successor, rules } = await client.legislation.sessionOf(session);
      const lapsed = ballotSize > 0 && ballots * BASIS_POINTS < electorate * rules.turnoutQuorum;
      return lapsed && origin === 0 && successor === 0 && (await context.stateOf(session)) === "FAILED";
    },

    /** Thinks: the author of the leading law amends it; if it has nothing to change, the next author does. */
    async amend(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const paper = await ballotPaper(context, session);
      const standing = tableOf(context, state.table).filter(({ specHash }) => paper.some((entry) => entry.specHash === specHash));
      const barred = context.save(standing satisfies z.output<typeof barredSchema>);
      for (const candidate of await leaders(context, state, paper)) {
        const { proposer } = await client.legislation.candidateOf(session, candidate);
        if (!options.producers.some(({ account }) => account.address === proposer) || state.survey === null) continue;
        const draft = await draftBy(context, proposer, {
          session: state.session,
          survey: state.survey,
          barred,
          step: "amend",
          reading: state.reading,
        });
        if (draft !== undefined) return { barred, amendment: context.save({ candidate, agent: proposer, draft }) };
      }
      return { barred, amendment: null };
    },

    /** Signs: the proposer, for the amendment. Without its signature nothing returns. */
    async signReintroduction(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { candidate, agent, draft } = context.load(state.amendment, amendmentSchema);
      const { specHash, document } = context.load(draft, draftSchema);
      const deadline = Number(client.chain.clock.now() + VALIDITY);
      const message = { session, agent, candidate, specHash, cid: digestOf(document), deadline };
      const auth = await unlessAbsent(() => signAuth(client, context.producer(agent).account, "Reintroduce", message));
      return auth === undefined ? { amendment: null } : { reintroduction: context.save(auth) };
    },

    /** Sends: the amended proposal, which opens a session of its own. */
    async reintroduce(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { candidate, agent, draft } = context.load(state.amendment, amendmentSchema);
      const { specHash, document } = context.load(draft, draftSchema);
      const auth = context.load(state.reintroduction, authSchema);
      const note = context.note("reintroduction", [state.session, agent], document);
      await client.legislation.reintroduce(
        [session, candidate, specHash, digestOf(document), auth],
        context.step("reintroduce", state.session, note),
      );
      await context.cross("legislature:reintroduced");
      const { successor } = await client.legislation.sessionOf(session);
      return {
        ...nextReading(state, successor.toString()),
        barred: state.barred,
        drafts: { [draftKey(state.reading + 1, agent)]: draft },
      };
    },
  };
}

/** Laws on the ballot, ranked by the ballots cast; without ballots, in ballot order. */
async function leaders(
  context: LegislatureContext,
  state: SessionState,
  paper: readonly { readonly candidate: number }[],
): Promise<readonly number[]> {
  const { tieSeed } = await context.client.legislation.sessionOf(BigInt(state.session));
  const ballots = state.ballots === null ? [] : context.load(state.ballots, signedRankingsSchema);
  const { order } = tally(
    ballots.map(({ ranking }) => ranking),
    paper.length,
    tieSeed,
  );
  return order.flatMap((entry) => (entry === 0 ? [] : (paper[entry]?.candidate ?? [])));
}

import { zeroAddress } from "viem";
import { z } from "zod";
import { TransactionReverted } from "../chain/errors.ts";
import { proposedIn } from "../client/candidates.ts";
import { type CompiledLaw, compileLaw, statedGoalHash } from "../client/compile-law.ts";
import { keepsParentFloor } from "../client/law-limits.ts";
import { signAuth } from "../client/sign/auth.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { GoalNotFeasible, MindAnswerInvalid } from "../minds/errors.ts";
import { fits } from "../minds/fit.ts";
import type { CityFacts, Goal } from "../minds/goal.ts";
import type { CandidateView, DraftRequest } from "../minds/mind.ts";
import { rankingSchema } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { contentIdOf, digestOf, parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId, Hash } from "../primitives/hex.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { Recent } from "../primitives/recent.ts";
import { reasonsSchema } from "../protocol/debate.ts";
import { type LawShape, lawShapeSchema } from "../protocol/law-shape.ts";
import { type MissionDocument, missionDocumentSchema } from "../protocol/mission-document.ts";
import { isPlanned } from "../protocol/mission-file.ts";
import { type PlanText, planTextSchema } from "../protocol/mission-file-schema.ts";
import { planOfMission, planRecord } from "../protocol/mission-plan.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { sendActs } from "./acts.ts";
import { type BarredLaw, type Grounds, isAbstention, type LegislatureContext } from "./context.ts";
import { documentOf } from "./document.ts";
import { endorse, MAX_LAWS, type Opinion, supportersOf } from "./endorse.ts";
import { goalsUnder, missionWith, planOrAbstain } from "./plan.ts";
import { askAll } from "./rankings.ts";
import { isOver } from "./refund.ts";
import { draftKey, type SessionState } from "./state.ts";
import { factsOf, type Survey } from "./survey.ts";

/** A law before it is written as a document: its structure, and its tasks if the mission file names none. */
const lawSchema = z.strictObject({ shape: lawShapeSchema, plan: planTextSchema.optional() });

/** An agent's draft: the law, its document, and the reasons. */
export const draftSchema = z.strictObject({
  ...lawSchema.shape,
  agent: addressSchema,
  document: z.string().transform(parseContentId),
  specHash: hashSchema,
  reason: z.string(),
});
export type Draft = z.output<typeof draftSchema>;

const endorsementsSchema = z.strictObject({
  proposals: z.array(z.strictObject({ proposer: addressSchema, specHash: hashSchema })),
  sponsorships: z.array(z.strictObject({ agent: addressSchema, specHash: hashSchema })),
  /** The opinions behind them, for recomputing if someone does not sign. */
  opinions: z.array(z.strictObject({ agent: addressSchema, draft: hashSchema, ranking: z.array(hashSchema) })),
});

const authSchema = z.strictObject({ agent: addressSchema, deadline: z.int(), signature: hexSchema });
const proposalsSchema = z.array(
  z.strictObject({ specHash: hashSchema, cid: hashSchema, document: z.string().transform(parseContentId), auth: authSchema }),
);

const sponsorshipsSchema = z.array(z.strictObject({ candidate: z.int(), auth: authSchema }));

/** Laws on the table: what minds compare, and the hash that identifies each on chain. */
const tableSchema = z.array(z.strictObject({ ...lawSchema.shape, specHash: hashSchema }));

/** A request to a mind: its own address, the goal under a plan if there is one, and the shared facts. */
export function requestFor(
  context: LegislatureContext,
  survey: ContentId | null,
  self: Address,
  plan: PlanText | null = null,
): DraftRequest {
  return { self, ...groundsWith(context, survey, plan), ...failedUnder(context, plan) };
}

/** Failed laws for the tasks of this plan. */
function failedUnder({ options: { barred = [] } }: LegislatureContext, plan: PlanText | null): Pick<DraftRequest, "failed"> {
  const failed = barred.filter(isUnder(plan)).map(({ shape }) => shape);
  return failed.length === 0 ? {} : { failed };
}

/** Whether a law is for the tasks of this plan; without plans all laws are for the mission file's. */
function isUnder(plan: PlanText | null): (law: Omit<BarredLaw, "specHash">) => boolean {
  return (law) => canonicalJson(law.plan ?? null) === canonicalJson(plan);
}

function groundsWith(context: LegislatureContext, survey: ContentId | null, plan: PlanText | null): Grounds {
  return context.groundsOf(survey, plan, () => {
    const facts = factsOf(context.survey(survey));
    return { facts, goalUnder: goalsUnder(context, facts.limits) };
  });
}

/** A law as minds compare it; laws with different plans have their own goals. */
export function viewOf(
  context: LegislatureContext,
  survey: ContentId | null,
  number: number,
  { shape, plan }: Pick<Draft, "shape" | "plan">,
): CandidateView {
  if (plan === undefined) return { number, shape };
  return { number, shape, goal: groundsWith(context, survey, plan).goal, ...failedUnder(context, plan) };
}

/** The laws on the table, by hash. */
export function tableOf(context: LegislatureContext, table: ContentId | null): z.output<typeof tableSchema> {
  return table === null ? [] : context.load(table, tableSchema);
}

/** Every draft of the session, in the order of its voters; then the Speaker's, if there is one. */
export function draftsOf(context: LegislatureContext, state: Pick<SessionState, "survey" | "drafts" | "reading">): Draft[] {
  const { voters } = context.survey(state.survey);
  return [...voters.map(({ agent }) => agent), context.clerks.speaker.address].flatMap((agent) => {
    const record = state.drafts[draftKey(state.reading, agent)];
    return record === undefined ? [] : [context.load(parseContentId(record), draftSchema)];
  });
}

/** All distinct drafted laws, by hash. */
function distinct(drafts: readonly Draft[]): z.output<typeof tableSchema> {
  const bySpec = new Map(
    drafts.map(({ specHash, shape, plan }) => [specHash, { specHash, shape, ...(plan === undefined ? {} : { plan }) }]),
  );
  return [...bySpec.values()].sort((a, b) => (a.specHash < b.specHash ? -1 : 1));
}

/** Stage 2: concurrent drafts, then candidates that find sponsors (AgentCity 3.4; decisions 9, 53). */
export function propose(context: LegislatureContext) {
  const { client, options } = context;
  const laws = new DraftedLaws(context);

  function endorsedBy(opinions: readonly Opinion[], { voters, minSponsors }: Survey) {
    return { ...endorse(opinions, voters, minSponsors, options.mostLaws ?? MAX_LAWS), opinions };
  }

  return {
    /** Thinks: laws of some producers, and their reasons. Runs concurrently. Producers whose mind has no valid answer abstain. */
    async draft({ agents, ...of }: Drafting): Promise<Partial<SessionState>> {
      const drafted = await Promise.all(
        agents.map(async (agent): Promise<[string, ContentId][]> => {
          const draft = await draftBy(context, agent, { ...of, step: "draft" }, laws);
          return draft === undefined ? [] : [[draftKey(of.reading, agent), draft]];
        }),
      );
      return { drafts: Object.fromEntries(drafted.flat()) };
    },

    /** Thinks: every producer ranks all drafts; those that find sponsors become candidates. */
    async endorse(state: SessionState): Promise<Partial<SessionState>> {
      await context.cross("legislature:drafted");
      const survey = context.survey(state.survey);
      const drafts = draftsOf(context, state);
      const known = distinct(drafts);
      const documents = new Map(drafts.map(({ specHash, document }) => [specHash, document]));
      const candidates = known.map((law, number) => ({
        ...viewOf(context, state.survey, number, law),
        document: documents.get(law.specHash),
      }));
      const place = { session: BigInt(state.session), stage: "endorse", round: 0 } as const;
      const opinions = await askAll(drafts, async ({ agent, specHash }) => {
        const request = { ...requestFor(context, state.survey, agent), place, candidates };
        const order = await context.askOrAbstain(agent, "endorse", rankingSchema, (mind) => mind.rank(request), state);
        return { agent, draft: specHash, ranking: (order ?? []).flatMap((number) => known[number]?.specHash ?? []) };
      });
      return { table: context.save(known), endorsements: context.save(endorsedBy(opinions, survey)) };
    },

    /**
     * Signs: the proposers. An agent that does not sign, or that was displaced, supports nothing either; the others then choose again among
     * the rest.
     */
    async signProposals(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const survey = context.survey(state.survey);
      const absent = new Set<Address>(state.displaced);
      const chosenAgain = ({ opinions }: z.output<typeof endorsementsSchema>) =>
        endorsementsSchema.parse(
          endorsedBy(
            opinions.filter(({ agent }) => !absent.has(agent)),
            survey,
          ),
        );
      let endorsed = context.load(state.endorsements, endorsementsSchema);
      if (absent.size > 0) endorsed = chosenAgain(endorsed);
      const drafts = draftsOf(context, state);
      const { deadline } = await client.legislation.sessionOf(session);
      const standing = await standingIn(context, session);
      const signed = new Map<Hash, z.input<typeof proposalsSchema>[number]>();
      // A reintroduced proposal is already proposed.
      const open = () =>
        endorsed.proposals.find(({ proposer, specHash }) => !standing.has(specHash) && signed.get(specHash)?.auth.agent !== proposer);
      for (let next = open(); next !== undefined; next = open()) {
        const { proposer, specHash } = next;
        const document = drafts.find((draft) => draft.specHash === specHash)?.document;
        if (document === undefined)
          throw new AgentCityError("RecordMissing", "A proposal names a law that no agent drafted", { details: specHash });
        const cid = digestOf(document);
        const { account } = context.producer(proposer);
        const message = { session, agent: proposer, specHash, cid, deadline };
        const auth = await unlessAbsent(() => signAuth(client, account, "Propose", message));
        if (auth !== undefined) signed.set(specHash, { specHash, cid, document, auth });
        else {
          absent.add(proposer);
          endorsed = chosenAgain(endorsed);
        }
      }
      const record = context.save(endorsed.proposals.flatMap(({ specHash }) => signed.get(specHash) ?? []));
      await context.cross("legislature:proposals-signed");
      return { proposals: record, endorsements: context.save(endorsed) };
    },

    /** Sends: the proposals, by producer index. */
    async sendProposals(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const proposals = context.load(state.proposals, proposalsSchema);
      const acts = proposals.map(({ specHash, cid, document, auth }) => {
        const note = context.note("proposal", [state.session, auth.agent], document);
        const step = context.step("propose", `${session}/${auth.agent}`, note);
        return { agent: auth.agent, intent: client.legislation.call.propose([session, specHash, cid, auth], step) };
      });
      const refused = await sendActs(context, acts);
      if (refused.length > 0 && (await isOver(context, session))) return { outcome: "overdue" };
      // Who sent it by itself is not displaced.
      const standing = refused.length === 0 ? undefined : await standingIn(context, session);
      const missing = proposals.filter(
        ({ auth, specHash }) => standing?.has(specHash) === false && refused.some(({ agent }) => agent === auth.agent),
      );
      await context.cross("legislature:proposed");
      return { displaced: [...state.displaced, ...missing.map(({ auth }) => auth.agent)] };
    },

    /** Whether somebody else has to propose, or to sponsor, in place of a signer that was displaced. */
    isIncomplete({ displaced, proposals, sponsorships }: SessionState): boolean {
      const signed = sponsorships === null ? context.load(proposals, proposalsSchema) : context.load(sponsorships, sponsorshipsSchema);
      return signed.some(({ auth }) => displaced.includes(auth.agent));
    },

    /** Signs: the sponsors, for the numbers that the chain assigned to their candidates. */
    async signSponsorships(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { deadline } = await client.legislation.sessionOf(session);
      const standing = await standingIn(context, session);
      const { proposals, sponsorships, opinions } = context.load(state.endorsements, endorsementsSchema);
      const supporters = supportersOf(
        proposals.map(({ specHash }) => specHash),
        opinions,
      );
      const signed: z.input<typeof sponsorshipsSchema> = [];
      const sponsors = [...proposals.map(({ proposer, specHash }) => ({ agent: proposer, specHash })), ...sponsorships];
      for (let place = 0; place < sponsors.length; place += 1) {
        const { agent, specHash } = sponsors[place] ?? {};
        const { candidate, proposer } = (specHash === undefined ? undefined : standing.get(specHash)) ?? {};
        if (agent === undefined || specHash === undefined || candidate === undefined || proposer === agent) continue;
        const message = { session, agent, candidate, deadline };
        const sign = () => unlessAbsent(() => signAuth(client, context.producer(agent).account, "Sponsor", message));
        const auth = state.displaced.includes(agent) ? undefined : await sign();
        if (auth !== undefined) signed.push({ candidate, auth });
        else {
          // Another supporter takes its place: no one can block others' law by not signing.
          const asked = new Set(sponsors.filter((each) => each.specHash === specHash).map((each) => each.agent));
          const next = supporters.get(specHash)?.find((each) => !asked.has(each));
          if (next !== undefined) sponsors.push({ agent: next, specHash });
        }
      }
      return { sponsorships: context.save(signed) };
    },

    /** Sends: the sponsorships. */
    async sendSponsorships(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const acts = context.load(state.sponsorships, sponsorshipsSchema).map(({ candidate, auth }) => {
        const note = context.note("sponsorship", [state.session, auth.agent], state.sponsorships ?? undefined);
        const step = context.step("sponsor", `${session}/${auth.agent}/${candidate}`, note);
        return { agent: auth.agent, intent: client.legislation.call.sponsor([session, candidate, auth], step) };
      });
      const refused = await sendActs(context, acts);
      if (refused.length > 0 && (await isOver(context, session))) return { outcome: "overdue" };
      await context.cross("legislature:sponsored");
      const missing = refused.filter(({ reason }) => reason !== "AlreadySponsored").map(({ agent }) => agent);
      return { displaced: [...state.displaced, ...missing] };
    },

    /** Whether any proposal found its sponsors on chain: without candidates there is nothing to vote on. */
    async hasCandidates(state: SessionState): Promise<boolean> {
      const session = BigInt(state.session);
      const { rules } = await client.legislation.sessionOf(session);
      const proposed = await proposedIn(client, session);
      return proposed.some(({ sponsors, pluralistic }) => sponsors >= rules.minSponsors && pluralistic);
    },
  };
}

/** Input of the drafting node. */
export interface Drafting {
  /** Number on chain, decimal. */
  readonly session: string;
  readonly agents: readonly Address[];
  readonly survey: ContentId;
  readonly reading: number;
  readonly barred: ContentId | null;
}

/** Laws of an earlier session, which may not be proposed again unchanged. */
export const barredSchema = tableSchema;

/** Laws that failed before, in this session's goal or in the one that is reintroduced here. */
export function formerLaws(context: LegislatureContext, barred: ContentId | null): readonly BarredLaw[] {
  return [...(context.options.barred ?? []), ...(barred === null ? [] : context.load(barred, barredSchema))];
}

/** Records one agent's law and its reason; undefined if it has none, or none that could become law. */
export async function draftBy(
  context: LegislatureContext,
  agent: Address,
  { session, survey, barred, step, reading }: Omit<Drafting, "agents"> & { readonly step: "draft" | "amend" },
  laws = new DraftedLaws(context),
): Promise<ContentId | undefined> {
  const { inputs, child } = context.options;
  const former = formerLaws(context, barred);
  try {
    const plan = await planOrAbstain(context, agent, context.survey(survey).limits);
    if (plan === undefined) return undefined;
    const mission = missionWith(context, plan);
    const alike = former.filter(isUnder(plan));
    const request = {
      ...requestFor(context, survey, agent, plan),
      place: { session: BigInt(session), stage: step, round: 0 },
      ...(alike.length === 0 ? {} : { barred: alike.map(({ shape }) => shape) }),
    };
    const shape = await context.ask(agent, step, lawShapeSchema, (mind) => mind.draft(request), { reading });
    const { goal, facts } = request;
    const compiled = laws.compiled(goal, shape, () => documentOf(mission, inputs, goal, facts, shape, child));
    if (former.some(({ specHash }) => specHash === compiled.specHash) || !(await laws.isLawful(compiled, facts))) return undefined;
    // A law refers to its plan, and to those of child missions, by content id.
    if (mission.planned === true) context.save(planRecord(planOfMission(mission)));
    for (const { plan } of mission.tasks) if (plan !== null) context.save(planRecord(plan));
    const about = { ...request, about: shape };
    const { text } = await context.ask(agent, step === "draft" ? "speak" : `speak-${step}`, reasonsSchema, (mind) => mind.speak(about), {
      reading,
    });
    const document = context.save(compiled.document);
    return context.save({ agent, shape, ...(plan === null ? {} : { plan }), document, specHash: compiled.specHash, reason: text });
  } catch (error) {
    // A plan that no one here could carry out is one agent's mistake; `requireFeasible` has shown that a better one exists.
    if (isAbstention(error) || (error instanceof GoalNotFeasible && !isPlanned(context.options.mission))) return undefined;
    throw error;
  }
}

/** The law of a structure. Throws MindAnswerInvalid for an invalid one, whose author abstains. */
function lawOf({ title }: LawShape, document: () => MissionDocument): CompiledLaw {
  try {
    return compileLaw(document());
  } catch (error) {
    throw new MindAnswerInvalid("draft", `no law can be "${title}": ${messageOf(error)}`);
  }
}

/** A session's proposals on chain, by spec hash. */
export async function standingIn(
  { client }: LegislatureContext,
  session: bigint,
): Promise<ReadonlyMap<Hash, { readonly candidate: number; readonly proposer: Address }>> {
  return new Map((await proposedIn(client, session)).map((law) => [law.specHash, law]));
}

/** More than the laws that the agents of a session draft. */
const MOST_ANSWERS = 256;

/** Most agents of a session draft one of a few laws: each is compiled once, and the chain is asked about it once per survey. */
class DraftedLaws {
  readonly #context: LegislatureContext;
  readonly #compiled = new WeakMap<Goal, Map<string, CompiledLaw>>();
  readonly #lawful = new WeakMap<CityFacts, Recent<boolean>>();

  constructor(context: LegislatureContext) {
    this.#context = context;
  }

  /** Throws MindAnswerInvalid for an invalid structure, whose author abstains. */
  compiled(goal: Goal, shape: LawShape, document: () => MissionDocument): CompiledLaw {
    const laws = this.#compiled.get(goal) ?? new Map<string, CompiledLaw>();
    this.#compiled.set(goal, laws);
    const text = canonicalJson(shape);
    const law = laws.get(text) ?? lawOf(shape, document);
    laws.set(text, law);
    return law;
  }

  isLawful(law: CompiledLaw, facts: CityFacts): Promise<boolean> {
    const answers = this.#lawful.get(facts) ?? new Recent<boolean>(MOST_ANSWERS, () => 1);
    this.#lawful.set(facts, answers);
    return answers.of(law.specHash, () => isLawful(this.#context, law, facts));
  }
}

/** Whether the on-chain validator and the Codifier's audit would accept the law: one that cannot be enacted is not proposed. */
export async function isLawful(
  context: LegislatureContext,
  { law, document }: CompiledLaw,
  facts: CityFacts,
  drafter: Address = zeroAddress,
): Promise<boolean> {
  const witnesses = witnessesOf(document, facts);
  if (witnesses === undefined) return false;
  if (document.nodes.some(({ floor }) => !keepsParentFloor(EvidenceClass[floor], facts.limits))) return false;
  try {
    const { address: sponsor } = context.options.sponsor;
    const { edition } = facts.limits;
    const terms = { goalHash: statedGoalHash(document), deposit: BigInt(document.budget), sponsor, drafter, edition };
    await context.client.validator.validate(law, terms, witnesses);
    return true;
  } catch (error) {
    if (error instanceof TransactionReverted) return false;
    throw error;
  }
}

/** Producers that can fill every slot of every node: evidence that the law can be carried out (decisions 12, 60). Empty if it cannot. */
export function witnessesOf({ nodes }: MissionDocument, { producers }: CityFacts): Address[] | undefined {
  const witnesses = new Set<Address>();
  for (const { capabilities, redundancy } of nodes) {
    const able = new Map(
      producers.filter((producer) => fits(producer.capabilities, capabilities)).map(({ principal, agent }) => [principal, agent]),
    );
    if (able.size < redundancy) return undefined;
    for (const agent of [...able.values()].slice(0, redundancy)) witnesses.add(agent);
  }
  return [...witnesses];
}

/** The document with a spec hash, from the drafts. */
export function documentBehind(
  context: LegislatureContext,
  drafts: readonly Draft[],
  specHash: Hash,
): { id: ContentId; document: MissionDocument } {
  const draft = drafts.find((each) => each.specHash === specHash);
  if (draft === undefined) throw new AgentCityError("RecordMissing", "A candidate on chain has no document here", { details: specHash });
  const document = context.load(draft.document, missionDocumentSchema);
  const { bytes } = compileLaw(document);
  if (contentIdOf(bytes) !== draft.document)
    throw new AgentCityError("RecordMissing", "A document is not what its id says", { details: draft.document });
  return { id: draft.document, document };
}

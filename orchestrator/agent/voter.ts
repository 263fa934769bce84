import { z } from "zod";
import { ballotIn, proposedIn } from "../client/candidates.ts";
import { recompileLaw, statedGoalHash } from "../client/compile-law.ts";
import { keepsParentFloor, type LawLimits, parentFloorOf, readLimits } from "../client/law-limits.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { type Message, signMessage } from "../client/sign/sign-message.ts";
import { MAX_SPONSORSHIPS } from "../legislature/endorse.ts";
import type { CityFacts, Goal } from "../minds/goal.ts";
import { goalIn } from "../minds/goal-text.ts";
import { layOut } from "../minds/layout.ts";
import { checkedMind, type DebateView, type Ranking, rankingSchema, type Speech } from "../minds/mind.ts";
import { admittedFor, exposureOf, requiredLevels, riskOf } from "../minds/options.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { contentIdFromDigest, contentIdOf, contentIdOfJson, digestOf, keccak256, parseContentId } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../primitives/json.ts";
import type { CallRequest } from "../protocol/calls.ts";
import { reasonsSchema } from "../protocol/debate.ts";
import { type LawShape, lawShapeSchema } from "../protocol/law-shape.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import type { StatedExposure } from "../protocol/mission-file-schema.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import type { LawText, SESSION_CALLS, SessionMessageType } from "../protocol/session-calls.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { packRanking } from "../rules/condorcet.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import { NeedsOwner, WillNotSign } from "./errors.ts";
import type { PolicyOptions } from "./policy.ts";
import { requireSame, type UncheckedMessage } from "./same.ts";

type VoterOptions = Pick<PolicyOptions, "client" | "account" | "mind" | "limits" | "memory" | "block">;
type Kind = keyof typeof SESSION_CALLS;

const asked = { asked: hashSchema };
const draftedSchema = z.strictObject({ ...asked, shape: lawShapeSchema, goal: z.json() });
const rankedSchema = z.strictObject({ ...asked, laws: z.array(hashSchema), ranking: rankingSchema });
const saidSchema = z.strictObject({ ...asked, about: hashSchema.nullable(), reasons: reasonsSchema });

/** Longest validity of a signature that no session bounds, seconds of chain time: a devnet's clock may be an hour ahead. */
const MAX_AHEAD = 7_200n;

/**
 * The agent's part in sessions. It checks every law against its document, and every document against its own chain; it signs only ballots
 * that follow from its own last ranking, and no statement that others attribute to it.
 */
export class Voter {
  readonly #of: VoterOptions;
  readonly #limits = new Map<number, Promise<LawLimits>>();

  constructor(options: VoterOptions) {
    this.#of = options;
  }

  /** Drafts the law that this agent prefers. */
  async draft(request: CallRequest<"draft">): Promise<LawShape> {
    const session = await this.#session(request.session, "draft");
    if (request.stage !== "draft" && request.stage !== "amend") throw new WillNotSign("draft", "stage");
    if (request.round !== 0) throw new WillNotSign("draft", "round");
    const make = async () => {
      const { barred } = request;
      const shape = await this.#mind.draft({
        ...(await this.#request(request, session.limits)),
        ...(barred === undefined ? {} : { barred }),
      });
      return { asked: nameOf(request), shape, goal: z.json().parse(request.goal) };
    };
    return this.#once("draft", request, ["draft", request.session, request.stage], draftedSchema, make).then(({ shape }) => shape);
  }

  /** Argues for or against a law. */
  async speak(request: CallRequest<"speak">): Promise<Speech> {
    const { law, debate } = request;
    const session = await this.#session(request.session, "speak");
    const make = async () => {
      const own = await this.#request(request, session.limits);
      const goal = law.goal === undefined ? own.goal : goalIn(law.goal);
      let about: Hash | null = null;
      if (request.stage === "debate") {
        await this.#requireRound(request.round, 1, "speak");
        const entry = law.number === null ? undefined : (await this.#paper(session.number))[law.number];
        if (entry === undefined) throw new WillNotSign("speak", "law");
        await this.#requireLaw("speak", law, goal, session.limits, entry);
        about = entry;
      } else {
        const own = this.#of.memory.recall(["draft", request.session, request.stage], draftedSchema);
        const isOwn = own !== undefined && canonicalJson([own.shape, own.goal]) === canonicalJson([law.shape, request.goal]);
        if (!isOwn || law.number !== null || law.document !== null || request.round !== 0) throw new WillNotSign("speak", "law");
      }
      const candidate = law.number ?? undefined;
      const reasons = await this.#mind.speak({ ...own, goal, about: law.shape, candidate, ...debateIn(debate) });
      return { asked: nameOf(request), about, reasons };
    };
    return this.#once("speak", request, ["speech", request.session, request.stage, request.round], saidSchema, make).then(
      ({ reasons }) => reasons,
    );
  }

  /** Ranks the laws on the table or on the ballot. */
  async rank(request: CallRequest<"rank">): Promise<Ranking> {
    const { stage, round, laws, debate } = request;
    const session = await this.#session(request.session, "rank");
    if (stage !== "endorse" && stage !== "debate") throw new WillNotSign("rank", "stage");
    const make = async () => {
      const own = await this.#request(request, session.limits);
      await this.#requireRound(round, 0, "rank");
      if (round > 0 !== (debate !== undefined)) throw new WillNotSign("rank", "round");
      const paper = stage === "debate" ? await this.#paper(session.number) : undefined;
      if (paper !== undefined && paper.length !== laws.length) throw new WillNotSign("rank", "laws");
      const shown = await Promise.all(
        laws.map(async (law, place) => {
          if (law.number !== place) throw new WillNotSign("rank", "number");
          const goal = law.goal === undefined ? own.goal : goalIn(law.goal);
          return this.#requireLaw("rank", law, goal, session.limits, paper?.[place]);
        }),
      );
      const candidates = laws.map(({ shape, goal, failed }, number) => ({
        ...{ number, shape },
        ...(goal === undefined ? {} : { goal: goalIn(goal) }),
        ...(failed === undefined ? {} : { failed }),
      }));
      const ranking = await this.#mind.rank({ ...own, candidates, ...debateIn(debate) });
      return { asked: nameOf(request), laws: shown, ranking };
    };
    return this.#once("rank", request, ["ranking", request.session, stage, round], rankedSchema, make).then(({ ranking }) => ranking);
  }

  /** Signs a session message if it equals the one that this agent builds from its own decisions and chain. */
  async sign(type: SessionMessageType, mission: Address | null, message: UncheckedMessage): Promise<Hex> {
    const { client, account } = this.#of;
    const what = `to sign ${type}`;
    const session = await this.#session(String(message["session"]), what);
    const { number, deadline } = session;
    const own = { session: number, agent: account.address };
    const checked = <Made extends object>(made: Made): Made => {
      requireSame(type, mission, null, message, made);
      return made;
    };
    const signed = <Name extends "Propose" | "Sponsor" | "StrawPoll" | "Ballot" | "Reintroduce">(name: Name, made: Message<Name>) =>
      signMessage(client, account, name, checked(made));
    switch (type) {
      case "IdentityAttestation": {
        const [{ principal }, reputation, opened] = await Promise.all([
          client.agents.agentOf(account.address),
          client.agents.reputationOf(account.address),
          client.chain.publicClient.getBlock({ blockNumber: BigInt(session.openedBlock) }),
        ]);
        const made = { ...own, principal, reputation: Number(reputation), nonce: opened.hash, deadline };
        return signSessionMessage(client, account, type, checked(made));
      }
      case "Propose":
        return signed(type, { ...own, ...(await this.#drafted(what, session, "draft", message)), deadline });
      case "Reintroduce": {
        const candidate = Number(message["candidate"]);
        const { proposer } = await client.legislation.candidateOf(number, candidate);
        if (proposer !== account.address) throw new WillNotSign(what, "candidate");
        const until = await this.#until(what, message);
        return signed(type, { ...own, candidate, ...(await this.#drafted(what, session, "amend", message)), deadline: until });
      }
      case "Sponsor":
        return signed(type, { ...own, candidate: await this.#supported(what, session, message), deadline });
      case "StrawPoll":
        return signed(type, { ...own, ranking: packRanking(await this.#ranked(what, session, 0n)), deadline });
      case "Ballot": {
        const rounds = await client.constitution.param(parameterIndex("DEBATE_ROUNDS"));
        return signed(type, { ...own, ranking: packRanking(await this.#ranked(what, session, rounds)), deadline });
      }
      case "Speech": {
        const round = Number(message["round"]);
        const said = this.#of.memory.recall(["speech", String(number), "debate", round], saidSchema);
        if (said === undefined || said.about === null) throw new WillNotSign(what, "round", "this agent said nothing then");
        const content = digestOf(contentIdOfJson({ session: String(number), about: said.about, ...said.reasons }));
        // Its turn in the round: the drawn order without those who did not speak.
        const turn = z.int().min(0).max(65_535).safeParse(message["turn"]);
        if (!turn.success) throw new WillNotSign(what, "turn");
        return signSessionMessage(client, account, type, checked({ ...own, round, turn: turn.data, content }));
      }
    }
  }

  get #mind() {
    return checkedMind(this.#of.mind);
  }

  /** A session of this city that the owner lets it take part in. */
  async #session(text: string, what: string) {
    const { client, limits } = this.#of;
    if (!limits.votes) throw new NeedsOwner(what, "its owner does not let it take part in sessions");
    if (!/^[1-9]\d{0,15}$/.test(text)) throw new WillNotSign(what, "session");
    const number = BigInt(text);
    if (number > (await client.legislation.sessionCount())) throw new WillNotSign(what, "session", "this city has no such session");
    const { sponsor, params, deadline, openedBlock, goalHash } = await client.legislation.sessionOf(number);
    if (limits.notFor.includes(sponsor)) throw new NeedsOwner(what, "its owner does not work for this sponsor");
    const { edition } = unpackMissionParams(params);
    const law = this.#limits.get(edition) ?? readLimits(client, edition);
    this.#limits.set(edition, law);
    law.catch(() => this.#limits.delete(edition));
    const parentFloor = await parentFloorOf(client, number);
    const required = { ...(await law), ...(parentFloor === undefined ? {} : { parentFloor }) };
    return { number, deadline, openedBlock, goalHash, limits: required };
  }

  /** The mind's context: facts about the city from the city, the constitution from the chain. */
  async #request({ goal, producers, failed }: Pick<CallRequest<Kind>, "goal" | "producers" | "failed">, limits: LawLimits) {
    const facts: CityFacts = { producers, verifiers: Number(await this.#of.client.evidence.verifierCount()), limits };
    return { self: this.#of.account.address, goal: goalIn(goal), facts, ...(failed === undefined ? {} : { failed }) };
  }

  /** The first answer to a request of a session. Throws WillNotSign if the same request comes with other contents. */
  async #once<Kept extends { readonly asked: Hash }>(
    kind: Kind,
    request: CallRequest<Kind>,
    key: readonly (string | number)[],
    schema: z.ZodType<Kept>,
    make: () => Promise<unknown>,
  ): Promise<Kept> {
    const kept = await this.#of.memory.keep(key, schema, async () => schema.parse(await make()));
    if (kept.asked !== nameOf(request)) throw new WillNotSign(kind, "the question", "it was asked otherwise before");
    return kept;
  }

  async #requireRound(round: number, least: number, what: string): Promise<void> {
    const most = await this.#of.client.constitution.param(parameterIndex("DEBATE_ROUNDS"));
    if (round < least || BigInt(round) > most) throw new WillNotSign(what, "round");
  }

  /** The ballot on chain: by entry, the law's hash. */
  async #paper(session: bigint): Promise<readonly Hash[]> {
    return (await ballotIn(this.#of.client, session)).map(({ specHash }) => specHash);
  }

  /** Checks that a shown law matches its document and, if it is on chain already, what is recorded there. */
  async #requireLaw(what: string, law: LawText, goal: Goal, limits: LawLimits, onChain?: Hash): Promise<Hash> {
    if (law.shape === null) {
      if (law.number !== 0 || law.document !== null || onChain === undefined || BigInt(onChain) !== 0n)
        throw new WillNotSign(what, "shape");
      return onChain;
    }
    if (law.document === null) throw new WillNotSign(what, "document");
    const { document, specHash } = await this.#lawBehind(what, law.document);
    if (onChain !== undefined && specHash !== onChain) throw new WillNotSign(what, "document");
    requireShown(what, document, goal, law.shape, limits);
    return specHash;
  }

  async #lawBehind(what: string, id: string) {
    const bytes = await this.#of.block(parseContentId(id));
    if (contentIdOf(bytes) !== id) throw new WillNotSign(what, "document");
    try {
      return recompileLaw(bytes);
    } catch (error) {
      throw new WillNotSign(what, "document", messageOf(error));
    }
  }

  /** The law that it drafted, in the form of the document to be proposed. */
  async #drafted(what: string, { number, goalHash, limits }: Session, stage: "draft" | "amend", message: UncheckedMessage) {
    const cid = hashSchema.safeParse(message["cid"]);
    const kept = this.#of.memory.recall(["draft", String(number), stage], draftedSchema);
    if (!cid.success || kept === undefined) throw new WillNotSign(what, "cid", "this agent drafted no such law");
    const { document, specHash } = await this.#lawBehind(what, contentIdFromDigest(cid.data));
    if (statedGoalHash(document) !== goalHash) throw new WillNotSign(what, "cid", "it is for another goal");
    requireShown(what, document, goalIn(kept.goal as Parameters<typeof goalIn>[0]), kept.shape, limits);
    return { specHash, cid: cid.data };
  }

  /** The requested candidate, if it is among the drafts that this agent ranked highest. */
  async #supported(what: string, { number }: Session, message: UncheckedMessage): Promise<number> {
    const { client, memory, account } = this.#of;
    const kept = memory.recall(["ranking", String(number), "endorse", 0], rankedSchema);
    if (kept === undefined) throw new WillNotSign(what, "candidate", "this agent ranked no drafts");
    const standing = await proposedIn(client, number);
    const own = standing.filter(({ proposer }) => proposer === account.address);
    const others = kept.ranking.flatMap((place) =>
      standing.filter(({ specHash, proposer }) => specHash === kept.laws[place] && proposer !== account.address),
    );
    const favourites = [...own, ...others].slice(0, MAX_SPONSORSHIPS);
    const found = favourites.find(({ candidate, proposer }) => candidate === message["candidate"] && proposer !== account.address);
    if (found === undefined) throw new WillNotSign(what, "candidate", "it is not one that this agent supports");
    return found.candidate;
  }

  /** Its last ranking of the ballot up to a round. */
  async #ranked(what: string, { number }: Session, most: bigint): Promise<Ranking> {
    for (let round = Number(most); round >= 0; round -= 1) {
      const kept = this.#of.memory.recall(["ranking", String(number), "debate", round], rankedSchema);
      if (kept !== undefined) return kept.ranking;
    }
    throw new WillNotSign(what, "ranking", "this agent ranked nothing");
  }

  async #until(what: string, message: UncheckedMessage): Promise<number> {
    const deadline = Number(message["deadline"]);
    const { timestamp } = await this.#of.client.chain.publicClient.getBlock();
    if (!Number.isSafeInteger(deadline) || BigInt(deadline) > timestamp + MAX_AHEAD || BigInt(deadline) <= timestamp)
      throw new WillNotSign(what, "deadline");
    return deadline;
  }
}

interface Session {
  readonly number: bigint;
  readonly goalHash: Hash;
  readonly limits: LawLimits;
}

function nameOf(request: CallRequest<Kind>): Hash {
  return keccak256(canonicalBytes(request));
}

function debateIn(debate: CallRequest<"rank">["debate"]): { readonly debate?: DebateView } {
  return debate === undefined ? {} : { debate };
}

const sorted = (exposure: StatedExposure = {}) => Object.entries(exposure).sort(([one], [other]) => (one < other ? -1 : 1));

/** Throws unless a law's structure agrees with its document in every field that a mind can weigh. */
function requireShown(what: string, document: MissionDocument, goal: Goal, shape: LawShape, limits: LawLimits): void {
  const said = (field: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) throw new WillNotSign(what, field);
  };
  said(
    "goal",
    [goal.text, String(goal.budget), goal.duration, goal.items],
    [document.goal, document.budget, document.duration, document.input.count],
  );
  said("risk", riskOf(goal, limits), document.risk);
  said("exposure", sorted(exposureOf(goal)), sorted(document.exposure));
  said("title", shape.title, document.title);
  if (document.nodes.some(({ floor }) => !keepsParentFloor(EvidenceClass[floor], limits))) throw new WillNotSign(what, "floor");
  let nodes: ReturnType<typeof layOut>;
  try {
    nodes = layOut(goal, shape);
  } catch (error) {
    if (error instanceof AgentCityError) throw new WillNotSign(what, "shape", error.message);
    throw error;
  }
  const own = nodes.map(({ number, label, task, shape: of, after, budget }) => ({
    ...{ number, label, task: task.name, after, tier: task.tier, budget: String(budget) },
    ...{ redundancy: of.redundancy, threshold: of.threshold, floor: of.floor, panelSize: of.panel },
    ...{ timeout: of.timeout, reviewWindow: of.review },
    ...{ services: task.services.map(({ name }) => name), admits: admittedFor(task), capabilities: requiredLevels(task) },
  }));
  const stated = document.nodes.map(({ number, label, task, after, tier, budget, ...of }) => ({
    ...{ number, label, task, after, tier, budget },
    ...{ redundancy: of.redundancy, threshold: of.threshold, floor: of.floor, panelSize: of.panelSize },
    ...{ timeout: of.timeout, reviewWindow: of.reviewWindow },
    ...{ services: of.services, admits: of.admits, capabilities: of.capabilities },
  }));
  said("shape", own, stated);
}

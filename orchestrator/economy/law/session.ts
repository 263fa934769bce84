/** One session on a milestone's law, stage by stage on the chain, through the same offices as missions. */
import { keccak256, stringToHex, zeroAddress } from "viem";
import { ruleOnBloc } from "../../adjudication/rule-on-bloc.ts";
import { simulatedJudge } from "../../adjudication/simulated-judge.ts";
import { intentKey } from "../../chain/outbox.ts";
import { blocsAmong, type FoundBloc } from "../../clerks/blocs.ts";
import { codificationOf } from "../../client/codification.ts";
import { type CompiledLaw, compileLaw, goalHashOf } from "../../client/compile-law.ts";
import { recordedBallots } from "../../client/recorded-ballots.ts";
import { signAuth } from "../../client/sign/auth.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { metricsOf } from "../../legislature/metrics.ts";
import { sessionRecord } from "../../legislature/session-record.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { sha256 } from "../../primitives/hash.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { canonicalBytes, type JsonValue } from "../../primitives/json.ts";
import type { RandomStream } from "../../primitives/random.ts";
import { MISSION_CONTEXT } from "../../protocol/mission-context.ts";
import type { MissionDocument } from "../../protocol/mission-document.ts";
import { CODIFIER_OPERATIONS, operationId } from "../../protocol/operations.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import { matchOfLevels } from "../../rules/bid-score.ts";
import { packRanking, tally } from "../../rules/condorcet.ts";
import { opposed, ranked } from "../../rules/rank-correlation.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import type { Agent } from "../agents.ts";
import type { Situation } from "../behaviour.ts";
import type { Task } from "../milestone.ts";
import { declared, type GovernedCity, WORK } from "./city.ts";
import { draftOf, errorsOf, idealRules, RULE_NAMES, type RuleName, type Rules, rankingOf, worthOf } from "./rules.ts";

/** Laws drafted for a ballot: from eight on a bloc is distinguishable from voters who agree (docs/blocs.md). */
const DRAFTS = 8;
const SPONSORS = 5;
const MAX_SPONSORSHIPS = 3;
/** Ballots per transaction. */
const BATCH = 100;
const TOKEN = 1_000_000n;
/** A law states requirements in 256 steps, a bidder its capabilities in 65,536. */
const LEVELS = 255;
const MIN_MATCH = 600;
export const KEPT = 0.5;

export interface Convening {
  readonly round: number;
  readonly tasks: readonly Task[];
  /** The foundation's deposit, tokens. */
  readonly funding: number;
  readonly electors: readonly Agent[];
  /** Agents that do not take part. */
  readonly absent: ReadonlySet<Agent>;
  /** Members that copy the first member's ranking. */
  readonly bloc: readonly Agent[];
  /** Agents' observations, and the record that the debate reveals. */
  readonly before: (agent: Agent) => Situation;
  readonly after: Situation;
  /** Rules that a law here may change. */
  readonly open: readonly RuleName[];
  /** Detects blocs, and has adjudicators rule on them. */
  readonly adjudicates: boolean;
  readonly chance: (purpose: string) => RandomStream;
  /** Duration of a law, seconds. */
  readonly duration: number;
  /** Maximum number of drafted laws. */
  readonly drafts?: number | undefined;
  /** Agents that petition for the session, in signing order; absent if the foundation opens it. */
  readonly petitioners?: readonly Agent[] | undefined;
}

/** Part of a whole. */
export type Share = readonly [part: number, whole: number];

export interface SessionFigures {
  readonly round: number;
  readonly electorate: number;
  readonly candidates: number;
  readonly lpr: Share;
  readonly dsi: Share;
  readonly msr: Share;
  readonly pvrr: Share;
  readonly cfr: Share;
  readonly dvr: Share;
  /** Signed statements of producers and offices. */
  readonly messages: number;
  /** Seconds of chain time from opening to law. */
  readonly seconds: number;
  /** Its number of blocks; not recorded before 25 November. */
  readonly blocks?: number | undefined;
  /** Number of petitioners; absent if the foundation opened it. */
  readonly petitioners?: number | undefined;
  /** Null if no law was made. */
  readonly rules: Rules | null;
  /** Whether each strategy would have been flagged completely; null without a bloc. */
  readonly caught: { readonly identical: boolean; readonly top3: boolean; readonly pivot: boolean } | null;
  /** Honest voters flagged. */
  readonly wronged: number;
  /** Mean τ of the bloc's rankings with the resulting order. */
  readonly influence: number | null;
}

/** Result of a session: figures, flagged voters, and the law if there is one. */
export interface Held {
  readonly figures: SessionFigures;
  readonly flagged: readonly Agent[];
  readonly enacted: Enacted | undefined;
}

export interface Enacted {
  readonly mission: Address;
  readonly session: bigint;
  readonly law: CompiledLaw;
  readonly rules: Rules;
  readonly price: number;
}

interface Candidate {
  readonly author: Agent;
  readonly rules: Rules;
  readonly law: CompiledLaw;
}

/** Required claim of a bidder, lowest dimension first. */
export function requirementOf({ main, second, level }: Task, demand: number): number[] {
  const wanted = Array.from({ length: 10 }, () => 0);
  wanted[main] = Math.round(LEVELS * level * demand);
  wanted[second] = Math.round((LEVELS * level * demand) / 2);
  return wanted;
}

/** Whether the market accepts a bid with this claim. */
export const mayBid = (agent: Agent, wanted: readonly number[]): boolean => matchOfLevels(declared(agent), wanted) >= MIN_MATCH;

export const titleOf = (rules: Rules): string => RULE_NAMES.map((name) => `${name} ${rules[name]}`).join(", ");

function documentOf({ round, tasks, funding, duration }: Convening, rules: Rules, author: Agent): MissionDocument {
  const price = (BigInt(Math.round(funding * 1e6)) / BigInt(tasks.length)).toString();
  return {
    "@context": MISSION_CONTEXT,
    "@type": "MissionSpecification",
    name: `milestone-${round}`,
    goal: goalOf(round),
    title: `${titleOf(rules)} (${author.id})`,
    risk: funding < 1000 ? "LOW" : "MEDIUM",
    budget: Math.round(funding * 1e6).toString(),
    duration,
    input: { kind: "csv", count: tasks.length, digest: sha256(canonicalBytes(inputOf(tasks))) },
    nodes: tasks.map((task) => ({
      number: task.id,
      label: `task-${task.id}`,
      task: `task-${task.id}`,
      shard: null,
      services: ["work"],
      admits: [{ code: WORK.codeHash, schema: WORK.schemaHash }],
      after: [...task.needs],
      tier: task.id === tasks.length - 1 && rules.read === 1 ? 3 : 1,
      redundancy: 1,
      threshold: 1,
      agree: null,
      risk: "LOW",
      floor: "SIGN",
      questions: ["PERFORMANCE"],
      band: "LOW",
      panelSize: rules.panel,
      timeout: 600,
      reviewWindow: 60,
      budget: price,
      predicate: 0,
      capabilities: requirementOf(task, rules.demand),
    })),
    output: { task: `task-${tasks.length - 1}`, format: "json" },
    predicates: [],
    outputPredicate: 0,
  };
}
/** Input of a milestone's mission. */
export const inputOf = (tasks: readonly Task[]): JsonValue[] =>
  tasks.map(({ id, main, second, level, needs }) => ({
    id: `task-${id}`,
    main,
    second,
    level,
    needs: needs.map((need) => `task-${need}`),
  }));
const goalOf = (round: number) => `what the foundation asks from round ${round} on`;

/** Whether some agent claims to match each task. */
const isFeasible = ({ tasks, electors }: Convening, rules: Rules): boolean =>
  rules.demand === 0 ||
  tasks.every((task) => {
    const wanted = requirementOf(task, rules.demand);
    return electors.some((agent) => mayBid(agent, wanted));
  });

/**
 * Holds a session to its end, possibly without a law: too few voters, no winning law, or a vote voided by adjudicators. Undefined if too
 * few agents petition for it.
 */
export async function holdSession(city: GovernedCity, convening: Convening): Promise<Held | undefined> {
  const { client, clerks, chain } = city;
  const { electors, absent, round } = convening;
  const [began, before] = [chain.clock.now(), chain.head().number];
  const step: Step = (...names) => ({ intent: intentKey("economy", round, ...names) });
  const opened = await open(city, convening, step);
  if (opened === undefined) return undefined;
  const { session, petitioners } = opened;
  const voters = electors.filter((agent) => !absent.has(agent));
  const root = keccak256(stringToHex(voters.map((agent) => city.residentOf(agent).member.account.address).join()));
  await clerks.registrar.confirm(session, root, step("identities"));
  const candidates = drafted(convening, voters);
  const deadline = Number(chain.clock.now()) + 3600;
  const accountOf = (agent: Agent) => city.residentOf(agent).member.account;
  const proposals = await Promise.all(
    candidates.map(async ({ author, law }) => {
      city.keep(law.bytes);
      const cid = sha256(law.bytes);
      const message = { session, agent: accountOf(author).address, specHash: law.specHash, cid, deadline };
      const auth = await signAuth(client, accountOf(author), "Propose", message);
      return client.legislation.call.propose([session, law.specHash, cid, auth], step("propose", author.id));
    }),
  );
  await city.sender.sendMany(proposals);
  const backing = sponsorsOf(candidates, voters);
  const sponsorships = await Promise.all(
    backing.map(async ({ agent, candidate }) => {
      const message = { session, agent: accountOf(agent).address, candidate, deadline };
      const auth = await signAuth(client, accountOf(agent), "Sponsor", message);
      return client.legislation.call.sponsor([session, candidate, auth], step("sponsor", agent.id, candidate));
    }),
  );
  await city.sender.sendMany(sponsorships);
  await clerks.speaker.openDebate(session, step("debate"));

  // In addition to "no law", the first entry; of more than fifteen the contract keeps those with the most sponsors.
  const [, ...listed] = await client.legislation.ballotOf(session);
  const onBallot = listed.flatMap((candidate) => candidates[candidate - 1] ?? []);
  const laws = onBallot.map(({ rules }) => rules);
  const errors = new Map(voters.map((agent) => [agent, errorsOf(laws.length, convening.chance(`error ${agent.id}`))]));
  const opinions = (keeps: number, situation: (agent: Agent) => Situation): Map<Agent, number[]> => {
    const orders = new Map(
      voters.map((agent) => [agent, rankingOf(laws, idealRules(agent, situation(agent)), errors.get(agent) ?? [], keeps)]),
    );
    const [leader] = convening.bloc;
    const led = leader === undefined ? undefined : orders.get(leader);
    if (led !== undefined) for (const member of convening.bloc) if (orders.has(member)) orders.set(member, led);
    return orders;
  };
  const signed = async (name: "StrawPoll" | "Ballot", orders: ReadonlyMap<Agent, number[]>) =>
    Promise.all(
      [...orders].map(async ([agent, order]) => {
        const ranking = packRanking(order);
        const message = { session, agent: accountOf(agent).address, ranking, deadline };
        const signature = await signMessage(client, accountOf(agent), name, message);
        return { agent: message.agent, ranking, deadline, signature };
      }),
    );
  const straws = await signed("StrawPoll", opinions(1, convening.before));
  for (let first = 0; first < straws.length; first += BATCH)
    await client.legislation.strawPoll([session, straws.slice(first, first + BATCH)], step("straw", first));
  await clerks.speaker.openVoting(session, step("voting"));
  const orders = opinions(KEPT, () => convening.after);
  const ballots = await signed("Ballot", orders);
  for (let first = 0; first < ballots.length; first += BATCH)
    await client.legislation.castBallots([session, ballots.slice(first, first + BATCH)], step("ballots", first));
  const voting = await client.legislation.sessionOf(session);
  if (voting.ballots < voting.electorate) await city.until(BigInt(voting.deadline) + 1n);
  await client.legislation.tally([session], step("tally"));
  const tallied = await client.legislation.sessionOf(session);
  const m = tallied.ballotSize;
  const recorded = await recordedBallots(client, session);
  const { order } = tally(
    recorded.map(({ ranking }) => ranking),
    m,
    tallied.tieSeed,
  );
  const won = candidates[tallied.winner - 1];
  const flagged = convening.adjudicates && won !== undefined ? await flag(city, session, won.author, onBallot, step) : [];
  const stands = won !== undefined && sessionTransitions.states[(await client.legislation.sessionOf(session)).state] === "TALLIED";
  const enacted = stands ? await enact(city, session, convening, won, step) : undefined;

  const { lpr, dsi, msr, pvrr, cfr, dvr } = metricsOf(await sessionRecord(client, session));
  const share = ({ part, whole }: { readonly part: number; readonly whole: number }): Share => [part, whole];
  const members = convening.bloc.filter((agent) => orders.has(agent));
  const outcome = ranked(packRanking(order), m);
  const tau = (agent: Agent) => {
    const pairs = (m * (m - 1)) / 2;
    return 1 - (2 * opposed(ranked(packRanking(orders.get(agent) ?? []), m), outcome)) / pairs;
  };
  const bloc = new Set(convening.bloc);
  return {
    enacted,
    flagged,
    figures: {
      round,
      electorate: tallied.electorate,
      candidates: candidates.length,
      lpr: share(lpr),
      dsi: share(dsi),
      msr: share(msr),
      pvrr: share(pvrr),
      cfr: share(cfr),
      dvr: share(dvr),
      messages:
        petitioners +
        candidates.length +
        backing.length +
        straws.length +
        ballots.length +
        (enacted === undefined ? 0 : 1 + clerks.regulators.length),
      seconds: Number(chain.clock.now() - began),
      blocks: Number(chain.head().number - before),
      ...(petitioners === 0 ? {} : { petitioners }),
      rules: enacted?.rules ?? null,
      caught: members.length < 5 ? null : powerOf(convening, orders, members, m, tallied.rules),
      wronged: flagged.filter((agent) => !bloc.has(agent)).length,
      influence: members.length === 0 ? null : members.reduce((sum, agent) => sum + tau(agent), 0) / members.length,
    },
  };
}

const depositOf = ({ funding }: Convening): bigint => BigInt(Math.round(funding * 1e6));

/** The foundation opens a session with its deposit, or agents petition until they are enough. */
async function open(city: GovernedCity, convening: Convening, step: Step): Promise<Opened | undefined> {
  const { client, chain, sponsor, residentOf } = city;
  const { round, petitioners } = convening;
  const goalHash = goalHashOf(goalOf(round));
  if (petitioners === undefined) {
    const deposit = depositOf(convening);
    await client.token.approve([client.legislation.address, deposit + 100n * TOKEN], { ...step("allow"), account: sponsor });
    await client.legislation.openSession([goalHash, deposit, zeroAddress], { ...step("open"), account: sponsor });
    return { session: await client.legislation.sessionCount(), petitioners: 0 };
  }
  const needed = await petitionersNeeded(city);
  if (petitioners.length < needed) return undefined;
  const signing = petitioners.slice(0, needed);
  const deadline = Number(chain.clock.now()) + 3600;
  const { round: call } = await client.legislation.petitionOf(goalHash, zeroAddress);
  for (let first = 0; first < needed; first += BATCH) {
    const backers = await Promise.all(
      signing.slice(first, first + BATCH).map((agent) => {
        const { account } = residentOf(agent).member;
        const message = { agent: account.address, goalHash, parent: zeroAddress, round: call, deadline };
        return signAuth(client, account, "Petition", message);
      }),
    );
    await client.legislation.petition([goalHash, zeroAddress, backers], step("petition", first));
  }
  return { session: await client.legislation.sessionCount(), petitioners: needed };
}

/** Signatures that open a session: the constitution's share of the producers. */
async function petitionersNeeded({ client }: GovernedCity): Promise<number> {
  const active = await client.agents.activeProducers();
  return Math.ceil((active * Number(await client.constitution.param(parameterIndex("PETITION_SHARE")))) / BASIS_POINTS);
}

interface Opened {
  readonly session: bigint;
  /** Agents that signed the petition. */
  readonly petitioners: number;
}

/** The foundation pays for the winning law of a petitioned session. */
async function adopt(city: GovernedCity, session: bigint, convening: Convening, { law }: Candidate, step: Step): Promise<void> {
  const { client, sponsor } = city;
  await client.token.approve([client.legislation.address, depositOf(convening)], { ...step("allow"), account: sponsor });
  await client.legislation.adopt([session, law.law, law.docHash], { ...step("adopt"), account: sponsor });
}

/** From the winning law to its mission: validation, codification, approval. */
async function enact(city: GovernedCity, session: bigint, convening: Convening, won: Candidate, step: Step): Promise<Enacted> {
  const { client, clerks } = city;
  const { funding, tasks, petitioners } = convening;
  if (petitioners !== undefined) await adopt(city, session, convening, won, step);
  await client.legislation.validate([session, won.law.law, won.law.docHash, witnessesOf(city, convening, won.rules)], step("validate"));
  const { results } = await codificationOf(client, session, won.law);
  const delegations: Hash[] = [];
  for (const operation of await clerks.codifier.operations()) {
    const name = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation);
    if (name === undefined) throw new RangeError(`unknown operation ${operation}`);
    const delegation = await clerks.codifier.delegate(session, name, won.law.specHash, step("delegate", name));
    await clerks.codifier.record(delegation, results[name].output, results[name].intermediate, step("record", name));
    delegations.push(delegation);
  }
  await clerks.codifier.codify(session, delegations, step("codify"));
  const approvals = await Promise.all([clerks.speaker, ...clerks.regulators].map((clerk) => clerk.approve(session, won.law.bytes)));
  approvals.sort((one, other) => (one.clerk.toLowerCase() < other.clerk.toLowerCase() ? -1 : 1));
  await client.legislation.approve([session, won.law.law, won.law.docHash, approvals], step("approve"));
  const { mission } = await client.legislation.sessionOf(session);
  return { mission, session, law: won.law, rules: won.rules, price: funding / tasks.length };
}

/** Laws of randomly drawn authors: each its ideal except for one rule; requirements that no agent meets are lowered. */
function drafted(convening: Convening, voters: readonly Agent[]): Candidate[] {
  const lot = convening.chance("authors");
  const most = Math.max(1, Math.min(convening.drafts ?? DRAFTS, Math.floor((MAX_SPONSORSHIPS * voters.length) / SPONSORS) - 1));
  const authors = [...lot.shuffle(voters).slice(0, most)].sort((one, other) => one.id - other.id);
  return authors.map((author) => {
    const ideal = idealRules(author, convening.before(author));
    const drawn = { ...draftOf(ideal, convening.open, lot), ...(convening.open.includes("read") ? {} : { read: 0 }) };
    const rules = isFeasible(convening, drawn) ? drawn : { ...drawn, demand: 0 };
    return { author, rules, law: compileLaw(documentOf(convening, rules, author)) };
  });
}

/** Four sponsors per law besides its author: the agents with the most sponsorships left, of these the ones that value it most. */
function sponsorsOf(candidates: readonly Candidate[], voters: readonly Agent[]): { readonly agent: Agent; readonly candidate: number }[] {
  const left = new Map(voters.map((agent) => [agent, MAX_SPONSORSHIPS]));
  for (const { author } of candidates) left.set(author, MAX_SPONSORSHIPS - 1);
  return candidates.flatMap(({ author, rules }, place) => {
    const worth = new Map(voters.map((agent) => [agent, worthOf(rules, idealRules(agent, CALM))]));
    const willing = voters
      .filter((agent) => agent !== author && (left.get(agent) ?? 0) > 0)
      .sort(
        (one, other) =>
          (left.get(other) ?? 0) - (left.get(one) ?? 0) || (worth.get(other) ?? 0) - (worth.get(one) ?? 0) || one.id - other.id,
      )
      .slice(0, SPONSORS - 1);
    for (const agent of willing) left.set(agent, (left.get(agent) ?? 0) - 1);
    return willing.map((agent) => ({ agent, candidate: place + 1 }));
  });
}
const CALM: Situation = { pool: 1, failed: 0, breaches: 0 };

type Step = (...names: (string | number)[]) => { readonly intent: ReturnType<typeof intentKey> };

/** The Regulator proves similar rankings to the contract; for many voters two simulated adjudicators rule. */
async function flag(city: GovernedCity, session: bigint, winner: Agent, onBallot: readonly Candidate[], step: Step): Promise<Agent[]> {
  const { client, clerks } = city;
  const [regulator] = clerks.regulators;
  const blocs = (await regulator?.findBlocs(session)) ?? [];
  for (const bloc of blocs) await regulator?.flag(session, bloc, (first) => step("flag", bloc.leader, first));
  const members = blocs.flatMap(({ leader, members: others }: FoundBloc) => [leader, ...others]);
  const { delayed, caseHash, flagged } = await client.legislation.blocOf(session);
  if (delayed) {
    const { ballotSize, tieSeed } = await client.legislation.sessionOf(session);
    const recorded = await recordedBallots(client, session);
    const others = recorded.filter(({ agent }) => !members.includes(agent)).map(({ ranking }) => ranking);
    const otherwise = tally(others, ballotSize, tieSeed).winner;
    await ruleOnBloc({ client, seats: city.seats(7), keep: city.keep }, simulatedJudge(client.chain.id), {
      session,
      caseHash,
      blocs: blocs.map(({ leader, members: rest }) => [leader, ...rest]),
      flagged,
      ballots: recorded.length,
      winner: String(winner.id),
      otherwise: otherwise === 0 ? undefined : String(onBallot[otherwise - 1]?.author.id),
    });
  }
  return members.flatMap((address) => city.agentAt(address) ?? []);
}

/** An eligible agent for each task, whose existence the constitution requires. */
function witnessesOf(city: GovernedCity, { tasks, electors }: Convening, rules: Rules): Address[] {
  const found = new Set<Agent>();
  for (const task of tasks) {
    const wanted = requirementOf(task, rules.demand);
    const isAble = (agent: Agent) => mayBid(agent, wanted);
    if ([...found].some(isAble)) continue;
    const able = electors.find(isAble);
    if (able !== undefined) found.add(able);
  }
  return [...found].map((agent) => city.residentOf(agent).member.account.address);
}

/** Whether the Regulator would detect these members if they had agreed less (AgentCity 4, power curve). */
function powerOf(
  { chance }: Convening,
  orders: ReadonlyMap<Agent, number[]>,
  members: readonly Agent[],
  m: number,
  likeness: { readonly blocTau: number; readonly blocJaccard: number },
): NonNullable<SessionFigures["caught"]> {
  const [leader] = members;
  const led = leader === undefined ? [] : (orders.get(leader) ?? []);
  const lot = chance("power");
  const own = (agent: Agent) => lot.shuffle(orders.get(agent) ?? []);
  const strategies = {
    identical: () => led,
    top3: (agent: Agent) => [...led.slice(0, 3), ...own(agent).filter((entry) => !led.slice(0, 3).includes(entry))],
    pivot: (agent: Agent) => [...led.slice(0, 1), ...own(agent).filter((entry) => !led.slice(0, 1).includes(entry))],
  };
  const addressOf = ({ id }: Agent): Address => `0x${id.toString(16).padStart(40, "0")}`;
  const isCaught = (rank: (agent: Agent) => number[]): boolean => {
    const ballots = [...orders].map(([agent, order]) => ({
      agent: addressOf(agent),
      ranking: packRanking(members.includes(agent) ? rank(agent) : order),
    }));
    const found = new Set(blocsAmong(ballots, m, likeness).flatMap(({ leader: first, members: rest }) => [first, ...rest]));
    return members.every((agent) => found.has(addressOf(agent)));
  };
  return { identical: isCaught(strategies.identical), top3: isCaught(strategies.top3), pivot: isCaught(strategies.pivot) };
}

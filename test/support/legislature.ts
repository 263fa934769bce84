/** A city with a full house: producers of several principals, clerks in their offices, a mandate, a template, a funded sponsor. */
import { type BigNumberish, id, type Wallet } from "ethers";
import { DEVNET, type ParameterName, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { servicesRootOf } from "../../orchestrator/rules/admissions.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { encodeLaw, type LawHeader, type LawNode, lawHashOf, specHashOf } from "../../orchestrator/rules/law-codec.ts";
import { admittedIn } from "./admitted.ts";
import { type City, directly, ethers, Kind, keyOf, loadCity, loadFixture, Office, tokens } from "./city-fixture.ts";

type Hex = `0x${string}`;
export const hash = (text: string): Hex => id(text) as Hex;

/** Positions in `enum SessionState`. */
export const State = {
  NONE: 0,
  IDENTIFYING: 1,
  PROPOSING: 2,
  DELIBERATING: 3,
  VOTING: 4,
  TALLIED: 5,
  VALIDATED: 6,
  CODIFIED: 7,
  DEPLOYED: 8,
  FAILED: 9,
  EXPIRED: 10,
  CANCELLED: 11,
} as const;

export const OPERATION = hash("compile-law");
export const GOAL = hash("goal");
export const DEPOSIT = tokens(400);
/** Seconds, as the fixture's constitution has them. */
export const PROPOSAL = DEVNET.LEGISLATIVE_PROPOSAL_TIMEOUT;
export const APPROVAL = DEVNET.REGULATORY_APPROVAL_TIMEOUT;
export const REVIEW = DEVNET.MAX_HUMAN_REVIEW_TIMEOUT;

const VOTERS = 8;
const VERIFIERS = 5;

const ENVELOPES = {
  REGISTRAR: ["confirmIdentities"],
  SPEAKER: ["draft", "openDebate", "openVoting", "approve"],
  REGULATOR: ["approve", "flagBloc"],
  CODIFIER: ["codify"],
} as const;

/** A node every constitution of the fixture allows; change what a test is about. */
export function node(changes: Partial<LawNode> = {}): LawNode {
  return {
    predecessors: 0n,
    tier: 1,
    redundancy: 1,
    threshold: 1,
    risk: 0,
    floor: Number(DEVNET.MIN_FLOOR_LOW),
    questions: 1,
    leaf: true,
    band: 0,
    panelSize: Number(DEVNET.MIN_PANEL_LOW),
    timeout: Number(DEVNET.MAX_NODE_TIMEOUT),
    reviewWindow: Number(DEVNET.MAX_HUMAN_REVIEW_TIMEOUT),
    budget: tokens(100),
    predicate: 0,
    capabilities: 0n,
    anyCode: false,
    ...changes,
  };
}

/** Packed bytes of a law. */
export function lawOf(nodes: readonly LawNode[] = [node(), node({ predecessors: 1n })], changes: Partial<LawHeader> = {}): Hex {
  const header = {
    nodeCount: nodes.length,
    risk: 0,
    duration: 1800,
    budget: DEPOSIT,
    outputPredicate: 0,
    anchorInterval: 0,
    goalHash: GOAL,
    inputHash: hash("input"),
    servicesRoot: servicesRootOf(admittedIn(nodes)),
    ...changes,
  };
  return encodeLaw(header, nodes) as Hex;
}

export interface Bill {
  readonly law: Hex;
  readonly docHash: Hex;
  readonly specHash: Hex;
}

/** A law with its document, as a ballot knows it. */
export function billOf(law: Hex, document = "document"): Bill {
  const docHash = hash(document);
  return { law, docHash, specHash: specHashOf(lawHashOf(law), docHash) as Hex };
}

async function convene() {
  const city = await loadCity();
  const voters: Wallet[] = [];
  for (let i = 0; i < VOTERS; i++) {
    const principal = await city.account(`principal ${i % 4}`);
    voters.push((await city.register(`producer ${i}`, { principal })).agent);
  }
  for (let i = 0; i < VERIFIERS; i++) {
    const { agent } = await city.register(`verifier ${i}`, { kind: Kind.VERIFIER, stake: tokens(2000) });
    await city.evidence.registerVerifier(agent.address, 100);
  }
  return furnish(city, voters);
}

/** A procedure that no institution knows. */
export async function outOfOffice(constitution: City["constitution"]) {
  const names = ["Agenda", "Blocs", "Convocation", "Enactment"];
  const libraries = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await ethers.deployContract(name)])));
  return ethers.deployContract("LegislativeProcedure", [constitution], { libraries });
}

/** Gives a city whose producers are `voters` its offices, the Codifier's mandate, adjudicators and a funded sponsor. */
export async function furnish<Peopled extends City>(city: Peopled, voters: Wallet[]) {
  const { legislation, clerks, management, services, addresses } = city;
  const runner = await city.account("runner of the Codifier's services");
  await city.evidence.registerRunner(runner.address, keyOf("runner's own principal").address);
  const offices = { REGISTRAR: [], SPEAKER: [], REGULATOR: [], CODIFIER: [] } as Record<keyof typeof ENVELOPES, Wallet[]>;
  for (const [office, count] of [
    ["REGISTRAR", 1],
    ["SPEAKER", 1],
    ["REGULATOR", 3],
    ["CODIFIER", 1],
  ] as const) {
    const selectors = ENVELOPES[office].map((name) => legislation.interface.getFunction(name).selector);
    await clerks.setEnvelope(Office[office], selectors, 8);
    for (let i = 0; i < count; i++) {
      const clerk = await city.account(`${office} ${i}`);
      await clerks.appoint(Office[office], clerk.address, keyOf(`principal of ${office} ${i}`).address);
      offices[office].push(clerk);
    }
  }

  const owner = voters[0] as Wallet;
  const record = [hash("code"), hash("schema"), "local:compile", ethers.ZeroHash] as const;
  const direct = directly(owner);
  const service = await services.connect(owner).registerService.staticCall(...record, direct);
  await services.connect(owner).registerService(...record, direct);
  await management.setMandate(Office.CODIFIER, OPERATION, service, false, hash("schema"));

  const adjudicators = await city.seatAdjudicators(7);

  const sponsor = await city.account("sponsor");
  await city.fund(sponsor, addresses.LEGISLATION, tokens(100_000));

  return {
    ...city,
    voters,
    offices,
    sponsor,
    adjudicators,
    direct: directly,
    compiler: service,
    runner,
    steps: stepsOf(city, voters, offices, sponsor, service, runner),
  };
}

/** What moves a session from stage to stage, each step by whom it belongs to. */
function stepsOf(
  city: City,
  voters: Wallet[],
  offices: Record<keyof typeof ENVELOPES, Wallet[]>,
  sponsor: Wallet,
  compiler: string,
  runner: Wallet,
) {
  const { legislation, management, addresses } = city;
  const [registrar, speaker, codifier] = [offices.REGISTRAR[0], offices.SPEAKER[0], offices.CODIFIER[0]] as [Wallet, Wallet, Wallet];

  async function open(deposit = DEPOSIT): Promise<bigint> {
    await legislation.connect(sponsor).openSession(GOAL, deposit, ethers.ZeroAddress);
    return legislation.sessionCount();
  }

  async function toProposing(deposit = DEPOSIT): Promise<bigint> {
    const session = await open(deposit);
    await legislation.connect(registrar).confirmIdentities(session, hash("identities"));
    return session;
  }

  /** `author` proposes and the next `sponsors - 1` producers sponsor, the author's principal not alone. */
  async function propose(session: bigint, author: number, specHash: Hex, sponsors = 5): Promise<number> {
    const by = (offset: number) => voters[(author + offset) % voters.length] as Wallet;
    await legislation.connect(by(0)).propose(session, specHash, hash(`cid of ${specHash}`), directly(by(0)));
    const { candidates } = await legislation.sessionOf(session);
    const candidate = Number(candidates) - 1;
    for (let i = 1; i < sponsors; i++) await legislation.connect(by(i)).sponsor(session, candidate, directly(by(i)));
    return candidate;
  }

  /** The bills are on the ballot and debated. */
  async function toDebate(bills: readonly Hex[]): Promise<bigint> {
    const session = await toProposing();
    for (const [i, specHash] of bills.entries()) await propose(session, (i * 5) % voters.length, specHash);
    await legislation.connect(speaker).openDebate(session);
    return session;
  }

  async function toVoting(bills: readonly Hex[], deposit = DEPOSIT): Promise<bigint> {
    const session = await toProposing(deposit);
    // Eight producers with three sponsorships each carry four candidates of five sponsors.
    for (const [i, specHash] of bills.entries()) await propose(session, (i * 5) % voters.length, specHash);
    await legislation.connect(speaker).openVoting(session);
    return session;
  }

  /** A signed ballot; `order` lists ballot entries, best first. */
  async function ballot(session: bigint, agent: Wallet, order: readonly number[] | bigint, deadline: BigNumberish = 2n ** 40n - 1n) {
    const ranking = typeof order === "bigint" ? order : packRanking(order);
    const message = { session, agent: agent.address, ranking, deadline };
    const signature = await city.sign("Ballot", addresses.LEGISLATION, message, agent);
    return { agent: agent.address, ranking, deadline, signature };
  }

  /** A signed ranking from before the debate. */
  async function straw(session: bigint, agent: Wallet, order: readonly number[], deadline: BigNumberish = 2n ** 40n - 1n) {
    const message = { session, agent: agent.address, ranking: packRanking(order), deadline };
    const signature = await city.sign("StrawPoll", addresses.LEGISLATION, message, agent);
    return { ...message, signature };
  }

  /** A producer's signature under the petition that is open now. */
  async function backer(agent: Wallet, goalHash: Hex, parent = ethers.ZeroAddress, deadline: BigNumberish = 2n ** 40n - 1n) {
    const { round } = await legislation.petitionOf(goalHash, parent);
    const message = { agent: agent.address, goalHash, parent, round, deadline };
    return { agent: agent.address, deadline, signature: await city.sign("Petition", addresses.LEGISLATION, message, agent) };
  }

  async function vote(session: bigint, orders: readonly (readonly number[])[]): Promise<void> {
    const ballots = await Promise.all(orders.map((order, i) => ballot(session, voters[i] as Wallet, order)));
    await legislation.castBallots(session, ballots);
  }

  /** The bill is the only candidate and everybody prefers it. */
  async function toTallied(bill: Bill, deposit = DEPOSIT): Promise<bigint> {
    const session = await toVoting([bill.specHash], deposit);
    await vote(
      session,
      voters.map(() => [1, 0]),
    );
    await legislation.tally(session);
    return session;
  }

  async function toValidated(bill: Bill, deposit = DEPOSIT): Promise<bigint> {
    const session = await toTallied(bill, deposit);
    await legislation.validate(session, bill.law, bill.docHash, witnesses());
    return session;
  }

  /** Whoever of them could fill the nodes. */
  const witnesses = (): string[] => voters.slice(0, 4).map(({ address }) => address);

  async function delegate(session: bigint, specHash: Hex, operation: Hex = OPERATION): Promise<string> {
    await management.connect(codifier).delegate(session, operation, compiler, specHash);
    const delegation = await management.delegationId(session, operation, specHash);
    const auth = await city.resultBy(runner, delegation, hash("compiled"), ethers.ZeroHash);
    await management.connect(codifier).recordResult(delegation, hash("compiled"), ethers.ZeroHash, auth);
    return delegation;
  }

  async function toCodified(bill: Bill, deposit = DEPOSIT): Promise<bigint> {
    const session = await toValidated(bill, deposit);
    await legislation.connect(codifier).codify(session, [await delegate(session, bill.specHash)]);
    return session;
  }

  /** Signatures of the offices in ascending order of clerk. */
  async function approvals(
    session: bigint,
    specHash: Hex,
    signers: readonly (readonly [keyof typeof Office, Wallet])[],
    deadline = 2n ** 40n - 1n,
  ) {
    const sorted = [...signers].sort(([, a], [, b]) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
    return Promise.all(
      sorted.map(async ([name, clerk]) => {
        const office = Office[name];
        const message = { clerk: clerk.address, office, session, specHash, deadline };
        const signature = await city.sign("OfficeApproval", addresses.LEGISLATION, message, clerk);
        return { clerk: clerk.address, office, deadline, signature };
      }),
    );
  }

  return {
    open,
    toProposing,
    propose,
    toDebate,
    toVoting,
    straw,
    backer,
    ballot,
    vote,
    toTallied,
    toValidated,
    witnesses,
    delegate,
    toCodified,
    approvals,
  };
}

export type Legislature = Awaited<ReturnType<typeof convene>>;

/** A fresh house for each test: without the voters that another test added. */
export async function loadLegislature(): Promise<Legislature> {
  const house = await loadFixture(convene);
  house.voters.length = VOTERS;
  return house;
}

/** Sets one parameter of the unsealed city. */
export const setParameter = async (city: City, name: ParameterName, value: BigNumberish): Promise<void> => {
  await city.constitution.setParam(parameterIndex(name), value, hash("test"));
};

/**
 * The world of the fuzz: a city with everyone in it, whose missions are made by real sessions. The deployer still governs, so that
 * governance can be exercised beside the override panel.
 */
import { type Wallet, ZeroHash } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { Band, type LawHeader, type LawNode } from "../../orchestrator/rules/law-codec.ts";
import { batchedReads } from "../support/batched-reads.ts";
import { ethers, Kind, keyOf, loadFixture, networkHelpers, Office, tokens } from "../support/city-fixture.ts";
import { type Bill, billOf, DEPOSIT, furnish, node as lawNode, lawOf, PROPOSAL, setParameter } from "../support/legislature.ts";
import { loadPeopledCity } from "../support/mission-fixture.ts";
import { FuzzMission, type Issuers } from "./fuzz-mission.ts";
import { tried } from "./move.ts";

const { LOW, MODERATE } = Band;
const { WIT, REC, ATT } = EvidenceClass;
const PREDICATE = 1;

/** The one stake pool, and how many workers share it. */
export const POOL = 1n;
export const POOLED = 4;

/** Long enough for a walk to come back to it: what has to run out does so by the moves that wait. */
const TIMEOUT = 1800;
const task = (changes: Partial<LawNode>): LawNode => lawNode({ timeout: TIMEOUT, ...changes });

/** Every tier, both gates, two floors that are incomparable, windows of an hour and of nothing. */
const GRAPH: LawNode[] = [
  task({ floor: ATT, band: MODERATE, budget: tokens(90) }),
  task({ tier: 2, redundancy: 3, threshold: 2, panelSize: 3, floor: REC, band: MODERATE, budget: tokens(100) + 2n }),
  task({ predecessors: 0b11n, tier: 3, floor: WIT, questions: 3, panelSize: 2, predicate: PREDICATE, budget: tokens(90) }),
  task({ predecessors: 0b100n, tier: 2, redundancy: 2, threshold: 2, band: LOW, budget: tokens(100) + 1n }),
];
/** Many single slots: a market that can be cornered. Humans decide on some. */
const HUMAN = [0, 3];
const MARKET: LawNode[] = Array.from({ length: 7 }, (_, i) =>
  task({ tier: HUMAN.includes(i) ? 3 : 1, floor: ATT, band: i % 2 === 0 ? LOW : MODERATE, budget: tokens(50) + 1n }),
);
/** Short, so that it is often finished. */
const PAIR: LawNode[] = [
  task({ band: MODERATE, budget: tokens(180), predicate: PREDICATE }),
  task({ predecessors: 1n, band: LOW, floor: ATT, budget: tokens(190) }),
];

/** One task for a human to look at, one to pass on: a mission of its own. */
const TREE: LawNode[] = [
  task({ tier: 3, band: LOW, floor: ATT, budget: tokens(150) }),
  task({ leaf: false, band: LOW, floor: ATT, budget: tokens(240) + 1n }),
];
/** What a child mission is asked for, by its share of the money. */
const childOf = (budget: bigint): LawNode[] => [
  task({ band: LOW, floor: ATT, budget: budget / 3n }),
  task({ predecessors: 1n, band: LOW, floor: ATT, budget: budget / 2n }),
];

/** More than the deposit: no validator should let it pass. */
const OVERDRAWN: LawNode[] = [task({ budget: tokens(200) }), task({ budget: tokens(200) + 1n })];

export interface NamedBill extends Bill {
  readonly nodes: readonly LawNode[];
  readonly outputPredicate: number;
}

const bill = (nodes: LawNode[], outputPredicate: number, document: string, header: Partial<LawHeader> = {}): NamedBill => ({
  ...billOf(lawOf(nodes, { outputPredicate, duration: 86_400, ...header }), document),
  nodes,
  outputPredicate,
});

export const BILLS = {
  graph: bill(GRAPH, PREDICATE, "graph", { anchorInterval: 300 }),
  market: bill(MARKET, 0, "market"),
  pair: bill(PAIR, PREDICATE, "pair"),
  tree: bill(TREE, 0, "tree"),
  overdrawn: bill(OVERDRAWN, 0, "overdrawn"),
} as const;
export const BALLOT: readonly NamedBill[] = Object.values(BILLS);

async function foundWorld() {
  const peopled = await loadPeopledCity();
  const { evidence, clerks, sponsor, legislation, execution, addresses } = peopled;
  const house = await furnish(
    peopled,
    peopled.workers.map(({ agent }) => agent),
  );
  const selectors = [
    legislation.interface.getFunction("approve"),
    legislation.interface.getFunction("flagBloc"),
    execution.interface.getFunction("awardEarly"),
  ].map(({ selector }) => selector);
  await clerks.setEnvelope(Office.REGULATOR, selectors, 64);

  await setParameter(peopled, "MAX_NODE_TIMEOUT", TIMEOUT);
  await setParameter(peopled, "VERIFICATION_TIMEOUT", 600);
  await setParameter(peopled, "MAX_HUMAN_REVIEW_TIMEOUT", 3600);

  const honest = new Map<EvidenceClass, Wallet>([[ATT, peopled.issuer]]);
  for (const [name, kind] of [
    ["recorder", REC],
    ["witness", WIT],
  ] as const) {
    const issuer = await peopled.account(name);
    await evidence.registerIssuer(issuer.address, keyOf(`${name}'s principal`).address, 1 << kind);
    honest.set(kind, issuer);
  }
  const crony = await peopled.account("crony");
  await evidence.registerIssuer(crony.address, sponsor.address, (1 << WIT) | (1 << REC) | (1 << ATT));
  const issuers: Issuers = { honest, impostor: await peopled.account("impostor"), crony };

  const oracle = await ethers.deployContract("OracleHarness");
  await execution.approvePredicate(PREDICATE, oracle);

  const stranger = await peopled.account("stranger");
  await peopled.fund(stranger, addresses.PRODUCERS, tokens(1_000_000));
  await peopled.token.mint(sponsor.address, tokens(100_000));
  const verifying = [...peopled.verifiers.values()];
  const [principal] = await Promise.all([peopled.account("principal 0")]);
  await peopled.fund(principal, addresses.PRODUCERS, tokens(100_000));
  const manager = await peopled.account("manager");
  await peopled.pools.connect(manager).openPool();
  for (const [index, { agent }] of peopled.workers.slice(0, POOLED).entries()) {
    await peopled.fund(agent, addresses.STAKE_POOL, tokens(100_000));
    await peopled.pools.connect(manager).admit(POOL, agent.address);
    await peopled.pools.connect(agent).join(POOL, agent.address, tokens(300) + BigInt(index));
  }
  return { ...house, issuers, oracle, stranger, verifying, manager, reads: await batchedReads(), Kind };
}

type Founded = Awaited<ReturnType<typeof foundWorld>>;

/** What an oracle answers; positions in `OracleHarness.Mood`. */
export const Mood = { YES: 0, NO: 1, REVERT: 2 } as const;

/** How many of eight vote, sponsor, and are flagged for ranking alike. */
interface Support {
  readonly voters?: number;
  readonly sponsors?: number;
  readonly suspects?: number;
}

export interface World extends Founded {
  readonly random: RandomStream;
  /** Deployed by approved sessions, in their order. */
  readonly missions: FuzzMission[];
  /** Laws that may win: those of the ballot, and those of child missions. */
  readonly bills: NamedBill[];
  /** Makes the oracle say so from now on. */
  say(word: keyof typeof Mood): Promise<void>;
  /** What it said in a block. */
  said(block: number): keyof typeof Mood;
  /** Where an attacker reports how it fared. */
  trial(invariant: number, refused: boolean, broken: () => string): void;
  /** Takes up a mission that a session deployed. */
  adopt(mission: string, law: NamedBill): Promise<FuzzMission>;
  /** A whole session, from petition to market. */
  enact(law: NamedBill, support?: Support): Promise<FuzzMission>;
  /** The same of the session that a node opened. */
  enactChild(session: bigint): Promise<FuzzMission>;
}

function holder([wallet]: readonly Wallet[]): Wallet {
  if (wallet === undefined) throw new Error("an office is empty");
  return wallet;
}

/** A fresh world, moved by `random` alone. */
export async function openWorld(random: RandomStream): Promise<World> {
  const founded = await loadFixture(foundWorld);
  const missions: FuzzMission[] = [];
  const { steps, legislation, offices } = founded;
  const legislature = await founded.as("LEGISLATION");
  const [registrar, speaker, codifier] = [holder(offices.REGISTRAR), holder(offices.SPEAKER), holder(offices.CODIFIER)];
  const bills: NamedBill[] = [...BALLOT];

  async function adopt(address: string, { nodes, law }: NamedBill): Promise<FuzzMission> {
    const clone = await ethers.getContractAt("CollaborationContract", address);
    const mission = new FuzzMission(founded, clone, nodes, law, legislature);
    mission.issuers = founded.issuers;
    mission.random = random.fork("hands", missions.length);
    missions.push(mission);
    return mission;
  }

  async function enact(law: NamedBill, support?: Support): Promise<FuzzMission> {
    return legislate(await steps.toProposing(DEPOSIT), law, support);
  }

  async function enactChild(session: bigint): Promise<FuzzMission> {
    const { goalHash, deposit } = await legislation.sessionOf(session);
    const header = { goalHash: hexSchema.parse(goalHash), budget: deposit, duration: 43_200 };
    const law = bill(childOf(deposit), 0, `child ${session}`, header);
    bills.push(law);
    await legislation.connect(registrar).confirmIdentities(session, ZeroHash);
    return legislate(session, law);
  }

  async function legislate(
    session: bigint,
    law: NamedBill,
    { voters = 8, sponsors = 5, suspects = 0 }: Support = {},
  ): Promise<FuzzMission> {
    const candidate = await steps.propose(session, 0, law.specHash, sponsors);
    // Whatever changes while a session is open does not change its law.
    await setParameter(founded, "PROTOCOL_FEE_RATE", 150 + missions.length);
    await legislation.connect(speaker).openVoting(session);
    const order = [candidate, ...Array.from({ length: candidate }, (_, entry) => entry)];
    const able = [];
    for (const voter of founded.voters) if (await founded.producers.isEligible(voter.address, Kind.PRODUCER)) able.push(voter);
    // The last one is of another mind.
    const mindOf = (index: number) => (index === able.length - 1 ? [...order].reverse() : order);
    const ballots = await Promise.all(able.slice(0, voters).map((voter, index) => steps.ballot(session, voter, mindOf(index))));
    await legislation.castBallots(session, ballots);
    // Nobody should be able to: a second ballot, otherwise.
    for (const voter of able.slice(0, 1)) {
      await tried(async () => legislation.castBallots(session, [await steps.ballot(session, voter, [...order].reverse())]));
    }
    if (suspects > 1) {
      const [leader = "", ...members] = able.slice(0, suspects).map(({ address }) => address);
      await legislation.connect(holder(offices.REGULATOR)).flagBloc(session, leader, members);
    }
    if (ballots.length < 8) await networkHelpers.time.increase(PROPOSAL + 1n);
    await legislation.tally(session);
    await legislation.validate(session, law.law, law.docHash, steps.witnesses());
    await legislation.connect(codifier).codify(session, [await steps.delegate(session, law.specHash)]);
    const regulators = offices.REGULATOR.map((wallet) => ["REGULATOR", wallet] as const);
    const signatures = await steps.approvals(session, law.specHash, [["SPEAKER", speaker], ...regulators]);
    const [other] = BALLOT.filter((bill) => bill !== law);
    // Nobody should be able to: another law under the same signatures.
    const swapped = other !== undefined && (await tried(() => legislation.approve(session, other.law, other.docHash, signatures)));
    if (!swapped) await legislation.approve(session, law.law, law.docHash, signatures);
    return adopt((await legislation.sessionOf(session)).mission, law);
  }

  const words: { since: number; word: keyof typeof Mood }[] = [{ since: 0, word: "YES" }];
  async function say(word: keyof typeof Mood): Promise<void> {
    await founded.oracle.getFunction("become")(Mood[word]);
    words.push({ since: await ethers.provider.getBlockNumber(), word });
  }
  const said = (block: number) => words.findLast(({ since }) => since <= block)?.word ?? "YES";

  const trial = () => undefined;
  return { ...founded, random, missions, bills, say, said, trial, adopt, enact, enactChild };
}

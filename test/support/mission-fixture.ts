/**
 * A city with people in it and one mission under way: everything the market and a clone need, driven call by call. Only the session
 * is skipped: the clone is deployed *as* the legislature, with its law, and funded by its sponsor.
 */
import { id, TypedDataEncoder, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import hre from "hardhat";
import type { Address, Hex } from "viem";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { bitmapOf } from "../../orchestrator/primitives/bitmap.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { actionNumber, encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { evidenceKinds } from "../../orchestrator/protocol/evidence.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { typesOf } from "../../orchestrator/protocol/typed-data.ts";
import { EvidenceClass, REFUTATION } from "../../orchestrator/rules/admissibility.ts";
import { type Admitted, servicesRootOf } from "../../orchestrator/rules/admissions.ts";
import { commitmentOf, evidenceLeafOf, nodeCommitmentOf, type Opening, workHashOf } from "../../orchestrator/rules/commitments.ts";
import { Band, cloneArgs, encodeLaw, type LawNode, Risk } from "../../orchestrator/rules/law-codec.ts";
import type { MissionParams } from "../../orchestrator/rules/mission-params-codec.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import {
  type CommitWave,
  clearWaveOf,
  encodeClearWave,
  encodeCommitWave,
  encodeRevealWave,
  placeKey,
} from "../../orchestrator/rules/wire.ts";
import { admittedIn, shownBy } from "./admitted.ts";
import {
  type AgentOptions,
  type City,
  EVERYTHING,
  ethers,
  Kind,
  keyOf,
  loadCity,
  loadFixture,
  networkHelpers,
  type OfferedService,
  Office,
  tokens,
} from "./city-fixture.ts";
import { judgedBy, stopData } from "./orders.ts";

/** Positions in the Solidity enums. */
export const MissionState = {
  PENDING: 0n,
  ACTIVE: 1n,
  EXECUTING: 2n,
  VERIFICATION: 3n,
  DEGRADED: 4n,
  COMPLETED: 5n,
  FAILED: 6n,
  ABORTED: 7n,
};
export const NodeState = {
  WAITING: 0n,
  ELIGIBLE: 1n,
  EXECUTING: 2n,
  PENDING_VERIFICATION: 3n,
  PENDING_REVIEW: 4n,
  FROZEN: 5n,
  COMPLETED: 6n,
  FAILED: 7n,
};
export const Result = { ABSTAIN: 0, PASS: 1, FAIL: 2 } as const;
export const Clearing = { NONE: 0, PASS: 1, FAIL: 2, DISPUTED: 3, UNVERIFIABLE: 4 } as const;
export const Action = {
  FREEZE: actionNumber("FREEZE"),
  UNFREEZE: actionNumber("UNFREEZE"),
  RESUME_WITH_AMENDMENT: actionNumber("RESUME_WITH_AMENDMENT"),
  TERMINATE_MISSION: actionNumber("TERMINATE_MISSION"),
  APPROVE_POP: actionNumber("APPROVE_POP"),
  REJECT_POP: actionNumber("REJECT_POP"),
  CLASSIFY_FALSE_POSITIVE: actionNumber("CLASSIFY_FALSE_POSITIVE"),
  EMERGENCY_STOP: actionNumber("EMERGENCY_STOP"),
  CLEAR_EMERGENCY_STOP: actionNumber("CLEAR_EMERGENCY_STOP"),
  VETO_OUTPUT: actionNumber("VETO_OUTPUT"),
  RELEASE_OUTPUT: actionNumber("RELEASE_OUTPUT"),
  RESOLVE_APPEAL: actionNumber("RESOLVE_APPEAL"),
  FAULT_SLOTS: actionNumber("FAULT_SLOTS"),
};

const PRODUCING = 4;
const VERIFYING = 2;
export const BIDDING_WINDOW = 60n;
export const HOUR = 3600n;

const hex = (text: string): Hex => hexSchema.parse(text);
const address = (text: string): Address => addressSchema.parse(text);

/** What a clone of these tests enforces: an hour's appeal window in band MODERATE, none in LOW. */
export const PARAMS: MissionParams = {
  verificationTimeout: 300,
  maxHumanReviewTimeout: 3600,
  baseEscalationWindow: 1200,
  maxRefinementIterations: 3,
  escalationFreezeCount: 3,
  reputationScaling: true,
  reputationScalingBonus: 3,
  protocolFeeRate: 200,
  insuranceReserveRate: 100,
  reputationMultiplierAlpha: 500,
  predicateGasLimit: 200_000,
  appealWindows: [0, 60, 1440, 4320],
  minConfidence: [6000, 7000, 8000],
  edition: 0,
};

/** A tier-1 leaf of 100 tokens with one verifier, appealable for an hour. */
export const TASK: LawNode = {
  predecessors: 0n,
  tier: 1,
  redundancy: 1,
  threshold: 1,
  risk: Risk.LOW,
  floor: EvidenceClass.ATT,
  questions: 1,
  leaf: true,
  band: Band.MODERATE,
  panelSize: 1,
  timeout: 60,
  reviewWindow: 900,
  budget: tokens(100),
  predicate: 0,
  capabilities: 0n,
  anyCode: false,
};

/** The reference mission: four shards, three classifications by three executors each, one report for a human. */
export const FOUR_THREE_ONE: LawNode[] = [
  ...Array.from({ length: 4 }, () => TASK),
  ...Array.from({ length: 3 }, (): LawNode => ({ ...TASK, predecessors: 0b1111n, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 })),
  { ...TASK, predecessors: 0b1110000n, tier: 3 },
];

export interface MissionOptions {
  nodes?: LawNode[];
  params?: Partial<MissionParams>;
  duration?: number;
  outputPredicate?: number;
  /** Hybrid mode; none unless told. */
  anchorInterval?: number;
  /** What the law admits; else the one code of the tests. */
  admitted?: readonly Admitted[];
  /** Kept in the escrow without belonging to a node. */
  reserve?: bigint;
}

export interface VerdictOptions {
  result?: number;
  confidence?: number;
  score?: number;
  /** Slots found in agreement, tier 2. */
  agreeing?: number;
  basis?: bigint;
  question?: number;
}

export interface ClearOptions extends VerdictOptions {
  /** Leaves out this many panel members. */
  absent?: number;
  /** Hands in no evidence: every item stays SIGN. */
  unproven?: boolean;
  /** Each member answers all of these. */
  questions?: readonly number[];
  /** What a member says that is not what all say. */
  says?: (member: string, place: number) => VerdictOptions;
}

interface Worker extends OfferedService {
  readonly agent: Wallet;
}

/** Two producers for each of four principals, five verifiers of two others, an issuer, a runner, a monitor, a regulator. */
async function peopledCity() {
  const city = await loadCity();
  const { constitution, evidence, clerks } = city;
  const set = (name: Parameters<typeof parameterIndex>[0], value: bigint) => constitution.setParam(parameterIndex(name), value, ZeroHash);
  await set("BIDDING_WINDOW", BIDDING_WINDOW);
  await set("PARTIAL_RELEG_BIDDING_TIMEOUT", BIDDING_WINDOW);

  const workers: Worker[] = [];
  for (let i = 0; i < 2 * PRODUCING; i++) {
    const principal = await city.account(`principal ${i % PRODUCING}`);
    const { agent } = await city.register(`producer ${i}`, { principal, stake: tokens(10_000), capabilities: EVERYTHING });
    workers.push({ agent, ...(await city.offerService(agent, `${i}`)) });
  }
  const verifiers = new Map<string, Wallet>();
  for (let i = 0; i < 5; i++) {
    const principal = await city.account(`verifying principal ${i % VERIFYING}`);
    const { agent } = await city.register(`verifier ${i}`, { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
    await evidence.registerVerifier(agent.address, 100);
    verifiers.set(agent.address, agent);
  }
  const issuer = await city.account("issuer");
  await evidence.registerIssuer(issuer.address, keyOf("issuer's principal").address, 1 << EvidenceClass.ATT);
  const runner = await city.account("runner");
  await evidence.registerRunner(runner.address, keyOf("runner's principal").address);
  const monitor = await city.account("monitor");
  await evidence.registerMonitor(monitor.address, keyOf("monitor's principal").address);
  const regulator = await city.account("regulator");
  await clerks.appoint(Office.REGULATOR, regulator.address, keyOf("regulator's principal").address);
  const execution = await ethers.getContractAt("ExecutionProcedure", city.addresses.EXECUTION);
  await clerks.setEnvelope(Office.REGULATOR, [execution.interface.getFunction("awardEarly").selector], 64);

  const templates = await ethers.getContractAt("TemplateRegistry", city.addresses.TEMPLATES);
  const libraries = await librariesOf("CollaborationContract");
  const implementation = await ethers.deployContract("CollaborationContract", [constitution], { libraries });
  await templates.publish(id("collaboration"), implementation, id("audit"));
  const sponsor = await city.account("sponsor");
  // Premiums need something in the treasury to be paid from.
  await city.fund(sponsor, city.addresses.TREASURY, tokens(10_000));
  await city.treasury.connect(sponsor).deposit(tokens(10_000), 0, id("seed"));
  return { ...city, workers, verifiers, issuer, runner, monitor, regulator, execution, templates, implementation, sponsor };
}

export type PeopledCity = Awaited<ReturnType<typeof peopledCity>>;

export const loadPeopledCity = (): Promise<PeopledCity> => loadFixture(peopledCity);

/** Deploys and funds a mission in a fresh, peopled city. */
export async function openMission(options: MissionOptions = {}) {
  const city = await loadPeopledCity();
  // The fixture's own stays as it is, whoever a test seats.
  return openMissionIn({ ...city, verifiers: new Map(city.verifiers) }, options);
}

/** Deploys and funds a further mission; a city's sessions differ. */
export async function openMissionIn(city: PeopledCity, options: MissionOptions = {}, session = 1n) {
  const nodes = options.nodes ?? [TASK];
  const budget = nodes.reduce((sum, node) => sum + node.budget, options.reserve ?? 0n);
  const admitted = options.admitted ?? admittedIn(nodes);
  const law = encodeLaw(
    {
      nodeCount: nodes.length,
      risk: Risk.LOW,
      duration: options.duration ?? 604_800,
      budget,
      outputPredicate: options.outputPredicate ?? 0,
      anchorInterval: options.anchorInterval ?? 0,
      goalHash: hex(id("goal")),
      inputHash: hex(id("input")),
      servicesRoot: servicesRootOf(admitted),
    },
    nodes,
  );
  const args = cloneArgs(law, {
    params: { ...PARAMS, ...options.params },
    docHash: hex(id("document")),
    session,
    sponsor: address(city.sponsor.address),
    deployedAt: Number(await city.now()),
  });
  const legislature = await city.as("LEGISLATION");
  const at = await city.templates.predict(id("collaboration"), 1, args, session);
  await city.templates.connect(legislature).deploy(id("collaboration"), 1, args, session);
  const mission = await ethers.getContractAt("CollaborationContract", at);
  await city.token.mint(at, budget);
  return new Mission(city, mission, nodes, law, legislature, admitted);
}

type Clone = Awaited<ReturnType<typeof cloneAt>>;
const cloneAt = (at: string) => ethers.getContractAt("CollaborationContract", at);

/** One mission and the keys of everyone in it. */
export class Mission {
  readonly city: PeopledCity;
  readonly contract: Clone;
  readonly nodes: readonly LawNode[];
  readonly law: Hex;
  readonly legislature: Awaited<ReturnType<City["as"]>>;
  readonly admitted: readonly Admitted[];
  /** Who vouches for the one item of every slot, and in what class. */
  evidence: { issuer: string; class: EvidenceClass };
  #salt = 0;
  readonly #openings = new Map<string, Opening>();

  constructor(
    city: PeopledCity,
    contract: Clone,
    nodes: readonly LawNode[],
    law: Hex,
    legislature: Awaited<ReturnType<City["as"]>>,
    admitted = admittedIn(nodes),
  ) {
    this.city = city;
    this.contract = contract;
    this.nodes = nodes;
    this.law = law;
    this.legislature = legislature;
    this.admitted = admitted;
    this.evidence = { issuer: city.issuer.address, class: EvidenceClass.ATT };
  }

  get address(): string {
    return String(this.contract.target);
  }

  /** `drafter`: the Speaker's house, where its office drafted the law. */
  async activate(drafter = ZeroAddress): Promise<this> {
    await this.contract.connect(this.legislature).activate();
    await this.city.execution.connect(this.legislature).openMarket(this.address, drafter);
    return this;
  }

  node(node: number): LawNode {
    const law = this.nodes[node];
    if (law === undefined) throw new Error(`no node ${node}`);
    return law;
  }

  worker(index: number): Worker {
    const worker = this.city.workers[index];
    if (worker === undefined) throw new Error(`no worker ${index}`);
    return worker;
  }

  workerOf(agent: string): Worker {
    const worker = this.city.workers.find((one) => one.agent.address === agent);
    if (worker === undefined) throw new Error(`${agent} is no worker`);
    return worker;
  }

  /** Somebody new who can do everything, with a service of its own; none of the city's workers. */
  async newcomer(name: string, options: Pick<AgentOptions, "principal" | "capabilities"> = {}): Promise<Worker> {
    const { agent } = await this.city.register(name, { capabilities: EVERYTHING, ...options });
    return { agent, ...(await this.city.offerService(agent, name)) };
  }

  async soon(): Promise<bigint> {
    return (await this.city.now()) + HOUR;
  }

  // --- market ---

  /** A bid of worker `index`, at the slot's whole budget unless told otherwise. */
  async bid(node: number, index: number, price?: bigint) {
    return this.bidAs(this.worker(index), node, price);
  }

  /** The same for anybody. */
  async bidAs(worker: Worker, node: number, price?: bigint) {
    const { offer, auth, admission } = await this.signedBidOf(worker, node, price);
    return this.city.execution.connect(this.city.deployer).bid(offer, auth, admission);
  }

  /** What such a bid is sent with; `before` are bids of the agent that are not sent yet. */
  async signedBid(node: number, index: number, price?: bigint, before = 0n) {
    return this.signedBidOf(this.worker(index), node, price, before);
  }

  private async signedBidOf({ agent, service, record }: Worker, node: number, price?: bigint, before = 0n) {
    const { budget, redundancy } = this.node(node);
    const offer = { mission: this.address, node, service, price: price ?? budget / BigInt(redundancy) };
    const auth = { agent: agent.address, deadline: await this.soon(), signature: "0x" };
    const nonce = (await this.city.execution.nonceOf(agent.address)) + before;
    const message = { ...offer, agent: agent.address, nonce, deadline: auth.deadline };
    auth.signature = await this.city.sign("Bid", this.city.addresses.EXECUTION, message, agent);
    return { offer, auth, admission: this.shownBy(record, node) };
  }

  /** What a bid with that service shows. */
  shownBy(record: OfferedService["record"], node: number) {
    const { proof, ...shown } = shownBy(this.admitted, record, node);
    return { ...shown, proof: [...proof] };
  }

  async closeMarket(): Promise<void> {
    await networkHelpers.time.increase(BIDDING_WINDOW);
  }

  /** Workers 0–3, one per principal, bid for every node; all are awarded. */
  async awardAll(): Promise<this> {
    const nodes = this.nodes.map((_, node) => node);
    for (const node of nodes) for (let w = 0; w < PRODUCING; w++) await this.bid(node, (w + node) % PRODUCING);
    await this.closeMarket();
    await this.city.execution.award(this.address, nodes);
    return this;
  }

  // --- execution ---

  async executorOf(node: number, slot = 0): Promise<Worker> {
    return this.workerOf((await this.contract.slotOf(node, slot)).agent);
  }

  /** Arguments of `route`: a runner's word for every slot of these nodes, or for some; `signer` signs instead of the runner it names. */
  async start(nodes: readonly number[], options: { slots?: readonly number[]; key?: Wallet; signer?: Wallet } = {}) {
    const key = options.key ?? this.city.runner;
    const slots: bigint[] = [];
    for (const node of [...nodes].sort((a, b) => a - b)) {
      const attempt = Number((await this.contract.nodeOf(node)).attempt);
      const own = options.slots ?? Array.from({ length: this.node(node).redundancy }, (_, slot) => slot);
      slots.push(...own.map((slot) => placeKey({ node, attempt, slot })));
    }
    const message = { runner: key.address, slots, deadline: await this.soon() };
    const signature = await this.city.sign("Start", this.address, message, options.signer ?? key);
    return [bitmapOf(nodes), { ...message, signature }] as const;
  }

  /** Arguments of `mismatch`: a runner saw other code live than the slot's service has. */
  async otherCode(node: number, options: { slot?: number; hash?: string; key?: Wallet } = {}) {
    const { attempt } = await this.contract.nodeOf(node);
    const { slot = 0, hash = id("other code"), key = this.city.runner } = options;
    const { service, record } = await this.executorOf(node, slot);
    const live = { mission: this.address, node, slot, attempt, service, hash };
    const message = { ...live, deadline: await this.soon(), runner: key.address };
    return [{ ...message, signature: await this.city.sign("LiveHash", this.address, message, key) }, record] as const;
  }

  async route(...nodes: number[]) {
    return this.contract.route(...(await this.start(nodes)));
  }

  /** What a slot has to show: one ATT item. The same again when asked again for the same attempt. */
  async opening(node: number, slot = 0): Promise<Opening> {
    const { attempt } = await this.contract.nodeOf(node);
    const key = `${node}/${attempt}/${slot}`;
    const known = this.#openings.get(key);
    if (known !== undefined) return known;
    const entry = evidenceLeafOf(hex(await this.contract.obligationOf(node)), this.#item(node, slot));
    const opening: Opening = {
      salt: hex(id(`salt ${this.#salt++}`)),
      outputHash: hex(id(`output ${node}`)),
      trailRoot: hex(id(`trail ${key}`)),
      envelopeRoot: merkleRoot([entry]),
      items: 1,
      classes: BigInt(this.evidence.class),
    };
    this.#openings.set(key, opening);
    return opening;
  }

  #item(node: number, slot: number) {
    return {
      slot,
      index: 0,
      kind: 1,
      payload: hex(id(`payload ${node}`)),
      issuer: address(this.evidence.issuer),
      class: this.evidence.class,
    };
  }

  async item(node: number, slot: number, key: Wallet = this.city.issuer) {
    const obligation = hex(await this.contract.obligationOf(node));
    const item = this.#item(node, slot);
    const signature = await this.city.sign("Evidences", this.address, { issuer: item.issuer, items: [{ ...item, obligation }] }, key);
    return { ...item, proof: inclusionProof([evidenceLeafOf(obligation, item)], 0), signature };
  }

  /** Another issuer of class ATT, of a principal of its own unless told otherwise. */
  async furtherIssuer(name: string, principal = keyOf(`${name}'s principal`)): Promise<Wallet> {
    const issuer = await this.city.account(name);
    await this.city.evidence.registerIssuer(issuer.address, principal.address, 1 << EvidenceClass.ATT);
    return issuer;
  }

  /** An issuer's word that it got something else than the node's only executor committed. */
  async refutation(node: number, by: Wallet, over: { payload?: string; class?: EvidenceClass } = {}) {
    const issuer = address(by.address);
    const payload = hex(over.payload ?? (await this.contract.pledgeOf(node, 0)));
    const proof: readonly Hex[] = [];
    const item = { slot: 0, index: REFUTATION, kind: evidenceKinds.REFUTATION, payload, issuer, class: over.class ?? EvidenceClass.ATT };
    const items = [{ ...item, obligation: await this.contract.obligationOf(node) }];
    return { ...item, proof, signature: hex(await this.city.sign("Evidences", this.address, { issuer, items }, by)) };
  }

  async commitmentOf(node: number, slot = 0): Promise<Hex> {
    const { agent } = await this.executorOf(node, slot);
    return commitmentOf(address(agent.address), await this.opening(node, slot), hex(await this.contract.obligationOf(node)));
  }

  /** Tier 1 and 3: commits openly. Tier 2: commits sealed. */
  async commit(node: number, slot = 0) {
    const { agent } = await this.executorOf(node, slot);
    const { attempt } = await this.contract.nodeOf(node);
    const commitment = await this.commitmentOf(node, slot);
    const deadline = await this.soon();
    const message = { agent: agent.address, node, slot, attempt, commitment, deadline };
    const signature = await this.city.sign("Commit", this.address, message, agent);
    if (this.node(node).tier === 2) return this.contract.commit(node, slot, commitment, deadline, signature);
    return this.contract.commitOpen(node, slot, await this.opening(node, slot), deadline, signature);
  }

  async reveal(node: number, slot: number) {
    return this.contract.reveal(node, slot, await this.opening(node, slot));
  }

  /** Commits, and reveals if sealed, every slot. */
  async work(node: number): Promise<void> {
    const slots = Array.from({ length: this.node(node).redundancy }, (_, slot) => slot);
    for (const slot of slots) await this.commit(node, slot);
    if (this.node(node).tier === 2) for (const slot of slots) await this.reveal(node, slot);
  }

  /** Commitments of these slots as one wave, each executor's under one signature; `change` may spoil it before it is packed. */
  async commitWave(
    places: readonly (readonly [node: number, slot: number])[],
    change = (wave: CommitWave): CommitWave => wave,
  ): Promise<Hex> {
    const deadline = Number(await this.soon());
    const made = [];
    for (const [node, slot] of places) {
      const { agent } = await this.executorOf(node, slot);
      const attempt = Number((await this.contract.nodeOf(node)).attempt);
      const [opening, commitment] = [await this.opening(node, slot), await this.commitmentOf(node, slot)];
      made.push({ agent, opening, commitment, place: { node, slot, attempt } });
    }
    const agents = [...new Map(made.map(({ agent }) => [agent.address, agent])).values()];
    const signers = [];
    for (const agent of agents) {
      const own = made.filter((one) => one.agent.address === agent.address);
      const message = {
        agent: agent.address,
        slots: own.map(({ place }) => placeKey(place)),
        commitments: own.map(({ commitment }) => commitment),
        deadline,
      };
      signers.push({
        agent: address(agent.address),
        deadline,
        signature: hex(await this.city.sign("Commits", this.address, message, agent)),
      });
    }
    const pledges = made.map(({ agent, opening, commitment, place }) => {
      const head = { ...place, signer: agents.findIndex((one) => one.address === agent.address) };
      return this.node(place.node).tier === 2 ? { ...head, commitment } : { ...head, opening };
    });
    return encodeCommitWave(change({ signers, pledges }));
  }

  /** Openings of these slots as one wave. */
  async revealWave(places: readonly (readonly [node: number, slot: number])[]): Promise<Hex> {
    const reveals = [];
    for (const [node, slot] of places) {
      const attempt = Number((await this.contract.nodeOf(node)).attempt);
      reveals.push({ node, slot, attempt, opening: await this.opening(node, slot) });
    }
    return encodeRevealWave(reveals);
  }

  /** Every slot of these nodes, in the order of the law. */
  places(nodes: readonly number[]): (readonly [node: number, slot: number])[] {
    return nodes.flatMap((node) => Array.from({ length: this.node(node).redundancy }, (_, slot) => [node, slot] as const));
  }

  /** What was worked off chain, as a runner takes it on chain; `signer` signs instead of the runner it names. */
  async wave(nodes: readonly number[], options: { previous?: string; key?: Wallet; signer?: Wallet } = {}) {
    const key = options.key ?? this.city.runner;
    const deadline = await this.soon();
    const entries: Hex[] = [];
    const pledges = [];
    for (const node of nodes) {
      const { attempt } = await this.contract.nodeOf(node);
      const openings = [];
      const signatures = [];
      for (let slot = 0; slot < this.node(node).redundancy; slot++) {
        const { agent } = await this.executorOf(node, slot);
        const commitment = await this.commitmentOf(node, slot);
        const message = { agent: agent.address, node, slot, attempt, commitment, deadline };
        entries.push(hex(await this.contract.pledgeOf(node, slot)), commitment);
        openings.push(await this.opening(node, slot));
        signatures.push(await this.city.sign("Commit", this.address, message, agent));
      }
      pledges.push({ node, openings, signatures });
    }
    const previous = options.previous ?? (await this.contract.checkpointed());
    const said = { runner: key.address, previous, root: id(`log ${nodes.join()}`), deadline };
    const message = { ...said, work: workHashOf(entries) };
    return { ...said, pledges, signature: await this.city.sign("Checkpoint", this.address, message, options.signer ?? key) };
  }

  // --- clearing ---

  async present(node: number): Promise<number[]> {
    const { commitMask } = await this.contract.nodeOf(node);
    return Array.from({ length: this.node(node).redundancy }, (_, slot) => slot).filter((slot) => (commitMask >> BigInt(slot)) & 1n);
  }

  async verdict(node: number, verifier: string, options: VerdictOptions = {}) {
    const key = this.city.verifiers.get(verifier);
    if (key === undefined) throw new Error(`${verifier} is no verifier`);
    const present = await this.present(node);
    const commitments: Hex[] = [];
    for (let slot = 0; slot < this.node(node).redundancy; slot++) {
      commitments.push(present.includes(slot) ? hex(await this.contract.pledgeOf(node, slot)) : hex(ZeroHash));
    }
    const verdict = {
      obligation: await this.contract.obligationOf(node),
      commitment: nodeCommitmentOf(commitments),
      draw: (await this.contract.nodeOf(node)).drawBlock,
      question: options.question ?? 0,
      result: options.result ?? Result.PASS,
      confidence: options.confidence ?? 9000,
      score: options.score ?? 10_000,
      basis: options.basis ?? present.reduce((basis, slot) => basis | (1n << BigInt(32 * slot)), 0n),
      agreeing: options.agreeing ?? present.reduce((mask, slot) => mask | (1 << slot), 0),
    };
    const deadline = await this.soon();
    const signature = await this.city.sign("Verdicts", this.address, { verifier, verdicts: [verdict], deadline }, key);
    return { verifier, ...verdict, deadline, signature };
  }

  /** A verdict as whoever heard it shows it. */
  async signedVerdict(node: number, verifier: string, options: VerdictOptions = {}) {
    const { verifier: _, deadline, signature, ...verdict } = await this.verdict(node, verifier, options);
    return { verdict, list: [TypedDataEncoder.from(typesOf("Verdict")).hash(verdict)], place: 0, deadline, signature };
  }

  async clearOrder(node: number, options: ClearOptions = {}) {
    const panel = [...(await this.contract.panelOf(node))];
    const verdicts = [];
    for (const [place, verifier] of panel.slice(options.absent ?? 0).entries()) {
      for (const question of options.questions ?? [options.question ?? 0])
        verdicts.push(await this.verdict(node, verifier, { ...options, question, ...options.says?.(verifier, place) }));
    }
    const openings = [];
    for (let slot = 0; slot < this.node(node).redundancy; slot++) openings.push(await this.opening(node, slot));
    const items = [];
    for (const slot of options.unproven === true ? [] : await this.present(node)) items.push(await this.item(node, slot));
    return { node, openings, verdicts, items };
  }

  /** The same of several nodes as one wave, each issuer's and each verifier's part under one signature. */
  async clearWave(nodes: readonly number[], options: ClearOptions = {}): Promise<Hex> {
    const orders = [];
    for (const node of nodes) orders.push(await this.clearOrder(node, options));
    const items = orders.flatMap((order) => order.items);
    const obligations = new Map<unknown, Hex>();
    for (const order of orders) {
      const obligation = hex(await this.contract.obligationOf(order.node));
      for (const item of order.items) obligations.set(item, obligation);
    }
    for (const issuer of new Set(items.map((item) => item.issuer))) {
      const own = items.filter((item) => item.issuer === issuer);
      const list = own.map((item) => ({ ...item, obligation: obligations.get(item) }));
      const signature = await this.city.sign("Evidences", this.address, { issuer, items: list }, this.city.issuer);
      for (const item of own) item.signature = signature;
    }
    const verdicts = orders.flatMap((order) => order.verdicts);
    for (const [verifier, key] of this.city.verifiers) {
      const own = verdicts.filter((verdict) => verdict.verifier === verifier);
      const deadline = await this.soon();
      const signature = await this.city.sign("Verdicts", this.address, { verifier, verdicts: own, deadline }, key);
      for (const verdict of own) [verdict.deadline, verdict.signature] = [deadline, signature];
    }
    return packed(...orders);
  }

  /** In a later block than the last commitment. */
  async clear(node: number, options: ClearOptions = {}) {
    await networkHelpers.mine();
    return this.contract.clear(packed(await this.clearOrder(node, options)));
  }

  /** From routing to a decision. */
  async run(node: number, options: ClearOptions = {}) {
    await this.route(node);
    await this.work(node);
    return this.clear(node, options);
  }

  /** Ends it: what was committed and nobody decides is decided by its clocks first. */
  async abort(): Promise<void> {
    await this.contract.abort();
    while ((await this.contract.state()) < MissionState.COMPLETED) {
      const nodes = await Promise.all([...this.nodes.keys()].map((node) => this.contract.nodeOf(node)));
      const node = nodes.findIndex(({ state, commitMask }) => commitMask !== 0n && state < NodeState.COMPLETED);
      if (node < 0) return void (await this.contract.abort());
      const { suspendedUntil } = await this.contract.watch();
      const until = suspendedUntil === 0n ? (nodes[node]?.deadline ?? 0n) : suspendedUntil;
      if ((await this.city.now()) < until) await networkHelpers.time.increaseTo(until);
      await (suspendedUntil === 0n ? this.contract.timeout(node) : this.contract.lapse());
    }
  }

  /** What APPROVE_POP carries: slot 0's opening, its item as proof unless `items` says otherwise, its basis. */
  async approval(node: number, share = 10_000, items?: []): Promise<Hex> {
    const item = await this.item(node, 0);
    const proven = items ?? [{ ...item, signature: hex(item.signature) }];
    return encodeActionData("APPROVE_POP", [1n, share, [await this.opening(node)], proven]);
  }

  /** What RELEASE_OUTPUT carries: a slot's opening. */
  async release(node: number, slot = 0): Promise<Hex> {
    return encodeActionData("RELEASE_OUTPUT", [slot, await this.opening(node, slot)]);
  }

  /** As the override panel. */
  async override(action: number, node: number, data = "0x") {
    const judged = await judgedBy(this.contract, action, node);
    return this.contract
      .connect(await this.city.as("ADJUDICATION"))
      .onOverride(action, node, this.address, await stopData(this.contract, action, node, data), judged);
  }

  /** A party's signature under its appeal, for whoever hands it in. */
  async signedAppeal(
    key: Wallet,
    over: { appellant?: string; node?: number; attempt?: number; evidence?: string; deadline?: bigint } = {},
  ) {
    const message = { appellant: key.address, node: 0, attempt: 0, evidence: id("evidence"), deadline: await this.soon(), ...over };
    return { agent: message.appellant, deadline: message.deadline, signature: await this.city.sign("Appeal", this.address, message, key) };
  }

  // --- money ---

  /** deposit = paid + fees + insurance + discount + refunded + children + held, and what is held covers what is owed. */
  async imbalance(): Promise<string> {
    const l = await this.contract.ledger();
    const balance = (await this.city.token.balanceOf(this.address)) - l.bonds;
    const out = l.paid + l.fees + l.insurance + l.discount + l.refunded + l.children;
    if (l.deposit !== out + balance) return `deposit ${l.deposit} ≠ out ${out} + held ${balance}`;
    if (balance < l.entitled + l.refundable) return `held ${balance} < entitled ${l.entitled} + refundable ${l.refundable}`;
    return "";
  }

  async stateOf(node: number): Promise<bigint> {
    return (await this.contract.nodeOf(node)).state;
  }
}

/** An order as tests make it: numbers of any kind. */
interface LooseOrder {
  readonly node: number;
  readonly openings: readonly Opening[];
  readonly verdicts: readonly {
    readonly verifier: string;
    readonly question: number;
    readonly result: number;
    readonly confidence: number;
    readonly score: number;
    readonly basis: bigint;
    readonly agreeing: number;
    readonly deadline: bigint;
    readonly signature: string;
  }[];
  readonly items: readonly {
    readonly slot: number;
    readonly index: number;
    readonly kind: number;
    readonly payload: string;
    readonly issuer: string;
    readonly class: number;
    readonly proof: readonly string[];
    readonly signature: string;
  }[];
}

const SIGNATURE_DIGITS = 130;

/** Bytes of `clear`, `previewClear` and `post`. Verifiers' signatures are as long as signatures are. */
export function packed(...orders: readonly LooseOrder[]): Hex {
  return encodeClearWave(
    clearWaveOf(
      orders.map(({ node, openings, verdicts, items }) => ({
        node,
        openings,
        verdicts: verdicts.map((verdict) => ({
          ...verdict,
          verifier: address(verdict.verifier),
          deadline: Number(verdict.deadline),
          signature: hex(`0x${verdict.signature.slice(2).padEnd(SIGNATURE_DIGITS, "0")}`),
        })),
        items: items.map((item) => ({
          ...item,
          payload: hex(item.payload),
          issuer: address(item.issuer),
          proof: item.proof.map(hex),
          signature: hex(item.signature),
        })),
      })),
    ),
  );
}

/** Arguments of `route` for a node where nobody is to start: one that is no leaf, or whose slots have all committed. */
export const onward = (node: number) =>
  [bitmapOf([node]), { runner: ZeroAddress, slots: [] as bigint[], deadline: 0n, signature: "0x" }] as const;

/** Of a contract, deployed, and theirs. */
export async function librariesOf(name: string): Promise<Record<string, string>> {
  const { linkReferences } = await hre.artifacts.readArtifact(name);
  const libraries: Record<string, string> = {};
  for (const library of Object.values(linkReferences).flatMap((file) => Object.keys(file))) {
    const deployed = await ethers.deployContract(library, [], { libraries: await librariesOf(library) });
    libraries[library] = await deployed.getAddress();
  }
  return libraries;
}

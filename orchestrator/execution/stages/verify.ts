import { zeroHash } from "viem";
import { z } from "zod";
import { collaborationContractAbi } from "../../chain/abi/CollaborationContract.ts";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { saidSchema } from "../../clearing/findings.ts";
import type { Judgement, Submission } from "../../clearing/judgement.ts";
import { askJudge, type Judge } from "../../clearing/mesh.ts";
import type { CityClient } from "../../client/client.ts";
import { envelopeRootOf } from "../../client/openings.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { SeatAbsent, unlessAbsent } from "../../minds/absence.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { TIER } from "../../primitives/tier.ts";
import { ITEMS_PER_SLOT } from "../../protocol/evidence.ts";
import { panelKinds } from "../../protocol/verifier-kinds.ts";
import { EvidenceClass, geq, REFUTED } from "../../rules/admissibility.ts";
import { drawnWeight } from "../../rules/clearing.ts";
import { nodeCommitmentOf, type Opening } from "../../rules/commitments.ts";
import { clearWaveOf, encodeClearWave } from "../../rules/wire.ts";
import { batched } from "../batches.ts";
import { type NodeView, viewNodes } from "../chain-view.ts";
import { clearingRecordSchema, engineOf, makeClearingRecord, type Panel, sealerOf } from "../clearing-record.ts";
import { provenItem, type SignedItem, type Word } from "../evidence.ts";
import { judgementsOn, type Member, problemOfFindings, verdictOf } from "../judging.ts";
import { boundTerms } from "../obligations.ts";
import { openingsOnChain } from "../opened-work.ts";
import { originOf } from "../origin.ts";
import { refutationsOf } from "../refuting.ts";
import { showSchemas } from "../schema-gate.ts";
import type { Brief, Signing, Verifier } from "../seat.ts";
import { freedBy } from "../succession.ts";
import { isVouched } from "../vouched.ts";
import { attemptKey, inputOf, readOutput } from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";
import { type Envelope, envelopeIfAny, obligationOf } from "./commit.ts";
import { startOf } from "./orchestrate.ts";

/** Validity of a verdict, seconds of chain time. */
const VERDICT_VALIDITY = 3600n;
const NO_OPENING: Opening = { salt: zeroHash, outputHash: zeroHash, trailRoot: zeroHash, envelopeRoot: zeroHash, items: 0, classes: 0n };

/**
 * Stage 5: the drawn panel judges what was committed, each verifier independently, and the chain clears the node against the law's floor
 * (RAILS A.4; decisions 20–23).
 */
export async function verify(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const due = await rememberedOf(world, mission, nodes);
  if (due.length === 0) return;
  // A verifier that fails to answer once is not waited for again before the next wave.
  const gone = new Set<Address>();
  const panels = await Promise.all(due.map((view) => panelOf(world, mission, view)));
  const heard = await Promise.all(panels.map((panel) => hear(world, mission, panel, gone)));
  const early = await heardEarly(world, mission, heard);
  // Sequentially: the gas of a clearing depends on which others are over, since the last one frees the next wave.
  for (const batch of batched(
    world,
    heard.filter((hearing) => absentFrom(hearing, gone).length === 0 && !early.includes(hearing)),
  ))
    await clear(world, mission, batch, gone);
  for (const hearing of heard) if (absentFrom(hearing, gone).length > 0) await hearPart(world, mission, hearing, gone);
  await world.boundary("execution:cleared");
}

/**
 * Hearings of work without evidence that nothing else decides: its executor may still show evidence, so they wait until the last fifth of
 * the panel's time (decision 57).
 */
async function heardEarly(world: World, mission: Mission, heard: readonly Hearing[]): Promise<readonly Hearing[]> {
  const early: Hearing[] = [];
  for (const hearing of heard.filter(isUnshown)) {
    const { view } = hearing.panel;
    if (world.client.chain.clock.now() >= (await closingOf(world.client, mission, view))) continue;
    early.push(hearing);
    if ((await world.recall(unshownKey(mission, view), waitsSchema)) !== undefined) continue;
    await world.remember(unshownKey(mission, view), waitsSchema, async () => true as const);
    world.progress(`${view.law.label}: its work has no evidence yet; the executor may still provide some`);
  }
  return early;
}

/** Number of past blocks whose hashes every chain knows. */
const REMEMBERED = 256n;

/**
 * The nodes whose panels can be heard. A panel whose drawing block is forgotten is drawn again; the second time its clock is left to end
 * it, and a human decides (decision 58).
 */
async function rememberedOf(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly NodeView[]> {
  const due = nodes.filter(({ state }) => state === "PENDING_VERIFICATION");
  if (due.length === 0) return due;
  const { evidence, chain } = world.client;
  const head = await chain.publicClient.getBlockNumber({ cacheTime: 0 });
  const old = due.filter(({ drawBlock }) => head - BigInt(drawBlock) >= REMEMBERED);
  if (old.length === 0) return due;
  const seeds = await Promise.all(old.map(({ drawBlock }) => evidence.seedOf(BigInt(drawBlock))));
  const forgotten = old.filter((_, place) => seeds[place] === zeroHash);
  for (const { law, attempt, drawBlock } of forgotten.filter(({ redraws }) => redraws === 0)) {
    const intent = intentKey("redraw", mission.address, law.number, attempt, drawBlock);
    await world.client.mission(mission.address).redraw([law.number], { intent });
    world.progress(`${law.label}: the hash that drew its panel is no longer available; drawing another panel`);
  }
  if (forgotten.length === 0) return due;
  const now = await viewNodes(world, mission);
  const redrawn = (view: NodeView) => now.filter(({ law, drawBlock }) => law.number === view.law.number && drawBlock !== view.drawBlock);
  return due.flatMap((view) => (forgotten.includes(view) ? redrawn(view) : [view]));
}

/**
 * Members of a panel may never answer. Those who do post their verdicts, so that no one who clears can leave them out and they are not
 * charged with silence (decision 55); once the others had their time, a majority of the drawn weight decides without them. Otherwise the
 * panel's clock ends it: a second panel is drawn, then a human decides.
 */
async function hearPart(world: World, mission: Mission, hearing: Hearing, gone: Set<Address>): Promise<void> {
  const { view } = hearing.panel;
  const { client } = world;
  if (presentIn(hearing, gone).length === 0) return;
  const isOpen = client.chain.clock.now() < (await closingOf(client, mission, view));
  const isEnough = () => isMajority(hearing, gone);
  try {
    await (isOpen ? postOnce(world, mission, hearing, gone) : clear(world, mission, [hearing], gone, isEnough));
  } catch (error) {
    // Someone who sees the wave in transit may submit it first, and another member may have posted something that this process does not
    // know.
    if (!(error instanceof TransactionReverted)) throw error;
    if (error.errorName === "DuplicateVerdict") await world.remember(postedKey(mission, view), waitsSchema, async () => true as const);
    const what = isOpen ? "the chain refuses the verdicts of a part of its panel" : "the chain refuses a decision by a part of its panel";
    world.progress(`${view.law.label}: ${what} (${error.errorName ?? error.shortMessage})`);
  }
}

async function postOnce(world: World, mission: Mission, hearing: Hearing, gone: Set<Address>): Promise<void> {
  const { view } = hearing.panel;
  const { client } = world;
  const key = postedKey(mission, view);
  if ((await world.recall(key, waitsSchema)) !== undefined) return;
  const signatures = await signVerdicts(world, mission, [hearing], gone);
  // The next wave determines who is left.
  if (signatures === undefined) return;
  const { wave } = waveOf([hearing], signatures, gone);
  await client.mission(mission.address).post([wave], { intent: intentKey("post", ...attemptKey(mission, view), view.drawBlock) });
  await world.remember(key, waitsSchema, async () => true as const);
  world.progress(`${view.law.label}: ${absentFrom(hearing, gone).length} of its panel did not answer; the others posted their verdicts`);
}

/** A node waits for the last fifth of its panel's time. */
const waitsSchema = z.literal(true);

function postedKey(mission: Mission, view: NodeView): readonly (string | number)[] {
  return ["posted", ...attemptKey(mission, view), view.drawBlock];
}

function unshownKey(mission: Mission, view: NodeView): readonly (string | number)[] {
  return ["unshown", ...attemptKey(mission, view), view.drawBlock];
}

/** When part of a panel that posted its verdicts may decide, or work without evidence is decided; undefined if it is not waited for. */
export async function heardAt(world: World, mission: Mission, view: NodeView): Promise<bigint | undefined> {
  if (view.state !== "PENDING_VERIFICATION") return undefined;
  if ((await world.client.evidence.seedOf(BigInt(view.drawBlock))) === zeroHash) return undefined;
  const keys = [postedKey(mission, view), unshownKey(mission, view)];
  const waits = await Promise.all(keys.map((key) => world.recall(key, waitsSchema)));
  if (waits.every((each) => each === undefined)) return undefined;
  const at = await closingOf(world.client, mission, view);
  return at > world.client.chain.clock.now() ? at : undefined;
}

/** The last fifth of a panel's time is for clearing without some of its members. */
async function closingOf(client: CityClient, mission: Mission, { deadline }: NodeView): Promise<bigint> {
  const { params } = await client.mission(mission.address).context();
  return deadline - BigInt(params.verificationTimeout) / 5n;
}

/** Clears those nodes whose panel is complete enough among the members that answer to the end. */
async function clear(
  world: World,
  mission: Mission,
  batch: readonly Hearing[],
  gone: Set<Address>,
  isEnough = (hearing: Hearing) => absentFrom(hearing, gone).length === 0,
): Promise<void> {
  // Each iteration has one more member in `gone`, or is the last.
  for (;;) {
    const due = batch.filter(isEnough);
    if (due.length === 0) return;
    const signed = await signVerdicts(world, mission, due, gone);
    if (signed === undefined || !(await writeDown(world, mission, due, gone))) continue;
    const { wave, signatures } = waveOf(due, signed, gone);
    await measure(world, mission, due);
    const draws = due.map(({ panel: { view } }) => `${view.law.number}/${view.drawBlock}`);
    await sendClearing(world, mission, { wave, due }, [mission.address, ...draws, ...signatures]);
    return;
  }
}

/** Has issuers look at what the law's gates will be asked about in this clearing. */
async function measure(world: World, mission: Mission, due: readonly Hearing[]): Promise<void> {
  const nodes = due.map(async (hearing) => ({
    view: hearing.panel.view,
    obligation: hearing.obligation,
    works: await submissions(world, hearing),
    judgements: hearing.judgements.values(),
  }));
  await showSchemas(world, mission, await Promise.all(nodes));
}

/**
 * Sends a clearing and, in the same transaction, the start of the nodes that it frees. Whatever forbids the start (a stop, a frozen
 * executor, a decision that completes no node) does not delay the clearing, which is then sent alone. What can start is left to the next
 * wave.
 */
async function sendClearing(
  world: World,
  mission: Mission,
  { wave, due }: { readonly wave: Hex; readonly due: readonly Hearing[] },
  key: readonly (string | number)[],
): Promise<void> {
  const contract = world.client.mission(mission.address);
  const freed = await freedBy(
    world,
    mission,
    due.filter(isToComplete).map(({ panel: { view } }) => view.law.number),
  );
  if (freed.length > 0) {
    try {
      await contract.advance([wave, ...(await startOf(world, mission, freed))], { intent: intentKey("advance", ...key) });
      return;
    } catch (error) {
      if (!(error instanceof TransactionReverted)) throw error;
    }
  }
  await contract.clear([wave], { intent: intentKey("clear", ...key) });
}

/** Whether a node's panel is unanimous, and no human has the last word. The chain decides; its gate may still object. */
function isToComplete({ panel: { view }, judgements }: Hearing): boolean {
  return view.law.tier !== TIER.HUMAN && [...judgements.values()].flat().every(({ result }) => result === "PASS");
}

/** The hearings of some nodes, under one signature per verifier. */
function waveOf(heard: readonly Hearing[], { deadline, by }: Signed, gone: ReadonlySet<Address>) {
  const orders = heard.map((hearing) => ({
    node: hearing.panel.view.law.number,
    openings: hearing.openings,
    items: hearing.items,
    verdicts: verdictsIn(hearing, gone).map(({ verifier, ...verdict }) => {
      const signature = by.get(verifier);
      if (signature === undefined) throw new RangeError(`${verifier} has signed nothing`);
      return { ...verdict, verifier, deadline, signature };
    }),
  }));
  const signatures = orders.flatMap(({ verdicts }) => verdicts.map(({ signature }) => signature));
  return { wave: encodeClearWave(clearWaveOf(orders)), signatures };
}

/** The committed work of a node, in the form that the chain expects. */
export interface Docket {
  readonly envelopes: readonly (Envelope | undefined)[];
  readonly judgements: readonly Judgement[];
  /** One per slot; zeros if nothing was committed. */
  readonly openings: readonly Opening[];
  /** Proven items on which some judgement rests. */
  readonly items: readonly ReturnType<typeof provenItem>[];
  readonly basis: bigint;
}

/** Gathers what the executors of a node committed, and an honest verifier's conclusions from it. */
export async function docketOf(world: World, mission: Mission, view: NodeView): Promise<Docket> {
  const { envelopes, openings } = await openedOf(world, mission, view);
  const judgements = await judge(world, mission, view, { envelopes, openings });
  const basis = basisOf(judgements);
  return { envelopes, judgements, openings, items: itemsFor(view, envelopes, basis), basis };
}

function basisOf(judgements: readonly Judgement[]): bigint {
  return judgements.reduce((bits, judgement) => bits | judgement.basis, 0n);
}

/** Revealed work, by slot. */
async function openedOf(world: World, mission: Mission, view: NodeView): Promise<Pick<Docket, "envelopes" | "openings">> {
  const [openings, submitted] = await Promise.all([openingsOnChain(world, mission, view), submittedEnvelopes(world, mission, view)]);
  // Evidence that its commitment does not cover does not count.
  const envelopes = submitted.map((envelope, place) => {
    const { envelopeRoot } = openings[place] ?? NO_OPENING;
    return envelope !== undefined && envelopeRootOf(envelope.obligation, envelope.items) === envelopeRoot ? envelope : undefined;
  });
  return { envelopes, openings: openings.map((opening) => opening ?? NO_OPENING) };
}

/** If no one could judge, the chain asks whether the executors provided evidence. */
function itemsFor(view: NodeView, envelopes: Docket["envelopes"], basis: bigint): Docket["items"] {
  const isNeeded = (item: SignedItem) => (basis === 0n ? isAdmissible(view, item) : isIn(basis, item));
  return envelopes.flatMap((envelope) =>
    envelope === undefined
      ? []
      : envelope.items.flatMap((item) => (isNeeded(item) ? [provenItem(envelope.obligation, envelope.items, item.index)] : [])),
  );
}

function isAdmissible({ law }: NodeView, item: SignedItem): boolean {
  return geq(EvidenceClass[item.class], EvidenceClass[law.floor]);
}

/** Everything `clear` needs for one node except signatures: openings, the items that verdicts rest on, and each verifier's findings. */
interface Hearing extends Pick<Docket, "envelopes" | "openings" | "items"> {
  readonly panel: DrawnPanel;
  readonly obligation: Hash;
  readonly commitment: Hash;
  /** Bitmap of slots with an item at the floor, here or posted by anyone. */
  readonly shown: number;
  readonly refutations: readonly Word[];
  readonly judgements: ReadonlyMap<Address, readonly Judgement[]>;
}

/** Whether clearing now would charge an executor for evidence that it may still provide. */
function isUnshown({ panel: { view }, shown, judgements }: Hearing): boolean {
  const basis = basisOf([...judgements.values()].flat());
  return (basis === 0n || (basis & REFUTED) !== 0n) && view.slots.some(({ slot, revealed }) => revealed && ((shown >> slot) & 1) === 0);
}

/** Slots with an item at the floor: known to this city, or posted on chain. */
async function shownIn({ client }: World, { address }: Mission, view: NodeView, envelopes: Docket["envelopes"]): Promise<number> {
  const items = envelopes.flatMap((envelope) => envelope?.items ?? []);
  const here = items.reduce((mask, item) => (isAdmissible(view, item) ? mask | (1 << item.slot) : mask), 0);
  const posted = await client.mission(address).history("Posted", { node: view.law.number });
  return posted.reduce((mask, { args }) => (args.attempt === view.attempt ? mask | args.shown : mask), here);
}

/** Issuers' refutations of the work of a single executor without evidence. */
async function saidAgainst(
  world: World,
  mission: Mission,
  view: NodeView,
  { openings, shown }: Pick<Hearing, "openings" | "shown">,
): Promise<readonly Word[]> {
  const [[slot], [opening]] = [view.slots, openings];
  const isAlone = view.law.redundancy === 1 && view.law.tier !== TIER.CONSENSUS;
  if (!isAlone || slot?.revealed !== true || opening === undefined || shown !== 0) return [];
  return refutationsOf(world, mission, view, slot, opening);
}

/** Queries a node's panel. Members that do not answer are gone. */
async function hear(world: World, mission: Mission, panel: DrawnPanel, gone: Set<Address>): Promise<Hearing> {
  const { view } = panel;
  const { envelopes, openings } = await openedOf(world, mission, view);
  const obligation = await obligationOf(world, mission, view);
  const commitments = view.slots.map(({ revealed, pledge }) => (revealed ? pledge : zeroHash));
  const shown = await shownIn(world, mission, view, envelopes);
  const refutations = await saidAgainst(world, mission, view, { openings, shown });
  const submitted = () => submissions(world, { envelopes, openings });
  const brief: Brief = {
    mission: mission.address,
    node: view.law.number,
    attempt: view.attempt,
    drawBlock: view.drawBlock,
    obligation,
    questions: view.law.questions,
    works: envelopes.flatMap((envelope, slot) =>
      envelope === undefined ? [] : [{ slot, handedId: envelope.handed.id, opening: openings[slot] ?? NO_OPENING, items: envelope.items }],
    ),
    admissible: envelopes
      .flatMap((envelope) => envelope?.items ?? [])
      .reduce((bits, item) => (isAdmissible(view, item) ? bits | bitOf(item) : bits), refutations.length === 0 ? 0n : REFUTED),
    refutations: refutations.map(({ item }) => item),
    kinds: panelKinds(view.law.verifiers),
    conclude: async (by, model) => {
      const member = memberOf(world, mission, view, { by, model, obligation, envelopes });
      const isRefuted = refutations.length > 0;
      return judgementsOn(mission, view, await submitted(), () => inputOf(world, mission, view), { isRefuted, member });
    },
    problem: async (by, said) => problemOfFindings(view, await submitted(), said, { verifier: by, obligation }),
    origin: () => originOf(world, mission, view),
  };
  // Each independently, from what was committed: k signatures under one opinion would be no mesh (decision 81).
  const answers = await Promise.all(
    panel.seats.map(async (verifier) => {
      const { address } = verifier.account;
      const said = await unlessAbsent(() => verifier.judge(brief));
      if (said === undefined) gone.add(address);
      return [address, said ?? []] as const;
    }),
  );
  const judgements = new Map(answers);
  // Models' answers are stored verbatim, in the panel's order: their digest is signed, and a repeated query might differ.
  for (const [by, own] of answers)
    for (const said of own.flatMap(({ findings = [] }) => findings.flatMap((finding) => finding.said ?? [])))
      await world.remember(saidKey(mission, view, by), saidSchema, async () => said);
  const against = refutations.map(({ item }) => ({ ...item, class: EvidenceClass[item.class], proof: [] }));
  const items = [...itemsFor(view, envelopes, basisOf([...judgements.values()].flat())), ...against];
  const commitment = nodeCommitmentOf(commitments);
  return { panel, envelopes, openings, items, obligation, commitment, shown, refutations, judgements };
}

/** Record key of a verifier's model's answers about a node. */
function saidKey(mission: Mission, view: Pick<NodeView, "law" | "attempt" | "drawBlock">, by: string): readonly (string | number)[] {
  return ["semantic", ...attemptKey(mission, view), view.drawBlock, by];
}

/** A panel member in this process, with what it can look up here. */
function memberOf(
  world: World,
  mission: Mission,
  view: NodeView,
  of: {
    readonly by: Address;
    readonly model: Judge | undefined;
    readonly obligation: Hash;
    readonly envelopes: Docket["envelopes"];
  },
): Member {
  const { by, model, obligation, envelopes } = of;
  return {
    ...{ verifier: by, obligation },
    schemasOf: async (slot) => world.services.find(({ id }) => id === envelopes[slot]?.handed.service)?.schemas,
    isVouched: async (work) => {
      const agent = view.slots.find(({ slot }) => slot === work.slot)?.agent;
      if (agent === undefined) return false;
      const place = { mission: mission.address, obligation, floor: view.law.floor, agent };
      return isVouched(world.client, place, work, envelopes[work.slot]?.items ?? []);
    },
    ask: async (questions) => {
      const kept = await world.recall(saidKey(mission, view, by), saidSchema);
      // Another mission that waits for a deadline must not advance time past this panel's.
      return kept ?? (model && world.client.chain.clock.hold(() => askJudge(model, questions, world.progress)));
    },
  };
}

/** Members of a node's panel that answer. */
function presentIn({ panel }: Hearing, gone: ReadonlySet<Address>): readonly Verifier[] {
  return panel.seats.filter(({ account }) => !gone.has(account.address));
}

function absentFrom(hearing: Hearing, gone: ReadonlySet<Address>): readonly Address[] {
  const present = presentIn(hearing, gone).map(({ account }) => account.address);
  return hearing.panel.drawn.flatMap(({ verifier }) => {
    const address = addressSchema.parse(verifier);
    return present.includes(address) ? [] : [address];
  });
}

/** Record key of a clearing's documents: each panel is drawn by its own block. */
export function clearingKey(mission: Mission, view: Pick<NodeView, "law" | "attempt" | "drawBlock">): readonly (string | number)[] {
  return ["clearing", ...attemptKey(mission, view), view.drawBlock];
}

/**
 * Records the same clearings as documents, before the call to the chain, so that each can be recomputed to check the other. False if a
 * verifier did not sign its own.
 */
async function writeDown(world: World, mission: Mission, heard: readonly Hearing[], gone: Set<Address>): Promise<boolean> {
  const before = gone.size;
  try {
    await Promise.all(heard.map((hearing) => writeOne(world, mission, hearing, gone)));
    return true;
  } catch (error) {
    if (!(error instanceof SeatAbsent) || gone.size === before) throw error;
    return false;
  }
}

async function writeOne(world: World, mission: Mission, hearing: Hearing, gone: Set<Address>): Promise<void> {
  const { panel, envelopes, refutations, judgements } = hearing;
  const { view, drawn } = panel;
  await world.remember(clearingKey(mission, view), clearingRecordSchema, async () => {
    const handed = view.slots.flatMap(({ slot, agent }, place) => {
      const envelope = envelopes[place];
      return envelope === undefined ? [] : [{ slot, agent, items: envelope.items, claimed: envelope.claimed }];
    });
    const terms = await boundTerms(world, mission, view);
    const present = new Map(presentIn(hearing, gone).map((verifier) => [verifier.account.address, verifier]));
    const issuers = new Map(world.issuers.map((issuer) => [issuer.account.address, issuer]));
    const of = (account: string): Pick<Signing, "seal"> => {
      const address = addressSchema.parse(account);
      const verifier = present.get(address);
      if (verifier === undefined) return issuers.get(address) ?? workerOf(world, address);
      return {
        seal: async (document) => {
          try {
            return await verifier.seal(document);
          } catch (error) {
            if (error instanceof SeatAbsent) gone.add(address);
            throw error;
          }
        },
      };
    };
    const judgementsOf = (account: string) => {
      const address = addressSchema.parse(account);
      return present.has(address) ? (judgements.get(address) ?? []) : [];
    };
    const engine = sealerOf(engineOf(world.runner.account.address), world.runner.seal());
    const made = { terms, panel: drawn, handed, refutations, judgementsOf };
    return makeClearingRecord(made, { of, engine }, world.client.chain.clock.now());
  });
}

function bitOf({ slot, index }: { readonly slot: number; readonly index: number }): bigint {
  return 1n << BigInt(ITEMS_PER_SLOT * slot + index);
}

function isIn(basis: bigint, item: { readonly slot: number; readonly index: number }): boolean {
  return (basis & bitOf(item)) !== 0n;
}

/** One entry per slot; absent if the executor never revealed. */
function submittedEnvelopes(world: World, mission: Mission, view: NodeView): Promise<(Envelope | undefined)[]> {
  return Promise.all(view.slots.map((slot) => (slot.revealed ? envelopeIfAny(world, mission, view, slot) : undefined)));
}

/** The result of re-execution, whatever else the law requires. Deterministic: everyone computes it from the same records. */
async function judge(
  world: World,
  mission: Mission,
  view: NodeView,
  opened: Pick<Docket, "envelopes" | "openings">,
): Promise<readonly Judgement[]> {
  const works = await submissions(world, opened);
  return judgementsOn(mission, view, works, () => inputOf(world, mission, view), { isRefuted: false });
}

/** The outputs behind the envelopes, as verifiers see them. */
export async function submissions(
  world: World,
  { envelopes, openings }: Pick<Docket, "envelopes" | "openings">,
): Promise<readonly Submission[]> {
  const present = envelopes.flatMap((envelope, slot) => (envelope === undefined ? [] : [{ envelope, slot }]));
  return Promise.all(
    present.map(
      async ({ envelope: { handed, work, items }, slot }): Promise<Submission> => ({
        slot,
        outputHash: openings[slot]?.outputHash ?? zeroHash,
        handed: handed.hash,
        output: work && (await readOutput(world, work.outputId)),
        exhibits: items.map(({ index, kind, payload }) => ({ slot, index, kind, payload })),
      }),
    ),
  );
}

function drawnPanel({ chain }: CityClient, address: Address, { law }: Pick<NodeView, "law">): Promise<readonly Address[]> {
  return chain.publicClient.readContract({
    address,
    abi: collaborationContractAbi,
    functionName: "panelOf",
    args: [law.number],
    blockTag: "pending",
  });
}

/** A node's drawn panel, with the weights of its roster, and those members with a seat in this city. */
interface DrawnPanel {
  readonly view: NodeView;
  readonly drawn: Panel;
  readonly seats: readonly Verifier[];
}

async function panelOf(world: World, mission: Mission, view: NodeView): Promise<DrawnPanel> {
  const panel = await drawnPanel(world.client, mission.address, view);
  const weights = await drawnWeights(world.client, panel, view.drawBlock);
  const drawn = panel.map((verifier, place) => ({ verifier, weight: weights[place] ?? 0 }));
  const seats = panel.flatMap((address) => world.verifiers.filter(({ account }) => account.address === address));
  return { view, drawn, seats };
}

/** Weights on the roster from which the panel was drawn (decision 82); a member that has lost its office since has none. */
async function drawnWeights({ evidence }: CityClient, panel: readonly Address[], drawBlock: number): Promise<readonly number[]> {
  const [[weights], posted] = await Promise.all([
    evidence.verifiersOf(panel),
    evidence.history("PassportsPosted", {}, { fromBlock: BigInt(drawBlock) }),
  ]);
  // Posts in the block of the draw are included in its roster.
  const later = posted.filter(({ blockNumber }) => blockNumber > BigInt(drawBlock));
  return panel.map((verifier, place) => {
    const weight = weights[place] ?? 0;
    const next = later.find(({ args }) => args.verifiers.includes(verifier))?.args;
    return weight === 0 ? 0 : (next?.before[next.verifiers.indexOf(verifier)] ?? weight);
  });
}

/** Whether the answering members have more than half of the drawn weight, and of the members. */
function isMajority(hearing: Hearing, gone: ReadonlySet<Address>): boolean {
  const { drawn } = hearing.panel;
  const absent = absentFrom(hearing, gone);
  const present = drawn.filter(({ verifier }) => !absent.some((address) => address === verifier));
  const weight = present.reduce((sum, each) => sum + each.weight, 0);
  return 2 * weight > drawnWeight(drawn.map((each) => each.weight)) && 2 * present.length > drawn.length;
}

/** The answers of the answering members to each question; numbers are positions in the enums. */
function verdictsIn(hearing: Hearing, gone: ReadonlySet<Address>) {
  const { panel, obligation, commitment, judgements } = hearing;
  const about = { obligation, commitment, draw: panel.view.drawBlock };
  return presentIn(hearing, gone).flatMap(({ account: { address } }) =>
    (judgements.get(address) ?? []).map((judgement) => ({ verifier: address, ...verdictOf(judgement, about) })),
  );
}

/** Signatures of verifiers over their verdicts of a wave. */
interface Signed {
  readonly deadline: number;
  readonly by: ReadonlyMap<Address, Hex>;
}

/** Each verifier's signature over all its verdicts of a wave, in order. Undefined if one did not sign, and is gone. */
async function signVerdicts(world: World, mission: Mission, heard: readonly Hearing[], gone: Set<Address>): Promise<Signed | undefined> {
  const deadline = Number(world.client.chain.clock.now() + VERDICT_VALIDITY);
  const verdicts = heard.flatMap((hearing) => verdictsIn(hearing, gone));
  const members = new Map(heard.flatMap((hearing) => presentIn(hearing, gone)).map((verifier) => [verifier.account.address, verifier]));
  const by = new Map<Address, Hex>();
  await Promise.all(
    [...members].map(async ([address, { account }]) => {
      const own = verdicts.filter(({ verifier }) => verifier === address).map(({ verifier: _, ...verdict }) => verdict);
      const message = { verifier: address, verdicts: own, deadline };
      const signature = await unlessAbsent(() => signMessage(world.client, account, "Verdicts", message, mission.address));
      if (signature === undefined) gone.add(address);
      else by.set(address, signature);
    }),
  );
  return by.size === members.size ? { deadline, by } : undefined;
}

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
import type { Brief, Signing, Verifier } from "../seat.ts";
import { freedBy } from "../succession.ts";
import { isVouched } from "../vouched.ts";
import { attemptKey, inputOf, readOutput } from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";
import { type Envelope, envelopeIfAny, obligationOf } from "./commit.ts";
import { startOf } from "./orchestrate.ts";

/** How long a verdict holds, seconds of chain time. */
const VERDICT_VALIDITY = 3600n;
const NO_OPENING: Opening = { salt: zeroHash, outputHash: zeroHash, trailRoot: zeroHash, envelopeRoot: zeroHash, items: 0, classes: 0n };

/**
 * Stage 5: the drawn panel judges what was committed, each verifier for itself, and the chain clears the node against the law's
 * floor (RAILS A.4; decisions 20–23).
 */
export async function verify(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const due = await rememberedOf(world, mission, nodes);
  if (due.length === 0) return;
  // Whoever fails to answer once is not waited for again before the next wave.
  const gone = new Set<Address>();
  const panels = await Promise.all(due.map((view) => panelOf(world, mission, view)));
  const heard = await Promise.all(panels.map((panel) => hear(world, mission, panel, gone)));
  const early = await heardEarly(world, mission, heard);
  // One after the other: what a clearing costs hangs on which others are over, since the last one frees the next wave.
  for (const batch of batched(
    world,
    heard.filter((hearing) => absentFrom(hearing, gone).length === 0 && !early.includes(hearing)),
  ))
    await clear(world, mission, batch, gone);
  for (const hearing of heard) if (absentFrom(hearing, gone).length > 0) await hearPart(world, mission, hearing, gone);
  await world.boundary("execution:cleared");
}

/**
 * Hearings of work for which nothing was shown and which nothing else decides: its executor may still show something, so they are over in the last
 * fifth of the panel's time (decision 57).
 */
async function heardEarly(world: World, mission: Mission, heard: readonly Hearing[]): Promise<readonly Hearing[]> {
  const early: Hearing[] = [];
  for (const hearing of heard.filter(isUnshown)) {
    const { view } = hearing.panel;
    if (world.client.chain.clock.now() >= (await closingOf(world.client, mission, view))) continue;
    early.push(hearing);
    if ((await world.recall(unshownKey(mission, view), waitsSchema)) !== undefined) continue;
    await world.remember(unshownKey(mission, view), waitsSchema, async () => true as const);
    world.tell(`${view.law.label}: nothing was shown for its work; whoever did it may still show something`);
  }
  return early;
}

/** How far back every chain knows the hashes of its blocks. */
const REMEMBERED = 256n;

/**
 * The nodes whose panels can be heard. One that was drawn by a block that nobody remembers is drawn again; the second time its clock is left to
 * end it, and a human decides (decision 58).
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
    world.tell(`${law.label}: the chain has forgotten its panel; another is drawn`);
  }
  if (forgotten.length === 0) return due;
  const now = await viewNodes(world, mission);
  const redrawn = (view: NodeView) => now.filter(({ law, drawBlock }) => law.number === view.law.number && drawBlock !== view.drawBlock);
  return due.flatMap((view) => (forgotten.includes(view) ? redrawn(view) : [view]));
}

/**
 * Members of a panel may never speak. Who does posts its verdict, so that whoever clears cannot leave it out and its silence is not charged
 * (decision 55); once the others had their time, a majority of the drawn weight decides without them. Else the panel's clock ends it:
 * there is a second one, then a human.
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
    // Whoever sees the wave on its way may hand it in first, and another member may have posted what this process does not know.
    if (!(error instanceof TransactionReverted)) throw error;
    if (error.errorName === "DuplicateVerdict") await world.remember(postedKey(mission, view), waitsSchema, async () => true as const);
    const what = isOpen ? "the verdicts of a part of its panel are not taken" : "a part of its panel does not decide";
    world.tell(`${view.law.label}: ${what} (${error.errorName ?? error.shortMessage})`);
  }
}

async function postOnce(world: World, mission: Mission, hearing: Hearing, gone: Set<Address>): Promise<void> {
  const { view } = hearing.panel;
  const { client } = world;
  const key = postedKey(mission, view);
  if ((await world.recall(key, waitsSchema)) !== undefined) return;
  const signatures = await signVerdicts(world, mission, [hearing], gone);
  // The next wave asks who is left.
  if (signatures === undefined) return;
  const { wave } = waveOf([hearing], signatures, gone);
  await client.mission(mission.address).post([wave], { intent: intentKey("post", ...attemptKey(mission, view), view.drawBlock) });
  await world.remember(key, waitsSchema, async () => true as const);
  world.tell(`${view.law.label}: ${absentFrom(hearing, gone).length} of its panel do not answer; the others posted their verdicts`);
}

/** A node waits for the last fifth of its panel's time. */
const waitsSchema = z.literal(true);

function postedKey(mission: Mission, view: NodeView): readonly (string | number)[] {
  return ["posted", ...attemptKey(mission, view), view.drawBlock];
}

function unshownKey(mission: Mission, view: NodeView): readonly (string | number)[] {
  return ["unshown", ...attemptKey(mission, view), view.drawBlock];
}

/** When a part of a panel may decide, which has posted its verdicts, or work without evidence is decided; undefined: it is not waited for. */
export async function heardAt(world: World, mission: Mission, view: NodeView): Promise<bigint | undefined> {
  if (view.state !== "PENDING_VERIFICATION") return undefined;
  if ((await world.client.evidence.seedOf(BigInt(view.drawBlock))) === zeroHash) return undefined;
  const keys = [postedKey(mission, view), unshownKey(mission, view)];
  const waits = await Promise.all(keys.map((key) => world.recall(key, waitsSchema)));
  if (waits.every((each) => each === undefined)) return undefined;
  const at = await closingOf(world.client, mission, view);
  return at > world.client.chain.clock.now() ? at : undefined;
}

/** The last fifth of a panel's time is for those who clear without a part of it. */
async function closingOf(client: CityClient, mission: Mission, { deadline }: NodeView): Promise<bigint> {
  const { params } = await client.mission(mission.address).context();
  return deadline - BigInt(params.verificationTimeout) / 5n;
}

/** Clears those of some nodes whose panel is complete enough, by who answers to the end. */
async function clear(
  world: World,
  mission: Mission,
  batch: readonly Hearing[],
  gone: Set<Address>,
  isEnough = (hearing: Hearing) => absentFrom(hearing, gone).length === 0,
): Promise<void> {
  // Each turn has one more in `gone`, or is the last.
  for (;;) {
    const due = batch.filter(isEnough);
    if (due.length === 0) return;
    const signed = await signVerdicts(world, mission, due, gone);
    if (signed === undefined || !(await writeDown(world, mission, due, gone))) continue;
    const { wave, signatures } = waveOf(due, signed, gone);
    const draws = due.map(({ panel: { view } }) => `${view.law.number}/${view.drawBlock}`);
    await sendClearing(world, mission, { wave, due }, [mission.address, ...draws, ...signatures]);
    return;
  }
}

/**
 * A clearing, and in the same transaction the start of the nodes that it frees. Nothing that forbids the start holds up the clearing, which is
 * then sent by itself: a stop, an executor that was frozen, or a decision that completes no node. What can start is left to the next wave.
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

/** Whether nobody on a node's panel objects, and no human has the last word. The chain decides; its gate may still object. */
function isToComplete({ panel: { view }, judgements }: Hearing): boolean {
  return view.law.tier !== TIER.HUMAN && [...judgements.values()].flat().every(({ result }) => result === "PASS");
}

/** What is heard about some nodes, under one signature of each verifier. */
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

/** What a node's committed work rests on, in the form the chain takes it. */
export interface Docket {
  readonly envelopes: readonly (Envelope | undefined)[];
  readonly judgements: readonly Judgement[];
  /** One per slot; zeros where nothing was committed. */
  readonly openings: readonly Opening[];
  /** Proven items that some judgement rests on. */
  readonly items: readonly ReturnType<typeof provenItem>[];
  readonly basis: bigint;
}

/** Gathers what the executors of a node committed and what an honest verifier concludes from it. */
export async function docketOf(world: World, mission: Mission, view: NodeView): Promise<Docket> {
  const { envelopes, openings } = await openedOf(world, mission, view);
  const judgements = await judge(world, mission, view, { envelopes, openings });
  const basis = basisOf(judgements);
  return { envelopes, judgements, openings, items: itemsFor(view, envelopes, basis), basis };
}

function basisOf(judgements: readonly Judgement[]): bigint {
  return judgements.reduce((bits, judgement) => bits | judgement.basis, 0n);
}

/** What was revealed, by slot. */
async function openedOf(world: World, mission: Mission, view: NodeView): Promise<Pick<Docket, "envelopes" | "openings">> {
  const [openings, submitted] = await Promise.all([openingsOnChain(world, mission, view), submittedEnvelopes(world, mission, view)]);
  // Evidence that it did not commit to is none of its own.
  const envelopes = submitted.map((envelope, place) => {
    const { envelopeRoot } = openings[place] ?? NO_OPENING;
    return envelope !== undefined && envelopeRootOf(envelope.obligation, envelope.items) === envelopeRoot ? envelope : undefined;
  });
  return { envelopes, openings: openings.map((opening) => opening ?? NO_OPENING) };
}

/** Where nobody could judge, the chain asks whether the executors left something to judge by. */
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

/** Everything `clear` needs for one node, but for signatures: openings, the items that verdicts rest on, and what each verifier found. */
interface Hearing extends Pick<Docket, "envelopes" | "openings" | "items"> {
  readonly panel: DrawnPanel;
  readonly obligation: Hash;
  readonly commitment: Hash;
  /** Bit per slot with an item at the floor, here or posted by anybody. */
  readonly shown: number;
  readonly refutations: readonly Word[];
  readonly judgements: ReadonlyMap<Address, readonly Judgement[]>;
}

/** Whether a clearing now would charge an executor for what it may still show. */
function isUnshown({ panel: { view }, shown, judgements }: Hearing): boolean {
  const basis = basisOf([...judgements.values()].flat());
  return (basis === 0n || (basis & REFUTED) !== 0n) && view.slots.some(({ slot, revealed }) => revealed && ((shown >> slot) & 1) === 0);
}

/** Slots with an item at the floor: in what this city has, or posted on chain by whoever has it. */
async function shownIn({ client }: World, { address }: Mission, view: NodeView, envelopes: Docket["envelopes"]): Promise<number> {
  const items = envelopes.flatMap((envelope) => envelope?.items ?? []);
  const here = items.reduce((mask, item) => (isAdmissible(view, item) ? mask | (1 << item.slot) : mask), 0);
  const posted = await client.mission(address).history("Posted", { node: view.law.number });
  return posted.reduce((mask, { args }) => (args.attempt === view.attempt ? mask | args.shown : mask), here);
}

/** What issuers say against the work of an only executor that shows nothing for it. */
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

/** Asks a node's panel. Whoever does not answer is gone. */
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
  // Each for itself, from what was committed: k signatures under one opinion would be no mesh (decision 81).
  const answers = await Promise.all(
    panel.seats.map(async (verifier) => {
      const { address } = verifier.account;
      const said = await unlessAbsent(() => verifier.judge(brief));
      if (said === undefined) gone.add(address);
      return [address, said ?? []] as const;
    }),
  );
  const judgements = new Map(answers);
  // What models said is kept word for word, in the panel's order: signed is its digest, and asked again they might say otherwise.
  for (const [by, own] of answers)
    for (const said of own.flatMap(({ findings = [] }) => findings.flatMap((finding) => finding.said ?? [])))
      await world.remember(saidKey(mission, view, by), saidSchema, async () => said);
  const against = refutations.map(({ item }) => ({ ...item, class: EvidenceClass[item.class], proof: [] }));
  const items = [...itemsFor(view, envelopes, basisOf([...judgements.values()].flat())), ...against];
  const commitment = nodeCommitmentOf(commitments);
  return { panel, envelopes, openings, items, obligation, commitment, shown, refutations, judgements };
}

/** Where a verifier's model's answers about a node are kept. */
export function saidKey(mission: Mission, view: Pick<NodeView, "law" | "attempt" | "drawBlock">, by: string): readonly (string | number)[] {
  return ["semantic", ...attemptKey(mission, view), view.drawBlock, by];
}

/** A member of a panel in this process, with what it can look up here. */
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
      // Another mission that waits for a deadline must not take this panel's time past it.
      return kept ?? (model && world.client.chain.clock.hold(() => askJudge(model, questions, world.tell)));
    },
  };
}

/** Members of a node's panel who answer. */
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

/** Where the documents of a clearing are kept: each panel is drawn by a block of its own. */
export function clearingKey(mission: Mission, view: Pick<NodeView, "law" | "attempt" | "drawBlock">): readonly (string | number)[] {
  return ["clearing", ...attemptKey(mission, view), view.drawBlock];
}

/** The same clearings in documents, before the call to the chain: each of the two can be recomputed to check the other. False: a verifier did not sign its own. */
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

/** One entry per slot; absent where the executor never revealed. */
function submittedEnvelopes(world: World, mission: Mission, view: NodeView): Promise<(Envelope | undefined)[]> {
  return Promise.all(view.slots.map((slot) => (slot.revealed ? envelopeIfAny(world, mission, view, slot) : undefined)));
}

/** What the work done again comes to, whatever else the law asks for. Deterministic: everybody computes it from the same records. */
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

/** Who was drawn for a node, with the weights of its roster, and who of them has a seat in this city. */
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

/** What each weighed on the roster that it was drawn from (decision 82); whoever has lost its office since weighs nothing. */
async function drawnWeights({ evidence }: CityClient, panel: readonly Address[], drawBlock: number): Promise<readonly number[]> {
  const [[weights], posted] = await Promise.all([
    evidence.verifiersOf(panel),
    evidence.history("PassportsPosted", {}, { fromBlock: BigInt(drawBlock) }),
  ]);
  // What is posted in the block of the draw is on its roster.
  const later = posted.filter(({ blockNumber }) => blockNumber > BigInt(drawBlock));
  return panel.map((verifier, place) => {
    const weight = weights[place] ?? 0;
    const next = later.find(({ args }) => args.verifiers.includes(verifier))?.args;
    return weight === 0 ? 0 : (next?.before[next.verifiers.indexOf(verifier)] ?? weight);
  });
}

/** Whether who answers has more than half of the weight that was drawn, and of the heads. */
function isMajority(hearing: Hearing, gone: ReadonlySet<Address>): boolean {
  const { drawn } = hearing.panel;
  const absent = absentFrom(hearing, gone);
  const present = drawn.filter(({ verifier }) => !absent.some((address) => address === verifier));
  const weight = present.reduce((sum, each) => sum + each.weight, 0);
  return 2 * weight > drawnWeight(drawn.map((each) => each.weight)) && 2 * present.length > drawn.length;
}

/** What the members of a panel who answer say to each question; numbers are positions in the enums. */
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

/** Each verifier's signature over all its verdicts of a wave, in their order. Undefined: somebody did not sign, and is gone. */
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

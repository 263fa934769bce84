import { zeroHash } from "viem";
import { z } from "zod";
import { collaborationContractAbi } from "../../chain/abi/CollaborationContract.ts";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { type Judgement, judgeConsensus, judgePolicy, judgeReexecution, type Submission } from "../../clearing/judgement.ts";
import { brokenPredicates } from "../../clearing/predicates.ts";
import type { CityClient } from "../../client/client.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { field, listOf } from "../../primitives/values.ts";
import { ITEMS_PER_SLOT, questions, verdictResults } from "../../protocol/evidence.ts";
import { EvidenceClass, geq } from "../../rules/admissibility.ts";
import { commitmentOf, nodeCommitmentOf, type Opening } from "../../rules/commitments.ts";
import { clearWaveOf, encodeClearWave } from "../../rules/wire.ts";
import { batched } from "../batches.ts";
import { type NodeView, viewNodes } from "../chain-view.ts";
import { clearingRecordSchema, makeClearingRecord, type Panel } from "../clearing-record.ts";
import { termsOf } from "../consensus.ts";
import { provenItem, type SignedItem } from "../evidence.ts";
import { boundTerms } from "../obligations.ts";
import { attemptKey, inputOf, readOutput } from "../work.ts";
import { type Mission, type Signatory, type World, workerOf } from "../world.ts";
import { type Envelope, envelopeOf, obligationOf, openingBy } from "./commit.ts";

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
  const panels = await Promise.all(due.map((view) => panelOf(world, mission, view)));
  // One after the other: what a clearing costs hangs on which others are over, since the last one frees the next wave.
  for (const batch of batched(
    world,
    panels.filter(({ absent }) => absent.length === 0),
  ))
    await clear(world, mission, batch);
  for (const panel of panels) if (panel.absent.length > 0) await hearPart(world, mission, panel);
  await world.boundary("execution:cleared");
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
 * Members of a panel whose keys are elsewhere may never speak. Who is here posts its verdict, so that whoever clears cannot leave it out and
 * its silence is not charged (decision 55); once the others had their time, a majority of the drawn weight decides without them. Else the
 * panel's clock ends it: there is a second one, then a human.
 */
async function hearPart(world: World, mission: Mission, panel: DrawnPanel): Promise<void> {
  const { view, here } = panel;
  const { client } = world;
  if (here.length === 0) return;
  const isOpen = client.chain.clock.now() < (await closingOf(client, mission, view));
  if (!isOpen && !isMajority(panel)) return;
  try {
    await (isOpen ? postOnce(world, mission, panel) : clear(world, mission, [panel]));
  } catch (error) {
    // Whoever sees the wave on its way may hand it in first, and another member may have posted what this process does not know.
    if (!(error instanceof TransactionReverted)) throw error;
    const what = isOpen ? "the verdicts of a part of its panel are not taken" : "a part of its panel does not decide";
    world.tell(`${view.law.label}: ${what} (${error.errorName ?? error.shortMessage})`);
  }
}

async function postOnce(world: World, mission: Mission, panel: DrawnPanel): Promise<void> {
  const { view, absent } = panel;
  const { client } = world;
  await world.remember(["posted", ...attemptKey(mission, view), view.drawBlock], z.literal(true), async () => {
    const { wave } = await waveOf(world, mission, [await hearing(world, mission, panel)]);
    await client.mission(mission.address).post([wave], { intent: intentKey("post", ...attemptKey(mission, view), view.drawBlock) });
    world.tell(`${view.law.label}: ${absent.length} of its panel are not here; the others posted their verdicts`);
    return true as const;
  });
}

/** When a part of a node's panel may decide; undefined: it is not waited for, or the part here is too small. */
export async function partHeardAt(world: World, mission: Mission, view: NodeView): Promise<bigint | undefined> {
  if (view.state !== "PENDING_VERIFICATION") return undefined;
  if ((await world.client.evidence.seedOf(BigInt(view.drawBlock))) === zeroHash) return undefined;
  const panel = await panelOf(world, mission, view);
  if (panel.absent.length === 0 || !isMajority(panel)) return undefined;
  const at = await closingOf(world.client, mission, view);
  return at > world.client.chain.clock.now() ? at : undefined;
}

/** The last fifth of a panel's time is for those who clear without a part of it. */
async function closingOf(client: CityClient, mission: Mission, { deadline }: NodeView): Promise<bigint> {
  const { params } = await client.mission(mission.address).context();
  return deadline - BigInt(params.verificationTimeout) / 5n;
}

async function clear(world: World, mission: Mission, due: readonly DrawnPanel[]): Promise<void> {
  const heard = await Promise.all(due.map((panel) => hearing(world, mission, panel)));
  for (const { panel, envelopes, judgements } of heard) await writeDown(world, mission, panel, envelopes, judgements);
  const { wave, signatures } = await waveOf(world, mission, heard);
  const draws = due.map(({ view: { law, drawBlock } }) => `${law.number}/${drawBlock}`);
  await world.client.mission(mission.address).clear([wave], { intent: intentKey("clear", mission.address, ...draws, ...signatures) });
}

/** What is heard about some nodes, under one signature of each verifier. */
async function waveOf(world: World, mission: Mission, heard: readonly Hearing[]) {
  const deadline = Number(world.client.chain.clock.now() + VERDICT_VALIDITY);
  const signed = await signVerdicts(
    world,
    mission,
    heard.flatMap(({ verdicts }) => verdicts),
    deadline,
  );
  const orders = heard.map(({ node, openings, items, verdicts }) => ({
    node,
    openings,
    items,
    verdicts: verdicts.map((verdict) => ({
      ...verdict,
      verifier: verdict.verifier.account.address,
      deadline,
      signature: signed(verdict.verifier),
    })),
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
  const envelopes = await submittedEnvelopes(world, mission, view);
  const judgements = await judge(world, mission, view, envelopes);
  const basis = judgements.reduce((bits, judgement) => bits | judgement.basis, 0n);
  // Where nobody could judge, the chain asks whether the executors left something to judge by.
  const isNeeded = (item: SignedItem) => (basis === 0n ? geq(EvidenceClass[item.class], EvidenceClass[view.law.floor]) : isIn(basis, item));
  const items = envelopes.flatMap((envelope) =>
    envelope === undefined
      ? []
      : envelope.items.flatMap((item) => (isNeeded(item) ? [provenItem(envelope.obligation, envelope.items, item.index)] : [])),
  );
  const openings = await Promise.all(
    envelopes.map((envelope, place) => {
      const slot = view.slots[place];
      return envelope === undefined || slot === undefined ? NO_OPENING : openingBy(world, mission, view, slot, envelope);
    }),
  );
  return { envelopes, judgements, openings, items, basis };
}

/** By verifier. */
type Judgements = ReadonlyMap<Address, readonly Judgement[]>;

type Hearing = Awaited<ReturnType<typeof hearing>>;

/** Everything `clear` needs for one node: openings, the verdicts of who is here, which nobody signed yet, and the items they rest on. */
async function hearing(world: World, mission: Mission, panel: DrawnPanel) {
  const { view } = panel;
  const { envelopes, openings, items } = await docketOf(world, mission, view);
  const obligation = await obligationOf(world, mission, view);
  const commitments = envelopes.map((envelope, slot) => {
    const agent = view.slots[slot]?.agent;
    return envelope === undefined || agent === undefined ? zeroHash : commitmentOf(agent, openings[slot] ?? NO_OPENING, obligation);
  });
  // Each for itself, from what was committed: k signatures under one opinion would be no mesh (decision 81).
  const judgements: Judgements = new Map(
    await Promise.all(panel.here.map(async ({ account }) => [account.address, await judge(world, mission, view, envelopes)] as const)),
  );
  const commitment = nodeCommitmentOf(commitments);
  const verdicts = panel.here.flatMap((verifier) =>
    (judgements.get(verifier.account.address) ?? []).map((judgement) =>
      verdictOf(verifier, judgement, { obligation, commitment, draw: view.drawBlock }),
    ),
  );
  return { panel, envelopes, judgements, node: view.law.number, openings, verdicts, items };
}

/** Where the documents of a clearing are kept: each panel is drawn by a block of its own. */
export function clearingKey(mission: Mission, view: Pick<NodeView, "law" | "attempt" | "drawBlock">): readonly (string | number)[] {
  return ["clearing", ...attemptKey(mission, view), view.drawBlock];
}

/** The same clearing in documents, before the call to the chain: each of the two can be recomputed to check the other. */
async function writeDown(
  world: World,
  mission: Mission,
  { view, here, drawn }: DrawnPanel,
  envelopes: readonly (Envelope | undefined)[],
  judgements: Judgements,
): Promise<void> {
  const key = clearingKey(mission, view);
  await world.remember(key, clearingRecordSchema, async () => {
    const present = view.slots.flatMap(({ slot, agent }, place) => {
      const envelope = envelopes[place];
      return envelope === undefined ? [] : [{ slot, agent, items: envelope.items, claimed: envelope.claimed }];
    });
    const terms = await boundTerms(world, mission, view);
    const holders = [...here, world.reexecutor, world.receiver, world.runner];
    const of = (address: string) => {
      const holder = holders.find(({ account }) => account.address === address);
      if (holder === undefined) throw new RangeError(`no key of ${address} here`);
      return holder.seal();
    };
    const executor = (address: string) => workerOf(world, addressSchema.parse(address));
    const keys = { of, executor, runner: world.runner.account.address };
    const own = (verifier: string) => judgements.get(addressSchema.parse(verifier)) ?? [];
    return makeClearingRecord({ terms, panel: drawn, handed: present, judgementsOf: own }, keys, world.client.chain.clock.now());
  });
}

function isIn(basis: bigint, { slot, index }: { readonly slot: number; readonly index: number }): boolean {
  return ((basis >> BigInt(ITEMS_PER_SLOT * slot + index)) & 1n) === 1n;
}

/** One entry per slot; absent where the executor never revealed. */
function submittedEnvelopes(world: World, mission: Mission, view: NodeView): Promise<(Envelope | undefined)[]> {
  return Promise.all(view.slots.map((slot) => (slot.revealed ? envelopeOf(world, mission, view, slot) : undefined)));
}

/** What an honest verifier concludes. Deterministic: every panel member computes it from the same records. */
async function judge(
  world: World,
  mission: Mission,
  view: NodeView,
  envelopes: readonly (Envelope | undefined)[],
): Promise<readonly Judgement[]> {
  const works = await submissions(world, envelopes);
  const terms = termsOf(view);
  const [single] = works;
  const judgements = [
    terms !== undefined ? judgeConsensus(works, terms) : single === undefined ? judgePolicy([], []) : judgeReexecution(single),
  ];
  if (view.law.questions.includes("POLICY")) judgements.push(judgePolicy(works, await policyProblems(world, mission, view, works)));
  return judgements;
}

/** The outputs behind the envelopes, as verifiers see them. */
export async function submissions(world: World, envelopes: readonly (Envelope | undefined)[]): Promise<readonly Submission[]> {
  const present = envelopes.flatMap((envelope, slot) => (envelope === undefined ? [] : [{ envelope, slot }]));
  return Promise.all(
    present.map(
      async ({ envelope: { work, items }, slot }): Promise<Submission> => ({
        slot,
        outputHash: work.outputHash,
        output: await readOutput(world, work.outputId),
        exhibits: items.map(({ index, kind, payload }) => ({ slot, index, kind, payload })),
      }),
    ),
  );
}

/** The predicates of the mission's document, asked of the node that makes its output. */
async function policyProblems(world: World, mission: Mission, view: NodeView, works: readonly Submission[]): Promise<string[]> {
  if (view.law.task !== mission.document.output.task) return [];
  const input = await inputOf(world, mission, view);
  const coveredIds = new Set([
    ...idsIn(input["items"]),
    ...listOf(input["upstream"]).flatMap((upstream) => idsIn(field(upstream, "items"))),
  ]);
  const inputIds = mission.items.map(({ id }) => id);
  return works.flatMap(({ output }) =>
    output === undefined ? [] : brokenPredicates(mission.document.predicates, { output, inputIds, coveredIds }),
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

/** Who was drawn for a node, with the weights of its roster, and who of them has its key here. */
interface DrawnPanel {
  readonly view: NodeView;
  readonly drawn: Panel;
  readonly here: readonly Signatory[];
  readonly absent: readonly Address[];
}

async function panelOf(world: World, mission: Mission, view: NodeView): Promise<DrawnPanel> {
  const panel = await drawnPanel(world.client, mission.address, view);
  const weights = await drawnWeights(world.client, panel, view.drawBlock);
  const drawn = panel.map((verifier, place) => ({ verifier, weight: weights[place] ?? 0 }));
  const here = panel.flatMap((address) => world.verifiers.filter(({ account }) => account.address === address));
  const absent = panel.filter((address) => !here.some(({ account }) => account.address === address));
  return { view, drawn, here, absent };
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

/** Whether who is here has more than half of the weight that was drawn. */
function isMajority({ drawn, here }: DrawnPanel): boolean {
  const weightOf = (some: Panel) => some.reduce((sum, { weight }) => sum + weight, 0);
  const own = drawn.filter(({ verifier }) => here.some(({ account }) => account.address === verifier));
  return 2 * weightOf(own) > weightOf(drawn);
}

/** What a verifier says to one question; numbers are positions in the enums. */
function verdictOf(
  verifier: Signatory,
  judgement: Judgement,
  about: { readonly obligation: Hash; readonly commitment: Hash; readonly draw: number },
) {
  return {
    verifier,
    ...about,
    question: questions.indexOf(judgement.question),
    result: verdictResults.indexOf(judgement.result),
    confidence: judgement.confidence,
    score: judgement.score,
    basis: judgement.basis,
    agreeing: judgement.agreeing,
  };
}

/** Each verifier's signature over all its verdicts of a wave, in their order. */
async function signVerdicts(
  world: World,
  mission: Mission,
  verdicts: readonly ReturnType<typeof verdictOf>[],
  deadline: number,
): Promise<(verifier: Signatory) => Hex> {
  const signatures = new Map<Signatory, Hex>();
  for (const verifier of new Set(verdicts.map((verdict) => verdict.verifier))) {
    const own = verdicts.filter((verdict) => verdict.verifier === verifier);
    const message = { verifier: verifier.account.address, verdicts: own, deadline };
    signatures.set(verifier, await signMessage(world.client, verifier.account, "Verdicts", message, mission.address));
  }
  return (verifier) => {
    const signature = signatures.get(verifier);
    if (signature === undefined) throw new RangeError(`${verifier.account.address} has signed nothing`);
    return signature;
  };
}

function idsIn(items: unknown): string[] {
  return listOf(items).flatMap((item) => {
    const id = field(item, "id");
    return typeof id === "string" ? [id] : [];
  });
}

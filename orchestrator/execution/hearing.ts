/** Jobs of external escrows before a panel of the city's verifiers: their on-chain state, and how the work is judged by its commission. */
import { concat, keccak256, numberToHex, zeroHash } from "viem";
import { z } from "zod";
import { clearingEvaluatorAbi } from "../chain/abi/ClearingEvaluator.ts";
import { evidenceRegistryAbi } from "../chain/abi/EvidenceRegistry.ts";
import type { By, Said } from "../clearing/findings.ts";
import { type Judgement, judgePolicy, judgeReexecution, type Submission } from "../clearing/judgement.ts";
import { type Asked, judgeByKinds, meshProblem, questionsAbout } from "../clearing/mesh.ts";
import type { CityClient } from "../client/client.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { JsonObject } from "../primitives/json.ts";
import { compileSchema, describeProblem } from "../primitives/json-schema.ts";
import { evidenceClasses, evidenceKinds } from "../protocol/evidence.ts";
import { deliverableOf, hearingKey, hearingObligation, questionsOf } from "../protocol/hearing.ts";
import type { Commission, HearingTerms } from "../protocol/hearing-schema.ts";
import { PANEL_KINDS, type PanelKind } from "../protocol/verifier-kinds.ts";
import { EvidenceClass, geq } from "../rules/admissibility.ts";
import { panelSeed, readSeat } from "../rules/panel-draw.ts";
import type { SignedItem } from "./evidence.ts";
import type { JobWork } from "./seat.ts";
import { isIssued, isVouched } from "./vouched.ts";

/** In the order of `IClearingEvaluator.Outcome`. */
export const HEARING_OUTCOMES = ["NONE", "PASS", "FAIL", "CONTRADICTED"] as const;
export type HearingOutcome = (typeof HEARING_OUTCOMES)[number];

/** A hearing's on-chain state. */
export interface HearingView {
  /** Obligation of the terms; undefined if the job was not registered. */
  readonly obligation: Hash | undefined;
  /** The provider's commitment; undefined until it delivers. */
  readonly work: Hash | undefined;
  readonly drawBlock: number;
  /** End of the panel's window, unix seconds. */
  readonly closesAt: number;
  /** Basis points. */
  readonly score: number;
  readonly confidence: number;
  readonly panels: number;
  readonly outcome: HearingOutcome;
  /** All members were heard: nothing can be added. */
  readonly isComplete: boolean;
  readonly isClosed: boolean;
  /** The first panel's decision, if it was challenged: it stands unless the second panel decides. */
  readonly challenged: { readonly by: "client" | "provider"; readonly outcome: HearingOutcome; readonly score: number } | undefined;
}

/** In the order of `IClearingEvaluator.Challenger`. */
const CHALLENGERS = [undefined, "client", "provider"] as const;

type Job = Pick<HearingTerms, "escrow" | "jobId">;

export async function viewHearing(client: CityClient, { escrow, jobId }: Job): Promise<HearingView> {
  const { digest, work, outcome, complete, closed, standing, standingScore, challenger, ...rest } =
    await client.chain.publicClient.readContract({
      abi: clearingEvaluatorAbi,
      address: client.addresses.ClearingEvaluator,
      functionName: "hearingOf",
      args: [escrow, BigInt(jobId)],
    });
  const [name, stood] = [HEARING_OUTCOMES[outcome], HEARING_OUTCOMES[standing]];
  if (name === undefined || stood === undefined) throw new RangeError(`unknown outcome ${outcome}, ${standing}`);
  const by = CHALLENGERS[challenger];
  const challenged = by === undefined ? undefined : { by, outcome: stood, score: standingScore };
  const known = (hash: Hash) => (hash === zeroHash ? undefined : hash);
  return { ...rest, obligation: known(digest), work: known(work), outcome: name, isComplete: complete, isClosed: closed, challenged };
}

/** The obligation that evidence and verdicts about a job name, in this city. */
export function obligationOfJob({ chain, addresses }: Pick<CityClient, "chain" | "addresses">, terms: HearingTerms): Hash {
  return hearingObligation({ chainId: chain.id, evaluator: addresses.ClearingEvaluator }, terms);
}

/** The drawn panel, in order; undefined before the next block, or once the hash of the drawing block is no longer available. */
export async function panelOfHearing(
  { chain, addresses }: CityClient,
  terms: HearingTerms,
  { drawBlock, panels, challenged }: Pick<HearingView, "drawBlock" | "panels" | "challenged">,
): Promise<readonly Address[] | undefined> {
  const registry = { abi: evidenceRegistryAbi, address: addresses.EvidenceRegistry, blockTag: "pending" } as const;
  const hash = await chain.publicClient.readContract({ ...registry, functionName: "seedOf", args: [BigInt(drawBlock)] });
  if (hash === zeroHash) return undefined;
  const key = hearingKey(terms.escrow, BigInt(terms.jobId));
  const seed = panelSeed(keccak256(concat([hash, key])), addresses.ClearingEvaluator, 0, panels);
  const size = sizeOfPanel(terms, challenged !== undefined);
  const args = [seed, size, partiesTo(terms), BigInt(drawBlock)] as const;
  const seats = await chain.publicClient.readContract({ ...registry, functionName: "drawPanel", args });
  return seats.map((seat) => readSeat(seat).verifier);
}

/** The class of a receipt. */
export const RECEIPT = "REC";

/** An issuer's receipt for the work of a job: an item of the envelope that the provider delivers with, and the message that it signs for it. */
export function jobReceipt(issuer: Address, { obligation, payload, index }: Pick<JobWork, "obligation" | "payload" | "index">) {
  const item = { slot: 0, index, kind: evidenceKinds.RECEIPT, payload };
  return {
    item: { ...item, issuer, class: RECEIPT },
    message: { issuer, items: [{ ...item, obligation, class: EvidenceClass[RECEIPT] }] },
  } as const;
}

/** Members of a panel. A challenge is heard by twice as many, and one more. */
export const sizeOfPanel = ({ panelSize }: HearingTerms, isChallenged: boolean): number => (isChallenged ? 2 * panelSize + 1 : panelSize);

/** Accounts and principals whose issuers and verifiers are excluded. */
export const partiesTo = ({ client, provider, clientPrincipal, providerPrincipal }: HearingTerms) => [
  client,
  provider,
  clientPrincipal,
  providerPrincipal,
];

/** `JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable)`, as in the draft of ERC-8183. */
const SUBMITTED = keccak256(new TextEncoder().encode("JobSubmitted(uint256,address,bytes32)"));

const submittedSchema = z.array(z.object({ blockNumber: z.coerce.number(), data: z.string() }));

/** Blocks before a job is brought in which what was submitted to its escrow still counts: nodes answer no questions about all there ever were. */
export const MAX_EARLIER = 200_000;

/** What an escrow says was submitted for a job. */
export interface Submitted {
  readonly deliverable: string;
  readonly block: number;
}

/** The last that the escrow says was submitted for a job from a block on: what another hash is for is not what is paid. */
export async function submittedSince(
  { chain }: Pick<CityClient, "chain">,
  { escrow, jobId }: Job,
  fromBlock: number,
  toBlock?: number,
): Promise<Submitted | undefined> {
  const [job, to] = [numberToHex(BigInt(jobId), { size: 32 }), toBlock === undefined ? "latest" : numberToHex(toBlock)];
  const filter = { address: escrow, fromBlock: numberToHex(fromBlock), toBlock: to, topics: [SUBMITTED, job] };
  const last = submittedSchema.parse(await chain.request({ method: "eth_getLogs", params: [filter] })).at(-1);
  return last && { deliverable: last.data, block: last.blockNumber };
}

/** Whether the escrow says in this block that the deliverable was submitted. Every node answers that, however little it tells of events. */
export async function isSubmittedIn(client: Pick<CityClient, "chain">, terms: Job, deliverable: Hash, block: number): Promise<boolean> {
  return (await submittedSince(client, terms, block, block))?.deliverable === deliverable;
}

/**
 * Items of an envelope on which a verdict may rest: at the floor, and signed by an issuer registered in this city for that class and
 * without a part in the job.
 */
export async function admissibleItems(
  client: CityClient,
  terms: HearingTerms,
  items: readonly SignedItem[],
): Promise<readonly SignedItem[]> {
  const obligation = obligationOfJob(client, terms);
  const floor = EvidenceClass[floorOf(terms)];
  const parties = partiesTo(terms);
  const admitted: SignedItem[] = [];
  for (const item of items) {
    if (!geq(EvidenceClass[item.class], floor) || parties.includes(item.issuer)) continue;
    if (parties.includes(await client.evidence.principalOf(item.issuer))) continue;
    if (await isIssued(client, client.addresses.ClearingEvaluator, obligation, item)) admitted.push(item);
  }
  return admitted;
}

function floorOf({ floor }: HearingTerms) {
  const name = evidenceClasses[floor];
  if (name === undefined) throw new RangeError(`unknown evidence class ${floor}`);
  return name;
}

/** What a panel judges. */
export interface JobCase {
  readonly terms: HearingTerms;
  readonly commission: Commission;
  readonly work: JsonObject;
  /** Admissible items only. */
  readonly items: readonly SignedItem[];
}

/** A member of a panel, and how it queries its model. */
export interface JobMember extends By {
  readonly ask: (questions: readonly Asked[]) => Promise<Said | undefined>;
}

/** Kinds of check that a commission requires, in the order of their findings. */
export function kindsOf({ kinds }: Commission): readonly PanelKind[] {
  return PANEL_KINDS.filter((kind) => kinds.includes(kind));
}

/** One verifier's answers, in the order of the questions. A verdict without an admissible item becomes an abstention. */
export async function judgementsOnJob(
  client: CityClient,
  { terms, commission, work, items }: JobCase,
  { verifier, obligation, ask }: JobMember,
): Promise<readonly Judgement[]> {
  const submission = submissionOf(work, items);
  const problems = problemsWith(commission, work);
  const { rubric = "" } = commission;
  const kinds = kindsOf(commission);
  const asked = kinds.includes("semantic") && items.length > 0 ? questionsAbout([submission], { verifier, obligation, rubric }) : [];
  const vouching = { mission: client.addresses.ClearingEvaluator, obligation, floor: floorOf(terms), agent: terms.provider };
  const performance = async () =>
    judgeByKinds([submission], {
      ...{ verifier, obligation, kinds, rubric },
      replay: judgeReexecution(submission, false),
      problemsOf: async () => problems,
      isVouched: (one) => isVouched(client, vouching, one, items),
      said: asked.length === 0 ? undefined : await ask(asked),
    });
  const answers = questionsOf(terms).map(async (question) =>
    question === "PERFORMANCE" ? performance() : judgePolicy([submission], problems),
  );
  return Promise.all(answers);
}

/** Checks an external verifier's answers: each must be its own, on this work, by the commission's kinds. */
export function problemOfJob({ commission, work, items }: JobCase, judgements: readonly Judgement[], by: By): string | undefined {
  const { rubric = "" } = commission;
  for (const judgement of judgements) {
    const kinds = judgement.question === "PERFORMANCE" ? kindsOf(commission) : [];
    const problem = meshProblem([submissionOf(work, items)], judgement, { ...by, kinds, rubric });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function submissionOf(work: JsonObject, items: readonly SignedItem[]): Submission {
  const outputHash = deliverableOf(work);
  const exhibits = items.map(({ slot, index, kind, payload }) => ({ slot, index, kind, payload }));
  return { slot: 0, outputHash, handed: outputHash, output: work, exhibits };
}

/** Violations of the commission's schema by the work. */
function problemsWith({ schema }: Commission, work: JsonObject): readonly string[] {
  const misfit = schema === undefined ? undefined : compileSchema(schema)(work);
  return misfit === undefined ? [] : [`the work does not fit its schema: ${describeProblem(misfit)}`];
}

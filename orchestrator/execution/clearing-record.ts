import { z } from "zod";
import { meetAll, RAILS_ADMISSIBILITY } from "../clearing/admissibility.ts";
import { bindObligation } from "../clearing/bind.ts";
import { type Cleared, clear, clearingDecisionSchema } from "../clearing/clearing-decision.ts";
import { type Deployment, deployment } from "../clearing/deployment.ts";
import {
  type EvidenceEnvelope,
  type EvidenceItem,
  emitted,
  envelopeId,
  envelopeSchema,
  hopHash,
  itemHash,
  sealEnvelope,
  selfReport,
} from "../clearing/evidence-envelope.ts";
import { fromBps, nameSchema, QUESTIONS, timeOf, toBps } from "../clearing/fields.ts";
import { saidDigest } from "../clearing/findings.ts";
import { ingest } from "../clearing/ingest.ts";
import type { Judgement } from "../clearing/judgement.ts";
import { JUDGE_RULES } from "../clearing/mesh.ts";
import { obligationSchema, signObligation } from "../clearing/obligation.ts";
import type { Checked } from "../clearing/refusal.ts";
import { type Role, registryOf } from "../clearing/registry.ts";
import { messageOf } from "../clearing/seal.ts";
import { publicKeySchema, type Signer } from "../clearing/signature.ts";
import { outputHash, signOutput, type VerifierOutput, verifierOutputSchema } from "../clearing/verifier-output.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Hash } from "../primitives/hex.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { type EvidenceClassName, evidenceKinds, ITEMS_PER_SLOT, type QuestionName, questions } from "../protocol/evidence.ts";
import { EvidenceClass, REFUTATION } from "../rules/admissibility.ts";
import { ClearingResult, drawnWeight, overall } from "../rules/clearing.ts";
import type { ClaimFile } from "./claims.ts";
import type { SignedItem, Word } from "./evidence.ts";
import { type NodeTerms, termsOfNode } from "./obligation.ts";
import type { Signing } from "./seat.ts";

/**
 * One clearing of a node in terms of RAILS: the obligation signed by both sides, the evidence, each verifier's output, and the decision.
 * The chain decides by its own Γ from its own signatures; these documents let anyone clear again.
 */
export const clearingRecordSchema = z.strictObject({
  /** Public keys by id; an id begins with the key's account. */
  keys: z.record(nameSchema, publicKeySchema),
  /** Prior weights by verifier, from the registry. */
  weights: z.record(nameSchema, z.int().nonnegative()),
  obligation: obligationSchema,
  envelope: envelopeSchema,
  outputs: z.array(verifierOutputSchema),
  decision: clearingDecisionSchema,
});
export type ClearingRecord = z.infer<typeof clearingRecordSchema>;

/** The city's clearing deployment: what it knows of a party. */
export interface Standing {
  readonly id: string;
  readonly principal: string;
  readonly issues?: readonly string[];
  readonly role?: Role | "engine";
}

/** A verifier answers each question separately, so it has one seat per question. */
export function seatOf(verifier: string, question: QuestionName): string {
  return `${verifier}/${question.toLowerCase()}`;
}

/** Roles of seats: performance is judged on claims checked by issuers, policy by the law's predicates. */
export function roleOf(question: QuestionName): Role {
  return question === "PERFORMANCE" ? "attestation" : "policy";
}

/** The engine signs under its own name: its account neither issues evidence nor acts for a party. */
export function engineOf(runner: string): string {
  return `${runner}/engine`;
}

/** The city's clearing deployment for the parties named in a record. */
export function cityDeployment(
  keys: ClearingRecord["keys"],
  standings: readonly Standing[],
  options: Partial<Pick<Deployment, "verify" | "undertook" | "ended" | "appealed">> = {},
): Deployment {
  const known = standings.map(({ id, principal, issues = [], role }) => {
    const key = keys[id] ?? NO_KEY;
    return { id, principal, key, issues: [...issues], ...(role === undefined ? {} : { role }) };
  });
  return deployment(registryOf(known), options);
}

/** Key of a party that signed nothing here; no signature matches it. */
const NO_KEY: z.infer<typeof publicKeySchema> = `secp256k1:0x02${"00".repeat(32)}`;

/** Drawn verifiers and their weights. */
export type Panel = readonly { readonly verifier: string; readonly weight: number }[];

/** By seat. */
export function weightsOf(panel: Panel, asked: readonly QuestionName[]): ClearingRecord["weights"] {
  return Object.fromEntries(
    panel.flatMap(({ verifier, weight }) => asked.map((question) => [seatOf(verifier, question), weight] as const)),
  );
}

/** Total weight and members of the panel; a member with two seats counts once. */
function drawnFrom(weights: ClearingRecord["weights"]): { readonly drawn: number; readonly members: number } {
  const weighed = new Map(Object.entries(weights).map(([seat, weight]) => [seat.split("/")[0], weight]));
  return { drawn: drawnWeight([...weighed.values()]), members: weighed.size };
}

/** What one slot handed in, with its claim. */
export interface Handed {
  readonly slot: number;
  readonly agent: string;
  readonly items: readonly SignedItem[];
  readonly claimed: ClaimFile;
}

/**
 * Documents signed in a clearing: an executor's claim, an issuer's finding, the submitted evidence, and a verifier's output. An executor
 * accepted the obligation by its bid.
 */
export type ClearingDocument =
  | { readonly kind: "claim"; readonly obligation: Hash; readonly artifact: Artifact; readonly issuedAt: string }
  | {
      readonly kind: "item";
      readonly obligation: Hash;
      readonly artifact: Artifact;
      readonly class: EvidenceClassName;
      readonly issuedAt: string;
    }
  | { readonly kind: "envelope"; readonly body: EnvelopeBody }
  | { readonly kind: "output"; readonly body: OutputBody; readonly envelope: EvidenceEnvelope };

interface Artifact {
  readonly id: string;
  readonly type: string;
  readonly content: NonNullable<EvidenceItem["content"]>;
}
type EnvelopeBody = Parameters<typeof sealEnvelope>[1];
type OutputBody = Omit<VerifierOutput, "signature">;

/** The bytes to sign for a document. */
export function bytesUnder(document: ClearingDocument, by: string): Uint8Array {
  switch (document.kind) {
    case "claim":
    case "item": {
      const { obligation, artifact, issuedAt } = document;
      const { id, type, content } = artifact;
      const claimed = document.kind === "claim" ? "SIGN" : document.class;
      return messageOf("hop", hopHash(obligation, selfReport(id, type, content), { emitter: by, class: claimed, issued_at: issuedAt }));
    }
    case "envelope":
      return messageOf("envelope", envelopeId({ ...document.body, submitted_by: by }));
    case "output":
      return messageOf("verifier-output", outputHash(document.body));
  }
}

/** Signers of a record, in this process or elsewhere. */
export interface Hands {
  readonly of: (account: string) => Pick<Signing, "seal">;
  readonly engine: Signer;
}

/** Inputs of a clearing. */
export interface ClearingCase {
  readonly terms: NodeTerms;
  readonly panel: Panel;
  readonly handed: readonly Handed[];
  /** Issuers' refutations of work without evidence. */
  readonly refutations?: readonly Word[];
  /** Each verifier's own judgements. */
  readonly judgementsOf: (verifier: string) => readonly Judgement[];
}

/**
 * Creates the signed record of one clearing. Deterministic except for `now`, seconds of chain time. A claim that an absent executor does
 * not sign is left out, since no verdict rests on it; the engine then submits what others attest. Throws SeatAbsent if an issuer or a
 * verifier does not sign: the decision rests on their words.
 */
export async function makeClearingRecord(
  { terms, panel, handed, refutations = [], judgementsOf }: ClearingCase,
  { of, engine }: Hands,
  now: bigint,
): Promise<ClearingRecord> {
  const keys = new Map([[engine.id, engine.key]]);
  /** A signature, made before the document that carries it. */
  const signed = async (id: string, document: ClearingDocument): Promise<Signer> => {
    const { publicKey, signature } = await of(id.split("/")[0] ?? id).seal(document);
    const signer = sealerOf(id, { publicKey, sign: () => signature });
    keys.set(id, signer.key);
    return signer;
  };
  const obligation = signObligation(termsOfNode(terms), {});
  const hash = obligation.obligation_hash;
  const shown = (await Promise.all(handed.map((one) => itemsOf(hash, one, signed)))).flat();
  const against = await Promise.all(refutations.map((word) => wordOf(hash, word, signed)));
  const items = [...shown, ...against];
  const body = { obligation_hash: hash, submitted_at: timeOf(now), items };
  // The first executor that handed something in submits for all; the engine if it is absent.
  const [first] = handed;
  const submitter = first && (await unlessAbsent(() => signed(first.agent, { kind: "envelope", body })));
  const envelope = sealEnvelope(submitter ?? engine, body);
  const outputs = await Promise.all(
    panel.flatMap(({ verifier }) =>
      judgementsOf(verifier).map(async (judgement): Promise<VerifierOutput> => {
        const body = outputOf(verifier, judgement, terms, envelope);
        return signOutput(await signed(body.verifier, { kind: "output", body, envelope }), body);
      }),
    ),
  );
  const bare = { keys: Object.fromEntries(keys), weights: weightsOf(panel, terms.law.questions), obligation, envelope, outputs };
  // Every signature was made just above; conflicts of interest are checked by the chain, and again by the audit.
  const { decision } = clearAgain(bare, cityDeployment(bare.keys, standingsSaid(bare, engine.id), TRUSTED), engine, now);
  return { ...bare, decision };
}

/** A verifier's answer to one question, as a document. */
export function outputOf(
  verifier: string,
  { question, result, confidence, basis, score, agreeing, findings }: Judgement,
  { executors }: { readonly executors: readonly Pick<NodeTerms["executors"][number], "slot" | "agent">[] },
  envelope: EvidenceEnvelope,
): OutputBody {
  const itemsIn = (bits: bigint) => envelope.items.filter(({ id }) => (bits & bitOf(id)) !== 0n);
  const agentsIn = (mask: number) => executors.flatMap(({ slot, agent }) => (((mask >> slot) & 1) === 1 ? [agent] : []));
  const own = itemsIn(basis);
  return {
    verifier: seatOf(verifier, question),
    role: roleOf(question),
    obligation_hash: envelope.obligation_hash,
    envelope_id: envelope.envelope_id,
    answers: [{ question: question === "PERFORMANCE" ? "performance" : "policy" }],
    class_of_basis: meetAll(
      RAILS_ADMISSIBILITY,
      own.map((item) => item.class),
    ),
    basis: own.map(itemHash),
    verdict: result,
    confidence: fromBps(confidence),
    score: fromBps(score),
    agreeing: agentsIn(agreeing),
    ...(findings === undefined
      ? {}
      : {
          findings: findings.map((finding) => ({
            kind: finding.kind,
            verdict: finding.result,
            confidence: fromBps(finding.confidence),
            score: fromBps(finding.score),
            basis: itemsIn(finding.basis).map(itemHash),
            agreeing: agentsIn(finding.agreeing),
            from: finding.from,
            ...(finding.said === undefined
              ? {}
              : { said: { model: finding.said.model, prompt: JUDGE_RULES, answers: saidDigest(finding.said) } }),
          })),
        }),
  };
}

/** For documents that this process has just created from on-chain facts. */
export const TRUSTED: Pick<Deployment, "verify" | "undertook" | "ended" | "appealed"> = {
  verify: () => true,
  undertook: () => true,
  ended: () => true,
  appealed: () => true,
};

/**
 * Party relations stated by documents alone: each party stands for itself, and whoever issued a class may. Only the chain can confirm them.
 */
export function standingsSaid(
  {
    keys,
    obligation,
    envelope,
  }: Pick<ClearingRecord, "keys" | "obligation"> & { readonly envelope?: ClearingRecord["envelope"] | undefined },
  engine: string,
): Standing[] {
  const { parties, agents = [] } = obligation;
  const ids = new Set([...Object.keys(keys), parties.requestor, parties.provider, ...agents]);
  const hops = (envelope?.items ?? []).flatMap(({ type, provenance }) => (type === "claim" ? [] : provenance));
  return [...ids].map((id) => {
    const question = questions.find((each) => id === seatOf(id.split("/")[0] ?? id, each));
    const issues = hops.filter(({ emitter }) => emitter === id).map((hop) => hop.class);
    const role = id === engine ? "engine" : question === undefined ? undefined : roleOf(question);
    return { id, principal: id, issues, ...(role === undefined ? {} : { role }) };
  });
}

/** Clears a record's documents with the library. Throws what ingest or binding refuse. */
export function clearAgain(
  { obligation, envelope, outputs, weights }: Omit<ClearingRecord, "decision">,
  world: Deployment,
  engine: Signer,
  now: bigint,
): Cleared {
  const bound = granted(bindObligation(obligation, world));
  const admitted = granted(ingest(envelope, bound, world));
  const [refused] = admitted.refusals;
  if (refused !== undefined) throw new NotCleared(refused);
  const input = { obligation: bound, envelope: admitted, outputs, deployment: world, engine, now };
  // The record's order of verifiers has no meaning.
  const panel = Object.keys(weights).sort();
  const cleared = clear({ ...input, panel, weightOf: (seat) => weights[seat] ?? 0, ...drawnFrom(weights) });
  const [broken] = cleared.refusals;
  if (broken !== undefined) throw new NotCleared(broken);
  return cleared;
}

/** The parts of the chain's clearing event that the documents state too. */
export interface ChainDecision {
  readonly result: number;
  readonly confidence: number;
  readonly evidenceClass: number;
  readonly basis: bigint;
  /** Basis points. */
  readonly score: number;
  /** One bit per slot. */
  readonly agreeing: number;
}

const RESULTS = {
  cleared: ClearingResult.PASS,
  complied: ClearingResult.PASS,
  failed: ClearingResult.FAIL,
  violated: ClearingResult.FAIL,
  disputed: ClearingResult.DISPUTED,
  unverifiable: ClearingResult.UNVERIFIABLE,
} as const;

/** The record's decision in on-chain terms: the chain answers all questions at once, and refers to items by position. */
export function asChainDecision({ decision, envelope, obligation }: ClearingRecord): ChainDecision {
  const answers = QUESTIONS.flatMap((question) => {
    const status = decision[question];
    const confidence = toBps(decision.question_confidence[question]);
    return status === "not_asked" ? [] : [{ result: RESULTS[status], confidence }];
  });
  const places = envelope.items.filter((item) => decision.aggregate_basis.includes(itemHash(item))).map(({ id }) => bitOf(id));
  const promises = obligation.settlement_policy?.release?.promises ?? [];
  const agreeing = promises.filter(({ payee }) => decision.agreeing?.includes(payee)).map(({ items }) => 1 << Number.parseInt(items, 10));
  return {
    ...overall(answers),
    score: toBps(decision.score ?? 0),
    agreeing: agreeing.reduce((mask, bit) => mask | bit, 0),
    evidenceClass: classCode(decision.class_of_basis),
    basis: places.reduce((bits, bit) => bits | bit, 0n),
  };
}

/** Whether chain and documents decided alike. */
export function isDecidedAs(record: ClearingRecord, chain: ChainDecision): boolean {
  const has = asChainDecision(record);
  const names = ["result", "confidence", "evidenceClass", "basis", "score", "agreeing"] as const;
  return names.every((name) => has[name] === chain[name]);
}

/** This city's own clearing rules refuse its documents. */
export class NotCleared extends AgentCityError {
  constructor({ guard, subject, details }: { readonly guard: string; readonly subject: string; readonly details: string }) {
    super("NotCleared", `The clearing's documents are invalid: ${guard}`, { details: `${subject}: ${details}` });
  }
}

export function granted<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new NotCleared(checked.refusals[0]);
  return checked.value;
}

/** The executor's claim under its own key, and the issuer's finding under the issuer's. */
async function itemsOf(
  obligation: Hash,
  { slot, agent, items, claimed }: Handed,
  signed: (id: string, document: ClearingDocument) => Promise<Signer>,
): Promise<EvidenceItem[]> {
  const issuedAt = issuedAtOf(claimed.outcome);
  const artifact = claimArtifact(slot, claimed.claim);
  const found: EvidenceItem[] = [];
  const signer = await unlessAbsent(() => signed(agent, { kind: "claim", obligation, artifact, issuedAt }));
  if (signer !== undefined) found.push(emitted(obligation, artifact, { signer, class: "SIGN", issuedAt }));
  for (const item of items) found.push(await wordOf(obligation, { item, outcome: claimed.outcome }, signed));
  return found;
}

async function wordOf(
  obligation: Hash,
  { item, outcome }: Word,
  signed: (id: string, document: ClearingDocument) => Promise<Signer>,
): Promise<EvidenceItem> {
  const document = itemDocument(obligation, item, outcome);
  const { artifact, issuedAt } = document;
  return emitted(obligation, artifact, { signer: await signed(item.issuer, document), class: item.class, issuedAt });
}

/** When an issuer checked a claim, with a precision of seconds, as documents write it. */
function issuedAtOf({ verified_at }: Pick<ClaimFile["outcome"], "verified_at">): string {
  return timeOf(Math.floor(Date.parse(verified_at) / 1000));
}

/** An executor's claim about a slot's output, as an item of the envelope. */
export function claimArtifact(slot: number, claim: ClaimFile["claim"]): Artifact {
  return { id: `${slot}/claim`, type: "claim", content: z.record(z.string(), z.json()).parse(claim) };
}

/** An issuer's finding as an item of the envelope. */
export function itemDocument(obligation: Hash, item: Omit<SignedItem, "signature">, outcome: ClaimFile["outcome"]) {
  const type = item.kind === evidenceKinds.RECEIPT ? "receipt" : "re-execution";
  const artifact: Artifact = { id: itemId(item), type, content: { payload: item.payload, outcome } };
  return { kind: "item", obligation, artifact, class: item.class, issuedAt: issuedAtOf(outcome) } as const;
}

export function sealerOf(id: string, { publicKey, sign }: ByteSigner): Signer {
  return { id, key: `${publicKey.algorithm}:${publicKey.key}`, sign: (message) => `${publicKey.algorithm}:${sign(message)}` };
}

/** Item i of slot s is bit 32·s + i of an on-chain basis, and `s/i` here. */
function placeOf({ slot, index }: { readonly slot: number; readonly index: number }): string {
  return `${slot}/${index}`;
}

/** Id of an item in an envelope: several issuers may refute one work at the same position. */
export function itemId({ issuer, ...item }: Pick<SignedItem, "slot" | "index" | "issuer">): string {
  return item.index === REFUTATION ? `${placeOf(item)}/${issuer}` : placeOf(item);
}

/** Whether an item refutes the work that it is about. */
export function isAgainst(id: string): boolean {
  return id.split("/")[1] === String(REFUTATION);
}

function bitOf(id: string): bigint {
  const [slot, index] = id.split("/").map(Number);
  return Number.isInteger(slot) && Number.isInteger(index) ? 1n << BigInt(ITEMS_PER_SLOT * (slot ?? 0) + (index ?? 0)) : 0n;
}

function classCode(name: string): number {
  const found = Object.entries(EvidenceClass).find(([each]) => each === name);
  return found?.[1] ?? EvidenceClass.SELF;
}

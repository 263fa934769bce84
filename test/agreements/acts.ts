import {
  type Act,
  type Agreement,
  type AgreementLife,
  agreementHash,
  BREAKER_LIMITS,
  type BreakerLimits,
  didOf,
  draftMessage,
  draftResult,
  type EvaluatorRecord,
  type Measured,
  messageBytes,
  messageHash,
  type Party,
  type PartyIdentity,
  proposalFrom,
  readAgreement,
  resultHash,
  type SignedKind,
  statementHash,
  templateOf,
} from "../../orchestrator/agreements/index.ts";
import { sha256Bytes } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { type ByteSigner, signerOf } from "../../orchestrator/primitives/signing.ts";

/** For tests in which the same people play every case in one second: what their breakers make of that is `breakers.test.ts`'s. */
export const PATIENT: BreakerLimits = { ...BREAKER_LIMITS, silences: 10_000, disputes: 10_000, proposals: 10_000 };

/** Two parties, an evaluator and a backup, and what each signs. */
export const START = 1_800_000_000;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
export const signerNamed = (name: string, algorithm: "ed25519" | "secp256k1" = "ed25519") =>
  signerOf(algorithm, sha256Bytes(new TextEncoder().encode(name)));
export const people = {
  client: signerNamed("a client"),
  provider: signerNamed("a provider", "secp256k1"),
  evaluator: signerNamed("an evaluator"),
  backup: signerNamed("a backup"),
};
export const identityOf = ({ publicKey }: ByteSigner) => ({ scheme: "w3c_did" as const, value: didOf(publicKey) });
/** An evaluator as a register has it: fit for research. */
export const recordOf = (identity: EvaluatorRecord["identity"], extra: Partial<EvaluatorRecord> = {}): EvaluatorRecord => ({
  ...{ identity, domains: ["research"], price: 1, available: true, evaluations: 60, canaries: 20, canaries_passed: 19, deviation: 4 },
  ...extra,
});
const seal = (by: ByteSigner, kind: SignedKind, hash: Hash) => by.sign(messageBytes(kind, hash));

/** Without money, unless `more` says so. */
const proposalNamed = (
  name: string,
  until: number,
  more: Partial<Pick<Agreement, "dispute" | "escrow" | "parties" | "verification" | "quality_criteria">> & {
    readonly visibility?: "public";
  } = {},
) => {
  const { quality_criteria, ...rest } = more;
  const proposal = proposalFrom(templateOf("research"), {
    verification: { strategy: "optimistic", depth: "semantic", challenge_window_seconds: 7_200, evaluator_timeout_seconds: 600 },
    parties: {
      client: { identity: identityOf(people.client) },
      provider: { identity: identityOf(people.provider) },
      evaluator: { identity: identityOf(people.evaluator), type: "agent_as_judge", backup: identityOf(people.backup) },
    },
    ...rest,
    agreement_id: `asa-${name}`,
    created_at: iso(START),
    expires_at: iso(until),
    description: "Literature",
    deliverable_format: "markdown",
  });
  return quality_criteria === undefined ? proposal : readAgreement({ ...proposal, quality_criteria });
};
export const DELIVERABLE: Hash = `0x${"22".repeat(32)}`;
const MEASURED = { accuracy: 88, completeness: 82, relevance: 91, sources: 5, writing: 82 };

/** `until`: unix second in which the offer ends. */
export const proposing = (
  name = "acts",
  until = START + 864_000,
  more: Parameters<typeof proposalNamed>[2] = {},
): Act & { readonly act: "propose" } => {
  const proposal = proposalNamed(name, until, more);
  const signature = seal(people.client, "proposal", agreementHash(proposal));
  return { act: "propose", document: JSON.parse(JSON.stringify(proposal)), signature };
};
export const accept = (life: AgreementLife, by: Party): Act => {
  const message = draftMessage(life.negotiation, { by, action: "accept", rationale_code: "other", timestamp: iso(START) });
  return {
    act: "negotiate",
    message: { ...JSON.parse(JSON.stringify(message)), signature: seal(people[by], "message", messageHash(message)) },
  };
};
export const sign = ({ agreement }: AgreementLife, by: Party, as: Party = by): Act => ({
  ...{ act: "sign", by, signature: seal(people[as], "agreement", agreementHash(agreement)) },
});
export const deliver = ({ agreement }: AgreementLife): Act => delivering(agreement);
/** `nonce`: the provider's part of the lot, where one delivery in several is judged. */
export const delivering = (
  agreement: Agreement,
  { deliverable = DELIVERABLE, nonce }: { readonly deliverable?: Hash; readonly nonce?: Hash } = {},
): Act => {
  const at = { agreement_hash: agreementHash(agreement), deliverable_hash: deliverable, timestamp: iso(START) };
  const delivery = nonce === undefined ? at : { ...at, nonce };
  return { act: "deliver", delivery, signature: seal(people.provider, "delivery", statementHash(delivery)) };
};
/** The client's nonce for the lot on whether it is judged. */
export const sampling = ({ agreement }: AgreementLife, nonce: Hash, as: Party = "client"): Act => {
  const sample = { agreement_hash: agreementHash(agreement), nonce, timestamp: iso(START) };
  return { act: "sample", sample, signature: seal(people[as], "sample", statementHash(sample)) };
};
/** Whom a party would have judge. */
export const nominating = ({ agreement }: AgreementLife, by: Party, evaluators: readonly ByteSigner[], as: Party = by): Act => {
  const nomination = { agreement_hash: agreementHash(agreement), by, evaluators: evaluators.map(identityOf), timestamp: iso(START) };
  return { act: "nominate", nomination, signature: seal(people[as], "nomination", statementHash(nomination)) };
};
/** A party's nonce for the lot on who judges. */
export const opening = ({ agreement }: AgreementLife, by: Party, nonce: Hash, as: Party = by): Act => {
  const draw = { agreement_hash: agreementHash(agreement), by, nonce, timestamp: iso(START) };
  return { act: "draw", draw, signature: seal(people[as], "draw", statementHash(draw)) };
};
/** `cost`: dollars. `as`: whose name it bears, if not that of the key. `history`: what the evaluator says of the deliveries before. */
export const result = (
  { agreement }: AgreementLife,
  by: "evaluator" | "backup" | ByteSigner,
  measured: Measured = MEASURED,
  {
    cost = 0,
    history,
    problems = [],
    as,
  }: {
    readonly cost?: number;
    readonly history?: readonly number[];
    readonly problems?: readonly string[];
    readonly as?: PartyIdentity;
  } = {},
): Act => {
  const judge = typeof by === "string" ? people[by] : by;
  const identity = as ?? identityOf(judge);
  const past = history === undefined ? {} : { history };
  const at = { verification_id: "v", timestamp: iso(START), deliverableHash: DELIVERABLE, identity, ...past };
  const measurement = { measured, evidence: {}, problems, confidence: 1, cost };
  const body = draftResult(agreement, at, measurement);
  return { act: "result", result: { ...JSON.parse(JSON.stringify(body)), signature: seal(judge, "result", resultHash(body)) } };
};
export const challenge = ({ agreement, results }: AgreementLife, by: Party): Act => {
  const said = { agreement_hash: agreementHash(agreement), result_hash: results.at(-1)?.hash ?? DELIVERABLE, by, timestamp: iso(START) };
  return { act: "challenge", challenge: said, signature: seal(people[by], "challenge", statementHash(said)) };
};
export const cancel = ({ agreement }: AgreementLife, as: Party = "provider"): Act => {
  const cancellation = { agreement_hash: agreementHash(agreement), timestamp: iso(START) };
  const by = (who: Party) => seal(people[who], "cancellation", statementHash(cancellation));
  return { act: "cancel", cancellation, signatures: { client: by("client"), provider: by(as) } };
};

/** What begins an agreement. */
export const SIGNED = [
  (life: AgreementLife) => accept(life, "provider"),
  (life: AgreementLife) => sign(life, "client"),
  (life: AgreementLife) => sign(life, "provider"),
];

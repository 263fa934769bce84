import { zeroHash } from "viem";
import { z } from "zod";
import { type ClaimAttestation, claimAttestationSchema, claimDigest } from "../attestation/claims.ts";
import type { LifecycleEvent } from "../attestation/events.ts";
import { advance, type ClaimRecord } from "../attestation/lifecycle.ts";
import { type VerificationOutcome, verificationOutcomeSchema } from "../attestation/outcome.ts";
import type { InferenceOracle, MeasurementFetcher, VerifierDeps } from "../attestation/ports.ts";
import { headOf, type TrailEntry, trailEntrySchema } from "../attestation/trail.ts";
import { verify } from "../attestation/verify.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256, parseContentId, sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject } from "../primitives/json.ts";
import { SIGNATURE_ALGORITHMS } from "../primitives/signing.ts";
import type { NodeView, SlotView } from "./chain-view.ts";
import type { RunResult } from "./sandbox/result.ts";
import { attemptKey, serviceById, type Work } from "./work.ts";
import type { Mission, Signatory, World } from "./world.ts";

/** Named by the claim; anyone with the code and the input can repeat it. */
export const RE_EXECUTION = "re-execution/v1";
const RECEIPT = "receipt/v1";

/** Payload of an item whose issuer got no output to name. */
export const NO_OUTPUT: Hash = zeroHash;

/** What an executor claims of its output, what an issuer found when it checked, and the story of the claim (Pramana 2). */
export const claimFileSchema = z.strictObject({
  claim: claimAttestationSchema,
  outcome: verificationOutcomeSchema,
  /** Hash of the output that the issuer had before it, zero for none: what its evidence says. */
  found: hashSchema,
  /** The issuer's key, for the outcome's signature. */
  key: z.strictObject({ algorithm: z.enum(SIGNATURE_ALGORITHMS), key: hexSchema }),
  trail: z.array(trailEntrySchema),
});
export type ClaimFile = z.infer<typeof claimFileSchema>;

/** One executor's work on one node. */
export interface Claimed {
  readonly mission: Mission;
  readonly view: NodeView;
  readonly slot: SlotView;
  readonly work: Work & { ok: true };
}

/** Where the claim of a slot's output is kept. */
export function claimKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, slot: number): readonly (string | number)[] {
  return ["claim", ...attemptKey(mission, view), slot];
}

/** That this output follows from that code on that input; checked by running it again. */
export async function claimInference(
  world: World,
  issuer: Signatory,
  subject: Claimed,
  input: JsonObject,
  rerun: () => Promise<JsonObject>,
): Promise<ClaimFile> {
  const { name, bundle } = serviceById(world, subject.work.service, subject.view.law.services);
  let found: Hash = NO_OUTPUT;
  const inference: InferenceOracle = {
    id: RE_EXECUTION,
    determinism: "deterministic",
    async entails({ conclusion }) {
      const source = canonicalBytes(await rerun());
      found = keccak256(source);
      return { holds: conclusion === `output ${found}`, source };
    },
  };
  const claim = inferenceClaim(claimantOf(world, subject), {
    service: name,
    label: subject.view.law.label,
    inputSha: sha256(canonicalBytes(input)),
    codeHash: bundle.codeHash,
    outputHash: subject.work.outputHash,
  });
  const outcome = await verify(claim, depsOf(world, issuer, { inference }));
  return { claim, outcome, found, key: issuer.seal().publicKey, trail: trailOf(claim, outcome) };
}

/** That these bytes were handed in; checked by reading them. */
export async function claimReceipt(world: World, issuer: Signatory, subject: Claimed): Promise<ClaimFile> {
  const { outputId, outputHash } = subject.work;
  let found: Hash = NO_OUTPUT;
  const measurements: MeasurementFetcher = {
    id: "content-store/v1",
    determinism: "deterministic",
    async read() {
      const source = await world.store.get(parseContentId(outputId));
      found = keccak256(source);
      return { value: found, unit: "keccak256", method: RECEIPT, source };
    },
  };
  const claim = receiptClaim(claimantOf(world, subject), { label: subject.view.law.label, outputHash, outputId });
  const outcome = await verify(claim, depsOf(world, issuer, { measurements }));
  return { claim, outcome, found, key: issuer.seal().publicKey, trail: trailOf(claim, outcome) };
}

/** Whose claim it is, of which slot, and when it was made. */
type Claimant = Pick<ClaimAttestation, "claim_id" | "attester_id" | "attested_at">;

function claimantOf(world: World, { mission, view, slot }: Claimed): Claimant {
  return {
    claim_id: ["claim", ...attemptKey(mission, view), slot.slot].join("/"),
    attester_id: slot.agent,
    attested_at: new Date(millisecondsOf(world)).toISOString(),
  };
}

/** What an executor claims where others run its code again. */
export function inferenceClaim(
  claimant: Claimant,
  work: { readonly service: string; readonly label: string; readonly inputSha: Hash; readonly codeHash: Hash; readonly outputHash: Hash },
): ClaimAttestation {
  return {
    claim_type: "inference",
    ...claimant,
    claim: `${work.service} gives this output on the input of ${work.label}`,
    premises: [`input ${work.inputSha}`, `code ${work.codeHash}`],
    conclusion: `output ${work.outputHash}`,
    inference_method: RE_EXECUTION,
  };
}

/** What it claims where outputs are compared. */
export function receiptClaim(
  claimant: Claimant,
  work: { readonly label: string; readonly outputHash: Hash; readonly outputId: string },
): ClaimAttestation {
  return {
    claim_type: "measurement",
    ...claimant,
    claim: `the output of ${work.label} was handed in`,
    measured_value: work.outputHash,
    unit: "keccak256",
    method: RECEIPT,
    measurement_source: `urn:agentcity:block:${work.outputId}`,
    uncertainty: 0,
  };
}

function millisecondsOf(world: World): number {
  return 1000 * Number(world.client.chain.clock.now());
}

/** An issuer checks one kind of claim; asked for another it has nothing to say. */
function depsOf(world: World, issuer: Signatory, own: Partial<VerifierDeps>): VerifierDeps {
  const refuse = (): Promise<never> => Promise.reject(new AgentCityError("NotMine", "This issuer does not check such claims"));
  const none = { id: "none", determinism: "deterministic" } as const;
  return {
    verifierId: issuer.account.address,
    signer: issuer.seal(),
    now: () => millisecondsOf(world),
    sources: { fetch: refuse },
    measurements: { ...none, read: refuse },
    similarity: { ...none, compute: refuse },
    inference: { ...none, entails: refuse },
    ...own,
  };
}

/** The story of a claim: emitted, checked, and withdrawn where it did not hold. */
export function trailOf(claim: ClaimAttestation, outcome: VerificationOutcome): TrailEntry[] {
  const { claim_id, claim_type, attester_id, attested_at } = claim;
  const { status, verifier_id: verifier } = outcome;
  const life: LifecycleEvent[] = [
    { action: "emit", claim: claim_id, claimType: claim_type, attester: attester_id, digest: claimDigest(claim) },
    { action: "verify", claim: claim_id, status, verifier },
    ...(status === "verified" ? [] : [{ action: "suppress", claim: claim_id } as const]),
  ];
  let known: ClaimRecord | undefined;
  const trail: TrailEntry[] = [];
  for (const event of life) {
    const { record, entry } = advance(known, headOf(trail), event, event.action === "emit" ? attested_at : outcome.verified_at);
    known = record;
    trail.push(entry);
  }
  return trail;
}

/** The output of a second run. Without one the claim is unverifiable. */
export function outputOf(run: RunResult): JsonObject {
  if (run.status === "ok" && isObject(run.output)) return run.output;
  const details = run.status === "ok" ? "the output is not an object" : `${run.kind}: ${run.details}`;
  throw new AgentCityError("NoOutput", "The second run gave no output", { details });
}

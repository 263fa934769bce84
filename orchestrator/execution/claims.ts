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
import { keccak256, sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject } from "../primitives/json.ts";
import { type ByteSigner, SIGNATURE_ALGORITHMS } from "../primitives/signing.ts";
import type { NodeView, SlotView } from "./chain-view.ts";
import { takesReceipts } from "./obligation.ts";
import type { RunResult } from "./sandbox/result.ts";
import { attemptKey, type HandedIn, inputOf, serviceById } from "./work.ts";
import type { Mission, RegisteredService, World } from "./world.ts";

/** Method named by a claim that anyone with code and input can reproduce. */
const RE_EXECUTION = "re-execution/v1";
const RECEIPT = "receipt/v1";

/** Payload of an item whose issuer obtained no output. */
export const NO_OUTPUT: Hash = zeroHash;

/** An executor's claim about its output, an issuer's finding, and the claim's trail (Pramana 2). */
export const claimFileSchema = z.strictObject({
  claim: claimAttestationSchema,
  outcome: verificationOutcomeSchema,
  /** Hash of the output that the issuer obtained, zero for none, as in its evidence. */
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
  readonly handed: HandedIn;
}

/** Record key of the claim about a slot's output. */
export function claimKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">, slot: number): readonly (string | number)[] {
  return ["claim", ...attemptKey(mission, view), slot];
}

/** An issuer's check of a claim. `obtain`: the bytes that were handed in, or those of a re-execution. */
export async function vouch(
  claim: ClaimAttestation,
  obtain: () => Promise<Uint8Array>,
  issuer: { readonly address: string; readonly signer: ByteSigner /** Chain time, milliseconds. */; readonly now: () => number },
): Promise<Pick<ClaimFile, "outcome" | "found" | "key">> {
  let found: Hash = NO_OUTPUT;
  const read = async () => {
    const source = await obtain();
    found = keccak256(source);
    return source;
  };
  const inference: InferenceOracle = {
    id: RE_EXECUTION,
    determinism: "deterministic",
    async entails({ conclusion }) {
      const source = await read();
      return { holds: conclusion === `output ${found}`, source };
    },
  };
  const measurements: MeasurementFetcher = {
    id: "content-store/v1",
    determinism: "deterministic",
    async read() {
      const source = await read();
      return { value: found, unit: "keccak256", method: RECEIPT, source };
    },
  };
  const { address: verifierId, signer, now } = issuer;
  const outcome = await verify(claim, { ...NOTHING, verifierId, signer, now, inference, measurements });
  return { outcome, found, key: signer.publicKey };
}

/** The claim with an issuer's finding. */
export function claimFile(claim: ClaimAttestation, vouched: Pick<ClaimFile, "outcome" | "found" | "key">): ClaimFile {
  return { claim, ...vouched, trail: trailOf(claim, vouched.outcome) };
}

/** The claimant, the slot, and the time of the claim. */
type Claimant = Pick<ClaimAttestation, "claim_id" | "attester_id" | "attested_at">;

/** A slot executor's claim about its output: that it follows from the code, if issuers re-execute it; otherwise that it was handed in. */
export async function claimOf(
  world: Pick<World, "client" | "services" | "strangers" | "store" | "remember" | "recent">,
  { mission, view, slot, handed }: Claimed,
): Promise<ClaimAttestation> {
  if (takesReceipts(view.law)) return receiptClaim(claimantIn(world, { mission, view, slot }), { label: view.law.label, handed });
  return inferenceOf(world, { mission, view, slot }, serviceById(world, handed.service, view.law.services), handed.hash);
}

/** The same for an output given by hash: what was handed in, or what a commitment was opened to. */
export async function inferenceOf(
  world: Pick<World, "client" | "store" | "remember" | "recent">,
  { mission, view, slot }: Omit<Claimed, "handed">,
  { name: service, bundle: { codeHash } }: RegisteredService,
  outputHash: Hash,
): Promise<ClaimAttestation> {
  const inputSha = sha256(canonicalBytes(await inputOf(world, mission, view)));
  return inferenceClaim(claimantIn(world, { mission, view, slot }), { service, label: view.law.label, inputSha, codeHash, outputHash });
}

function claimantIn(world: Pick<World, "client">, { mission, view, slot }: Omit<Claimed, "handed">): Claimant {
  return {
    claim_id: ["claim", ...attemptKey(mission, view), slot.slot].join("/"),
    attester_id: slot.agent,
    attested_at: new Date(millisecondsOf(world)).toISOString(),
  };
}

/** The claim where issuers re-execute the code. */
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

/** The claim where outputs are compared: that these bytes, which are still sealed, existed by then. */
export function receiptClaim(
  claimant: Claimant,
  { label, handed }: { readonly label: string; readonly handed: Pick<HandedIn, "id" | "hash"> },
): ClaimAttestation {
  return {
    claim_type: "measurement",
    ...claimant,
    claim: `the work of ${label} was handed in`,
    measured_value: handed.hash,
    unit: "keccak256",
    method: RECEIPT,
    measurement_source: `urn:agentcity:block:${handed.id}`,
    uncertainty: 0,
  };
}

function millisecondsOf({ client }: Pick<World, "client">): number {
  return 1000 * Number(client.chain.clock.now());
}

const refuse = (): Promise<never> => Promise.reject(new AgentCityError("NotMine", "This issuer does not check such claims"));

/** An issuer checks its own kinds of claim only; other checks find nothing. */
const NOTHING: Pick<VerifierDeps, "sources" | "similarity"> = {
  sources: { fetch: refuse },
  similarity: { id: "none", determinism: "deterministic", compute: refuse },
};

/** The trail of a claim: emitted, checked, and withdrawn if it was not verified. */
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

/** The output of a re-execution. Throws without one, which makes the claim unverifiable. */
export function outputOf(run: RunResult): JsonObject {
  if (run.status === "ok" && isObject(run.output)) return run.output;
  const details = run.status === "ok" ? "the output is not an object" : `${run.kind}: ${run.details}`;
  throw new AgentCityError("NoOutput", "The re-execution gave no output", { details });
}

/** The city's claim desk (Pramana): members emit their own claims, anyone may have them checked and read the whole record. */
import { z } from "zod";
import { didOf } from "../agreements/index.ts";
import {
  type AllowedOrigin,
  AttestationDesk,
  type ClaimEnvelope,
  claimEnvelopeSchema,
  type DeskStep,
  fixedMetricSimilarity,
  httpFetcher,
  recordMeasurements,
  ruleOracle,
  type SealedHead,
  type SourceFetcher,
  type TrailEntry,
  trailEntrySchema,
  type VerificationOutcome,
  verificationOutcomeSchema,
} from "../attestation/index.ts";
import { Admission } from "../primitives/admission.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Address, ContentId } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../primitives/json.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import type { Sql } from "../records/sql.ts";
import { busy } from "./arrivals.ts";
import { Refused } from "./errors.ts";

/** Time limit of a check, and largest window of a claim, milliseconds. */
export const CLAIM_WINDOW = 60_000;
/** Path where claims are checked. */
export const CLAIMS_PATH = "/v1/attestation";
/** URI prefix of a source that is a payload of this city's own stream, followed by its content id. */
const BLOCK = "urn:agentcity:block:";

/** Limits of an external source: bytes, and milliseconds in all. */
const SOURCE = { maxBytes: 1_048_576, timeoutMs: 5_000 };
/** Limits: bytes per claim; claims per attester and in all, permanently, since claims are never deleted. */
const MAX_BYTES = 8_192;
const MAX_EACH = 256;
const MOST = 16_384;
/** Concurrent and queued checks: a source may be slow. */
const AT_ONCE = 8;
const WAITING = 64;

export interface ClaimDeskOptions {
  readonly sql: Sql;
  readonly signer: ByteSigner;
  /** The machine's clock, milliseconds. */
  readonly millis: () => number;
  /** The city's public URL. */
  readonly url: () => string;
  readonly isMember: (key: Address) => Promise<boolean>;
  /** A public payload; undefined for any other. */
  readonly block: (id: ContentId) => Promise<Uint8Array | undefined>;
  /** Origins from which sources may be read. */
  readonly allow: readonly AllowedOrigin[];
}

const rowsSchema = z.array(z.object({ entry: z.string(), file: z.string().nullable() }));

export class ClaimDesk {
  readonly #options: ClaimDeskOptions;
  readonly #desk: AttestationDesk;
  readonly #checks = new Admission(AT_ONCE, WAITING, () => busy("Too many claims are being checked"));
  #kept: number;
  #keeping: Promise<unknown> = Promise.resolve();

  private constructor(options: ClaimDeskOptions, steps: readonly DeskStep[]) {
    const { signer, millis, block, allow } = options;
    const sources = sourcesOf(block, allow);
    const verifier = { verifierId: didOf(signer.publicKey), signer, now: () => Math.floor(millis()) };
    const oracles = {
      measurements: recordMeasurements(sources),
      similarity: fixedMetricSimilarity(sources),
      // A rule is named by the URI of its document.
      inference: ruleOracle(sources, (method) => method),
    };
    this.#options = options;
    this.#desk = AttestationDesk.resumed({ ...verifier, sources, ...oracles }, steps);
    this.#kept = steps.length;
  }

  /** The desk restored from the city's records. Throws TrailBroken if they were altered. */
  static async open(options: ClaimDeskOptions): Promise<ClaimDesk> {
    const rows = rowsSchema.parse(await options.sql.query("SELECT entry, file FROM gateway_claim_steps ORDER BY sequence"));
    return new ClaimDesk(options, rows.map(stepIn));
  }

  /** Accepts a claim of the request's signer. Throws NotAllowed, NotRegistered, QuotaExceeded, LifecycleRefused. */
  async emit(envelope: ClaimEnvelope, key: Address): Promise<void> {
    const { attestation, verify_endpoint_hint: hint, sla_window_ms: window, signature_alg: algorithm } = envelope;
    const { claim_id: claim, attester_id: attester } = attestation;
    // One key, one spelling: another would count as another attester.
    if (attester !== key)
      throw new Refused("NotAllowed", "Only a claim's attester may emit it", { action: `attester_id is the key that signs: ${key}` });
    if (!claim.startsWith(`${attester}:`))
      throw new Refused("BadRequest", "A claim's id must begin with its attester", { action: `name it ${attester}:<anything>` });
    const endpoint = `${this.#options.url()}${CLAIMS_PATH}/verify`;
    if (hint !== endpoint || window > CLAIM_WINDOW || algorithm !== this.#options.signer.publicKey.algorithm)
      throw new Refused("BadRequest", "This desk does not check claims in the way that the envelope states", {
        action: `verify_endpoint_hint ${endpoint}, sla_window_ms ${CLAIM_WINDOW} at most, signature_alg ${this.#options.signer.publicKey.algorithm}`,
      });
    if (canonicalBytes(envelope).length > MAX_BYTES) throw new Refused("QuotaExceeded", `A claim may have at most ${MAX_BYTES} bytes`);
    if (!(await this.#options.isMember(key)))
      throw new Refused("NotAllowed", "Only members of this city may emit claims here", {
        action: "use register_agent, or run your own desk",
      });
    const emitted = this.#desk.trail.filter(({ event }) => event.action === "emit");
    const own = emitted.filter(({ event }) => event.action === "emit" && event.attester === attester);
    if (own.length >= MAX_EACH || emitted.length >= MOST)
      throw new Refused("QuotaExceeded", `This desk keeps at most ${MAX_EACH} claims per attester and ${MOST} in all, permanently`);
    this.#desk.emit(envelope);
    await this.#keep();
  }

  /** Has a claim checked, once for all requests. Throws UnknownClaim, GatewayBusy. */
  async verify(claim: string, from: string): Promise<VerificationOutcome> {
    const { outcome: known } = this.#desk.file(claim);
    const outcome = known ?? (await this.#checks.run(() => this.#desk.verify(claim), from));
    await this.#keep();
    return outcome;
  }

  /** The complete record of a claim. Throws UnknownClaim. */
  async record(claim: string): Promise<{
    readonly envelope: ClaimEnvelope;
    readonly outcome: VerificationOutcome | undefined;
    readonly trail: readonly TrailEntry[];
    readonly head: SealedHead;
  }> {
    const { envelope, outcome } = this.#desk.file(claim);
    await this.#keep();
    const trail = this.#desk.trail.filter(({ event }) => event.claim === claim);
    return { envelope, outcome, trail, head: this.#desk.sealedHead() };
  }

  /** Stores new steps before they are reported. */
  #keep(): Promise<void> {
    const kept = this.#keeping.then(async () => {
      const steps = this.#desk.stepsFrom(this.#kept);
      if (steps.length === 0) return;
      await this.#options.sql.query(
        "INSERT INTO gateway_claim_steps (sequence, entry, file) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])",
        [
          steps.map(({ entry }) => entry.sequence),
          steps.map(({ entry }) => canonicalJson(entry)),
          steps.map(({ envelope, outcome }) => ((envelope ?? outcome) ? canonicalJson(envelope ?? outcome) : null)),
        ],
      );
      this.#kept += steps.length;
    });
    this.#keeping = kept.catch(() => {});
    return kept;
  }
}

function stepIn({ entry: text, file }: z.infer<typeof rowsSchema>[number]): DeskStep {
  const entry = trailEntrySchema.parse(parseJson(text));
  const said = file === null ? undefined : parseJson(file);
  return {
    entry,
    envelope: entry.event.action === "emit" ? claimEnvelopeSchema.parse(said) : undefined,
    outcome: entry.event.action === "verify" ? verificationOutcomeSchema.parse(said) : undefined,
  };
}

/** Public payloads of this city, and sources from the operator's allowed origins. */
function sourcesOf(block: ClaimDeskOptions["block"], allow: readonly AllowedOrigin[]): SourceFetcher {
  const elsewhere = httpFetcher({ allow, ...SOURCE });
  return {
    async fetch(uri) {
      if (!uri.startsWith(BLOCK)) return elsewhere.fetch(uri);
      const bytes = await block(parseContentId(uri.slice(BLOCK.length)));
      if (bytes === undefined) throw new Refused("NotFound", "There is no public payload with this id");
      return bytes;
    },
  };
}

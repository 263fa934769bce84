import type { ByteSigner } from "../primitives/signing.ts";
import type { MeasuredValue } from "./claims.ts";

/** Fetches the bytes of a URI. Rejects if they are unavailable, which makes a claim unverifiable, never false. */
export interface SourceFetcher {
  fetch(uri: string): Promise<Uint8Array>;
}

/** Whether the same question always gets the same answer (Pramana 2.5). A model is "replayable": queried again, then compared. */
export type Determinism = "deterministic" | "replayable";

interface Oracle {
  /** Procedure and version, for the record. */
  readonly id: string;
  readonly determinism: Determinism;
}

/** Reads the recorded value behind a measurement. */
export interface MeasurementFetcher extends Oracle {
  /** `source`: the bytes it was read from, or the transcript of a replayable oracle. */
  read(query: {
    readonly source: string;
    readonly method: string;
    readonly unit: string;
    readonly fields: readonly string[] | null;
  }): Promise<{
    readonly value: MeasuredValue;
    /** As recorded; the claim must name the same unit. */
    readonly unit: string;
    readonly method: string;
    readonly source: Uint8Array;
  }>;
}

/** Computes the similarity of a claim to a reference case. */
export interface SimilarityComputer extends Oracle {
  compute(query: { readonly method: string; readonly referenceCase: string; readonly claim: string }): Promise<{
    /** 0–1. */
    readonly score: number;
    readonly source: Uint8Array;
  }>;
}

/** Applies a named rule. */
export interface InferenceOracle extends Oracle {
  entails(query: { readonly method: string; readonly premises: readonly string[]; readonly conclusion: string }): Promise<{
    readonly holds: boolean;
    readonly source: Uint8Array;
  }>;
}

/** Everything that a check needs from outside. */
export interface VerifierDeps {
  readonly verifierId: string;
  readonly signer: ByteSigner;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sources: SourceFetcher;
  readonly measurements: MeasurementFetcher;
  readonly similarity: SimilarityComputer;
  readonly inference: InferenceOracle;
  /** Largest difference between recomputed and recorded similarity. Default 1e-6. */
  readonly similarityTolerance?: number;
  /**
   * Largest uncertainty that a measurement may claim around a recorded number, in its unit. Default: a tenth of the number. Without a limit
   * an attester could make any number true.
   */
  readonly uncertaintyLimit?: (recorded: number, unit: string) => number;
  /** Stores the transcript of a replayable oracle, which cannot be fetched again: `recordingFetcher` keeps it for a bundle. */
  readonly keep?: (transcript: Uint8Array) => void;
  /** Refuses analogies without a score, as regulated deployments should (Pramana 2.2). Default false. */
  readonly requireSimilarityScore?: boolean;
}

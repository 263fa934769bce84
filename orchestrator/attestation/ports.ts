import type { ByteSigner } from "../primitives/signing.ts";
import type { MeasuredValue } from "./claims.ts";

/** Bytes behind a URI. Rejects when they cannot be had: that makes a claim unverifiable, never false. */
export interface SourceFetcher {
  fetch(uri: string): Promise<Uint8Array>;
}

/** Whether the same question always gets the same answer (Pramana 2.5). A model is "replayable": asked again, then compared. */
export type Determinism = "deterministic" | "replayable";

interface Oracle {
  /** Names procedure and version: it goes on record. */
  readonly id: string;
  readonly determinism: Determinism;
}

/** Reads the recorded value behind a measurement. */
export interface MeasurementFetcher extends Oracle {
  /** `source` is the bytes it was read from, or the transcript of a replayable oracle. */
  read(query: {
    readonly source: string;
    readonly method: string;
    readonly unit: string;
    readonly fields: readonly string[] | null;
  }): Promise<{
    readonly value: MeasuredValue;
    /** As recorded; the claim must name the same. */
    readonly unit: string;
    readonly method: string;
    readonly source: Uint8Array;
  }>;
}

/** Computes the likeness of a claim to a reference case. */
export interface SimilarityComputer extends Oracle {
  compute(query: { readonly method: string; readonly referenceCase: string; readonly claim: string }): Promise<{
    /** 0–1. */
    readonly score: number;
    readonly source: Uint8Array;
  }>;
}

/** Replays a named rule. */
export interface InferenceOracle extends Oracle {
  entails(query: { readonly method: string; readonly premises: readonly string[]; readonly conclusion: string }): Promise<{
    readonly holds: boolean;
    readonly source: Uint8Array;
  }>;
}

/** Everything a check needs from outside. */
export interface VerifierDeps {
  readonly verifierId: string;
  readonly signer: ByteSigner;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sources: SourceFetcher;
  readonly measurements: MeasurementFetcher;
  readonly similarity: SimilarityComputer;
  readonly inference: InferenceOracle;
  /** How far a recomputed similarity may lie from the recorded one. Default 1e-6. */
  readonly similarityTolerance?: number;
  /**
   * The largest uncertainty that a measurement may claim around a recorded number, in its unit. Default: a tenth of the number. Without a
   * limit an attester could make any number true.
   */
  readonly uncertaintyLimit?: (recorded: number, unit: string) => number;
  /** Takes the transcript of a replayable oracle, whose bytes nobody can fetch again: `recordingFetcher` keeps them for a bundle. */
  readonly keep?: (transcript: Uint8Array) => void;
  /** Refuse analogies without a score, as regulated deployments should (Pramana 2.2). Default false. */
  readonly requireSimilarityScore?: boolean;
}

import type { ClaimAttestation, Digest } from "../attestation/claims.ts";
import type { VerificationOutcome } from "../attestation/outcome.ts";
import type { ClaimEnvelope, ToolResult } from "../attestation/wire.ts";
import { isObject, type JsonObject, parseJson } from "../primitives/json.ts";
import type { CheckFinding, Checks } from "./verification.ts";

/** How citations are read and checked: by functions of `agentcity/attestation`, whose ports are the evaluator's. */
export interface CitationChecks {
  readonly claimsOf: (result: ToolResult) => readonly ClaimEnvelope[];
  /** `recorded`: digest of the source when it was cited. */
  readonly verify: (claim: ClaimAttestation, recorded?: Digest) => Promise<Pick<VerificationOutcome, "status" | "method">>;
}

/** What a deliverable must cite; its provider chooses the citations, so both say what none of its choices can lower. */
export interface Referencing {
  /** Sources that full marks require. */
  readonly least: number;
  /** Characters of an excerpt; shorter ones count for nothing, since any page contains a word. Default 40. */
  readonly shortest?: number;
}

const SHORTEST = 40;
/** Sources that are read at most; further ones count as unconfirmed, so that no deliverable keeps an evaluator reading. */
export const MOST_SOURCES = 64;

/**
 * Cross-references of a deliverable, for composite verification, as a check for `evaluateDelivery`: the percentage of the sources cited that say
 * what is quoted of them, or of `least`, if it cites fewer. A JSON deliverable cites by claims of type citation under `pramana`, as MCP results
 * do; which sources are read at all, the evaluator's fetcher decides. A source with one wrong quotation, or that cannot be read, confirms nothing. The
 * evidence says how each check ended.
 */
export function crossReferences(
  { claimsOf, verify }: CitationChecks,
  { least, shortest = SHORTEST }: Referencing,
): (...of: Parameters<Checks[string]>) => Promise<Exclude<CheckFinding, number | boolean>> {
  return async (content) => {
    const cited = [...sourcesIn(claimsOf({ content: [], structuredContent: documentIn(content) }), shortest)];
    const read = cited.slice(0, MOST_SOURCES);
    const found = await Promise.all(
      read.map(async ([uri, claims]) => {
        const outcomes: Awaited<ReturnType<CitationChecks["verify"]>>[] = [];
        for (const { attestation, source_digest } of claims) outcomes.push(await verify(attestation, source_digest));
        return { uri, outcomes, holds: outcomes.every(({ status }) => status === "verified") };
      }),
    );
    const confirmed = found.filter(({ holds }) => holds).length;
    const lines = found.flatMap(({ uri, outcomes }) => outcomes.map(({ status, method }) => `${status} (${method}): ${uri}`));
    const missing = cited.length > read.length ? [`${cited.length - read.length} more sources were not read`] : [];
    const asked = Math.max(1, least, cited.length);
    const evidence = [`${confirmed} of ${asked} sources confirmed`, ...lines, ...missing].join("\n");
    return { value: Math.floor((100 * confirmed) / asked), evidence };
  };
}

/** Citations by source, in the order cited, without those too short to prove anything. */
function sourcesIn(envelopes: readonly ClaimEnvelope[], shortest: number): ReadonlyMap<string, readonly ClaimEnvelope[]> {
  const sources = new Map<string, ClaimEnvelope[]>();
  for (const envelope of envelopes) {
    const { attestation } = envelope;
    if (attestation.claim_type !== "citation") continue;
    // A source is one, however its quotations end; a short one counts for nothing, and costs nothing.
    if (attestation.source_excerpt.trim().length < shortest) continue;
    sources.set(attestation.source_uri, [...(sources.get(attestation.source_uri) ?? []), envelope]);
  }
  return sources;
}

/** The deliverable as an object; empty for any other content. */
function documentIn(content: Uint8Array): JsonObject {
  try {
    const document = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(content));
    return isObject(document) ? document : {};
  } catch {
    return {};
  }
}

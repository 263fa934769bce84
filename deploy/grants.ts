import type { CityContract } from "../orchestrator/protocol/addresses.ts";

/** Grants to accounts in a city. The law's own powers are those that change permissions. */
export const LAW = [
  "parameter",
  "procedure",
  "office",
  "envelope",
  "mandate",
  "evidence role",
  "template",
  "gate",
  "seat",
  "sanction",
] as const;
export type LawStanding = (typeof LAW)[number];

/** A function that grants or revokes standing, and its event. */
export interface LawGrant {
  readonly contract: CityContract;
  readonly functionName: string;
  readonly gives: LawStanding;
  readonly events: readonly string[];
}

const grant = (contract: CityContract, functionName: string, gives: LawStanding, ...events: string[]): LawGrant => ({
  contract,
  functionName,
  gives,
  events,
});

/**
 * All functions that change the law after genesis. Each is open only to the adjudication procedure, and thus to adjudicators' signatures;
 * `enact` is open to anyone and executes an amendment that was announced a timelock earlier.
 */
export const LAW_GRANTS: readonly LawGrant[] = [
  grant("ConstitutionContract", "setParam", "parameter", "ParameterSet"),
  grant("ConstitutionContract", "amend", "procedure", "AmendmentAnnounced"),
  grant("ConstitutionContract", "withdrawAmendment", "procedure", "AmendmentWithdrawn"),
  grant("ClerkContract", "appoint", "office", "ClerkAppointed"),
  grant("ClerkContract", "revoke", "office", "ClerkRevoked"),
  grant("ClerkContract", "setEnvelope", "envelope", "EnvelopeSet"),
  grant("ManagementContract", "setMandate", "mandate", "MandateSet"),
  grant("EvidenceRegistry", "registerIssuer", "evidence role", "IssuerRegistered"),
  grant("EvidenceRegistry", "registerVerifier", "evidence role", "VerifierRegistered"),
  grant("EvidenceRegistry", "registerRunner", "evidence role", "RunnerRegistered"),
  grant("EvidenceRegistry", "registerMonitor", "evidence role", "MonitorRegistered"),
  grant("EvidenceRegistry", "revoke", "evidence role", "Revoked"),
  grant("EvidenceRegistry", "suspend", "sanction", "PrincipalSuspended"),
  grant("TemplateRegistry", "publish", "template", "TemplatePublished"),
  grant("ExecutionProcedure", "approvePredicate", "gate", "PredicateApproved"),
  grant("AdjudicatorRoster", "seat", "seat", "Seated"),
  grant("AdjudicatorRoster", "impeach", "seat", "Impeached"),
  grant("ProducerContract", "freezePrincipal", "sanction", "PrincipalFrozen"),
  grant("ProducerContract", "freezeAgent", "sanction", "AgentFrozen"),
  grant("ProducerContract", "ban", "sanction", "AgentBanned"),
];

/** The function by which anyone enacts an announced procedure, and the announcement that must precede it. */
export const ENACTMENT = { contract: "ConstitutionContract", event: "ProcedureReplaced", announced: "AmendmentAnnounced" } as const;

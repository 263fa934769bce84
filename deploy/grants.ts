import type { CityContract } from "../orchestrator/protocol/addresses.ts";

/** What an account can be granted in a city. The law's own powers are those that change who may do what. */
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

/** A function that gives or takes standing, and the event that records it. */
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
 * Everything that changes the law after genesis. Each is open to the adjudication procedure alone, and so to adjudicators' signatures;
 * `enact` is open to anybody and carries out what they announced a timelock before.
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

/** What puts an announced procedure in office, by anybody; and the announcement that must have come before. */
export const ENACTMENT = { contract: "ConstitutionContract", event: "ProcedureReplaced", announced: "AmendmentAnnounced" } as const;

import type { ContractName } from "./contracts.ts";

/** The client property of each contract's actions. */
export const ROOMS = {
  constitution: "ConstitutionContract",
  token: "CityToken",
  agents: "ProducerContract",
  clerks: "ClerkContract",
  mandates: "ManagementContract",
  services: "ServiceContract",
  evidence: "EvidenceRegistry",
  treasury: "Treasury",
  templates: "TemplateRegistry",
  validator: "ConstitutionalValidator",
  legislation: "LegislativeProcedure",
  execution: "ExecutionProcedure",
  adjudication: "AdjudicationProcedure",
  roster: "AdjudicatorRoster",
  pools: "StakePool",
  watchdog: "AdjudicatorWatchdog",
  escrow: "AgreementEscrow",
  evaluator: "ClearingEvaluator",
} as const satisfies Record<string, Exclude<ContractName, "CollaborationContract" | "KeepsSchema">>;

export type Room = keyof typeof ROOMS;

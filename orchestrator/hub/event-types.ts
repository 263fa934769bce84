import type { ContractName } from "../client/contracts.ts";
import type { EventName } from "../client/events.ts";
import { missionStates, nodeStates } from "../execution/chain-view.ts";
import { actionNumber } from "../protocol/actions.ts";
import { faultTypes } from "../rules/faults.ts";

/** The event types of the Logging Hub (AgentCity B.12), in the paper's order. */
export const eventTypes = [
  ...["AGENT_REGISTERED", "SERVICE_REGISTERED", "AGENT_BANNED"],
  ...["SESSION_INITIATED", "IDENTITY_VERIFIED", "DAG_PROPOSED", "BID_SUBMITTED", "BID_APPROVED", "BID_REJECTED"],
  ...["REGULATORY_SIGNED", "CODIFICATION_COMPILED", "LEGISLATIVE_APPROVED", "DAG_DEPLOYED"],
  ...["TASK_ROUTED", "TASK_EXECUTING", "TASK_COMPLETED", "TASK_FAILED", "TASK_TIMEOUT", "CODEHASH_MISMATCH", "CODEHASH_VERIFIED"],
  ...["POP_SUBMITTED", "POP_APPROVED", "POP_REJECTED"],
  ...["DELEGATED_REVIEW_REQUESTED", "DELEGATED_APPROVED", "DELEGATED_REJECTED"],
  ...["ANOMALY_REPORTED", "FREEZE_TRIGGERED", "UNFREEZE_APPROVED", "FALSE_POSITIVE_CLASSIFIED"],
  ...["EMERGENCY_STOP", "EMERGENCY_STOP_CLEARED"],
  ...["PENDING_FINALIZATION", "ESCROW_RELEASED", "DEGRADED_MODE_ENTERED", "DEGRADED_MODE_EXITED"],
  ...["RECONCILIATION_PASSED", "RECONCILIATION_FAILED", "DIVERGENCE_DETECTED"],
  ...["FAULT_SIGNAL", "PARTIAL_RELEGISLATION_INITIATED", "FULL_RELEGISLATION_INITIATED", "MAX_REFINEMENT_EXCEEDED"],
  ...["OUTPUT_RELEASED", "OUTPUT_VETOED", "MISSION_COMPLETED", "MISSION_ABORTED"],
  ...["PARAMETER_UPDATED", "OVERRIDE_ACTION", "UNILATERAL_OVERRIDE", "REPUTATION_ADJUSTED", "STAKE_SLASHED"],
] as const satisfies readonly string[];
export type EventType = (typeof eventTypes)[number];

/** "Contract.Event" of every event of every contract. */
export type ChainEventName = { [Contract in ContractName]: `${Contract}.${EventName<Contract>}` }[ContractName];

/** Chain events that always have one of the paper's types. All others have only a name. */
const BY_NAME: Partial<Record<ChainEventName, EventType>> = {
  "ProducerContract.AgentRegistered": "AGENT_REGISTERED",
  "ProducerContract.AgentBanned": "AGENT_BANNED",
  "ProducerContract.ReputationChanged": "REPUTATION_ADJUSTED",
  "ProducerContract.StakeSlashed": "STAKE_SLASHED",
  "StakePool.PoolSlashed": "STAKE_SLASHED",
  "ServiceContract.ServiceRegistered": "SERVICE_REGISTERED",
  "LegislativeProcedure.SessionOpened": "SESSION_INITIATED",
  "LegislativeProcedure.IdentitiesConfirmed": "IDENTITY_VERIFIED",
  "LegislativeProcedure.Proposed": "DAG_PROPOSED",
  "LegislativeProcedure.Codified": "CODIFICATION_COMPILED",
  "LegislativeProcedure.Approved": "LEGISLATIVE_APPROVED",
  "TemplateRegistry.MissionDeployed": "DAG_DEPLOYED",
  "ExecutionProcedure.BidPlaced": "BID_SUBMITTED",
  "ExecutionProcedure.Awarded": "BID_APPROVED",
  "ExecutionProcedure.NoAward": "BID_REJECTED",
  "CollaborationContract.Routed": "TASK_ROUTED",
  "CollaborationContract.Committed": "POP_SUBMITTED",
  "CollaborationContract.ReviewEscalated": "DELEGATED_REVIEW_REQUESTED",
  "CollaborationContract.ReviewApproved": "DELEGATED_APPROVED",
  "CollaborationContract.AnomalyReported": "ANOMALY_REPORTED",
  "CollaborationContract.NodeFrozen": "FREEZE_TRIGGERED",
  "CollaborationContract.NodeUnfrozen": "UNFREEZE_APPROVED",
  "CollaborationContract.FalsePositive": "FALSE_POSITIVE_CLASSIFIED",
  "CollaborationContract.EmergencyStopped": "EMERGENCY_STOP",
  "CollaborationContract.EmergencyCleared": "EMERGENCY_STOP_CLEARED",
  "AdjudicatorWatchdog.CityStopped": "EMERGENCY_STOP",
  "AdjudicatorWatchdog.CityResumed": "EMERGENCY_STOP_CLEARED",
  "CollaborationContract.Recorded": "PENDING_FINALIZATION",
  "CollaborationContract.Claimed": "ESCROW_RELEASED",
  "CollaborationContract.MissionDegraded": "DEGRADED_MODE_ENTERED",
  "CollaborationContract.MissionRecovered": "DEGRADED_MODE_EXITED",
  "CollaborationContract.MissionSuspended": "EMERGENCY_STOP",
  "CollaborationContract.SuspensionLapsed": "EMERGENCY_STOP_CLEARED",
  "CollaborationContract.NodeAmended": "PARTIAL_RELEGISLATION_INITIATED",
  "ConstitutionContract.ParameterSet": "PARAMETER_UPDATED",
  "AdjudicationProcedure.OverrideExecuted": "OVERRIDE_ACTION",
  "AdjudicationProcedure.UnilateralOverride": "UNILATERAL_OVERRIDE",
};

type Args = Readonly<Record<string, unknown>>;

/** `enum ClearingResult`. */
const CLEARED: Readonly<Record<number, EventType>> = { 1: "POP_APPROVED", 2: "POP_REJECTED" };

const NODE_ENTERS: Readonly<Record<string, EventType>> = {
  PENDING_REVIEW: "DELEGATED_REVIEW_REQUESTED",
  EXECUTING: "TASK_EXECUTING",
  COMPLETED: "TASK_COMPLETED",
  FAILED: "TASK_FAILED",
};

const MISSION_ENTERS: Readonly<Record<string, EventType>> = {
  COMPLETED: "MISSION_COMPLETED",
  FAILED: "MISSION_ABORTED",
  ABORTED: "MISSION_ABORTED",
};

const FAULTS: Readonly<Record<string, EventType>> = { TIMEOUT: "TASK_TIMEOUT", CODEHASH_MISMATCH: "CODEHASH_MISMATCH" };

/** Chain events whose type depends on their arguments. */
const BY_ARGUMENTS: Partial<Record<ChainEventName, (args: Args) => EventType | undefined>> = {
  "CollaborationContract.NodeStateChanged": ({ to }) => NODE_ENTERS[nodeStates[Number(to)] ?? ""],
  "CollaborationContract.MissionStateChanged": ({ to }) => MISSION_ENTERS[missionStates[Number(to)] ?? ""],
  "CollaborationContract.Cleared": ({ result }) => CLEARED[Number(result)],
  "CollaborationContract.FaultSignalled": ({ fault }) => FAULTS[faultTypes[Number(fault)] ?? ""] ?? "FAULT_SIGNAL",
  "CollaborationContract.OutputDecided": ({ allowed }) => (allowed === true ? "OUTPUT_RELEASED" : "OUTPUT_VETOED"),
  "CollaborationContract.Overridden": ({ action }) => (Number(action) === REJECT_POP ? "DELEGATED_REJECTED" : undefined),
};

/** Of `enum Action`. */
const REJECT_POP = actionNumber("REJECT_POP");

/** Records with one of the paper's types, for facts that no contract emits. */
const BY_KIND: Readonly<Record<string, EventType>> = {
  "legislature.approval": "REGULATORY_SIGNED",
  "execution.reconciled": "RECONCILIATION_PASSED",
  "execution.divergence": "DIVERGENCE_DETECTED",
  "execution.suspended": "RECONCILIATION_FAILED",
};

/** The paper's type of a chain event, if any. */
export function typeOfChainEvent(name: string, args: Args): EventType | null {
  const known = name as ChainEventName;
  return BY_ARGUMENTS[known]?.(args) ?? BY_NAME[known] ?? null;
}

/** The paper's type of a record, if any. */
export function typeOfRecord(kind: string): EventType | null {
  return BY_KIND[kind] ?? null;
}

/** Types of failures and stops. */
export const failureTypes = [
  ...["AGENT_BANNED", "BID_REJECTED", "TASK_FAILED", "TASK_TIMEOUT", "CODEHASH_MISMATCH", "POP_REJECTED", "DELEGATED_REJECTED"],
  ...["ANOMALY_REPORTED", "FREEZE_TRIGGERED", "EMERGENCY_STOP", "DEGRADED_MODE_ENTERED", "RECONCILIATION_FAILED"],
  ...["DIVERGENCE_DETECTED", "FAULT_SIGNAL", "MAX_REFINEMENT_EXCEEDED", "OUTPUT_VETOED", "MISSION_ABORTED", "STAKE_SLASHED"],
] as const satisfies readonly EventType[];

/** Chain events and records of failures and stops without a type of the paper. */
export const failureNames = [
  ...["AdjudicatorRoster.Impeached", "AdjudicatorWatchdog.Frozen", "AdjudicatorWatchdog.Warned"],
  ...["CollaborationContract.BondForfeited", "CollaborationContract.Contradicted", "CollaborationContract.ExecutorFaulted"],
  ...["EvidenceRegistry.PrincipalSuspended", "ExecutionProcedure.BidRefused", "LegislativeProcedure.BlocFlagged"],
  ...["ProducerContract.AgentFrozen", "ProducerContract.PrincipalFrozen", "execution.refused"],
] as const satisfies readonly (ChainEventName | "execution.refused")[];

/** Events that adjudicators must receive even if the hub is lost (AgentCity B.12, retention). */
const criticalTypes: readonly EventType[] = ["FREEZE_TRIGGERED", "DIVERGENCE_DETECTED", "EMERGENCY_STOP", "STAKE_SLASHED"];

/** Events pushed to adjudicators' endpoints: the critical ones, and each review that starts waiting for a human. */
export const calledTypes: readonly EventType[] = [...criticalTypes, "DELEGATED_REVIEW_REQUESTED"];

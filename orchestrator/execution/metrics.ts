/**
 * Metrics of the seven stages (AgentCity 4, secondary metrics of the execution pipeline). Each is an exact fraction; `whole` is 0 if there
 * was nothing to measure. Everything is computed from on-chain records, so that the results are reproducible.
 */
import { stringToHex } from "viem";
import { collaborationContractAbi } from "../chain/abi/CollaborationContract.ts";
import type { CityClient } from "../client/client.ts";
import type { Address } from "../primitives/hex.ts";
import type { ExecutionMetrics, Share } from "../protocol/metrics.ts";
import { nodeStates } from "./chain-view.ts";

/** Countable on-chain events of a mission; attempts from 0. */
export type Milestone =
  | { readonly kind: "bound" | "committed"; readonly node: number; readonly attempt: number; readonly slot: number }
  | { readonly kind: "routed" | "failed" | "completed" | "deviating"; readonly node: number; readonly attempt: number }
  | { readonly kind: "gated"; readonly node: number; readonly attempt: number; readonly allowed: boolean };

/**
 * Metrics of an order, from the milestones of its missions, oldest first, and whether the last was completed. What failed in a mission that
 * was replaced is done again in the next.
 */
export function executionMetrics(missions: readonly (readonly Milestone[])[], isCompleted: boolean): ExecutionMetrics {
  return {
    ccr: sum(missions.map(commitCompliance)),
    gar: sum(missions.map(anomalyRate)),
    grr: sum(missions.map(gateRejection)),
    aru: sum(missions.map((milestones, place) => refinement(milestones, isCompleted && place < missions.length - 1))),
  };
}

/** Commit Compliance Rate: executors of routed attempts that committed. A retried attempt counts again. */
function commitCompliance(milestones: readonly Milestone[]): Share {
  const routed = attemptsOf(milestones, "routed");
  const executions = milestones.filter((each) => each.kind === "bound" && routed.has(attemptOf(each)));
  return { part: milestones.filter(({ kind }) => kind === "committed").length, whole: executions.length };
}

/**
 * Guard Anomaly Rate: share of worked attempts whose output deviated. In hybrid mode the Guardian may halt one before a checkpoint routes
 * it. Exceeded tool and message limits are not deviations.
 */
function anomalyRate(milestones: readonly Milestone[]): Share {
  const deviating = attemptsOf(milestones, "deviating");
  return { part: deviating.size, whole: new Set([...attemptsOf(milestones, "routed"), ...deviating]).size };
}

/** Gate Rejection Rate: share of attempts examined by a gate that the predicate, or a human in its place, rejected. */
function gateRejection(milestones: readonly Milestone[]): Share {
  const spoke = milestones.filter((each) => each.kind === "gated");
  return { part: new Set(spoke.filter(({ allowed }) => !allowed).map(attemptOf)).size, whole: new Set(spoke.map(attemptOf)).size };
}

/** Adaptive Refinement Utilization: failed nodes that a later attempt, or the replacing law, completed. */
function refinement(milestones: readonly Milestone[], isReplaced: boolean): Share {
  const nodes = (wanted: Milestone["kind"]) => new Set(milestones.filter(({ kind }) => kind === wanted).map(({ node }) => node));
  const [failed, completed] = [nodes("failed"), nodes("completed")];
  return { part: [...failed].filter((node) => isReplaced || completed.has(node)).length, whole: failed.size };
}

const DEVIATION = stringToHex("DEVIATION", { size: 32 });

/** A mission's milestones, in order. */
export async function milestonesOf(client: CityClient, mission: Address): Promise<readonly Milestone[]> {
  const events = await client.chain.publicClient.getContractEvents({
    address: mission,
    abi: collaborationContractAbi,
    fromBlock: 0n,
    strict: true,
  });
  const current = new Map<number, number>();
  const attempt = (node: number) => current.get(node) ?? 0;
  return events.flatMap((event): Milestone[] => {
    switch (event.eventName) {
      case "Reopened":
      case "NodeAmended":
        current.set(event.args.node, event.args.attempt);
        return [];
      case "ExecutorBound":
        return [{ kind: "bound", ...placeOf(event.args) }];
      case "Committed":
        return [{ kind: "committed", ...placeOf(event.args) }];
      case "Routed":
        return [{ kind: "routed", node: event.args.node, attempt: event.args.attempt }];
      case "FaultSignalled":
        return [{ kind: "failed", node: event.args.node, attempt: event.args.attempt }];
      case "NodeStateChanged":
        return nodeStates[event.args.to] === "COMPLETED" ? [{ kind: "completed", node: event.args.node, attempt: event.args.attempt }] : [];
      case "AnomalyReported":
        return event.args.reason === DEVIATION ? [{ kind: "deviating", node: event.args.node, attempt: attempt(event.args.node) }] : [];
      case "GateDecided":
        return [{ kind: "gated", node: event.args.node, attempt: attempt(event.args.node), allowed: event.args.allowed }];
      default:
        return [];
    }
  });
}

const placeOf = ({ node, attempt, slot }: { node: number; attempt: number; slot: number }) => ({ node, attempt, slot });
const attemptOf = ({ node, attempt }: Pick<Milestone, "node" | "attempt">) => `${node}/${attempt}`;

function attemptsOf(milestones: readonly Milestone[], wanted: Milestone["kind"]): ReadonlySet<string> {
  return new Set(milestones.filter(({ kind }) => kind === wanted).map(attemptOf));
}

function sum(shares: readonly Share[]): Share {
  return shares.reduce((total, { part, whole }) => ({ part: total.part + part, whole: total.whole + whole }), { part: 0, whole: 0 });
}

import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { act, type Panel, seatsOnMission, signaturesFor } from "./act.ts";

/** One appeal against a clearing (decision 29). */
export interface Appeal {
  /** Name of the appellant. */
  readonly appellant: string;
  /** Smallest unit; goes to insurance if the appeal is rejected. */
  readonly bond: bigint;
  /** Its text, if the records have it; the chain has its id. */
  readonly evidence: string | undefined;
}

/** A case for a human: all open appeals on an attempt at a node, while its outcome is provisional. */
export interface AppealCase {
  readonly mission: Address;
  readonly node: number;
  readonly label: string;
  /** From 0. */
  readonly attempt: number;
  /** The state the signature will bind (`caseHash` on chain). */
  readonly caseHash: Hash;
  /** All appeals ever filed on the attempt, in order: a ruling names them by position. */
  readonly appeals: readonly Appeal[];
  /** The mesh's score, 0–1; 0 if it reached none. */
  readonly quality: number;
  /** 1 − the mesh's confidence, 0–1; 1 if it reached none. */
  readonly risk: number;
  /** The work as text. */
  readonly excerpt: string;
}

export interface AppealRuling {
  /** Positions of the appeals that are upheld; if none is, the clearing stands. */
  readonly upheld: readonly number[];
  /** Share of the price that is earned after all, 0–1. */
  readonly share: number;
  /** Stake that each culprit loses, smallest unit. */
  readonly slash: bigint;
  /** Slots of the executors that are slashed. */
  readonly culprits: readonly number[];
  readonly justification: string;
}

/** Decides appeals: a person at a terminal, or a labelled simulation. */
export interface AppealJudge {
  readonly simulated: boolean;
  /** Undefined if external adjudicators decided on chain meanwhile, or let the time pass. */
  decideAppeal(subject: AppealCase): Promise<AppealRuling | undefined>;
}

/** Positions as a bitmap. */
export function maskOf(positions: readonly number[]): number {
  return positions.reduce((mask, position) => mask | (1 << position), 0);
}

/** Decides the open appeals on one attempt and submits the ruling. Undefined if external adjudicators decided, or none did. */
export async function ruleOnAppeal(panel: Panel, judge: AppealJudge, subject: AppealCase): Promise<AppealRuling | undefined> {
  const { mission, node, attempt, caseHash, appeals } = subject;
  const ruling = await judge.decideAppeal(subject);
  if (ruling === undefined) return undefined;
  const resolution = {
    attempt,
    filed: appeals.length,
    upheld: maskOf(ruling.upheld),
    share: Math.round(ruling.share * BASIS_POINTS),
    slash: ruling.slash,
    culprits: maskOf(ruling.culprits),
  };
  const data = encodeActionData("RESOLVE_APPEAL", [resolution]);
  const order = { action: "RESOLVE_APPEAL", mission, node, caseHash, data, because: ruling.justification } as const;
  const needed = await signaturesFor(panel, order);
  await act(panel, await seatsOnMission(panel, mission, { action: order.action, needed, turn: node, appealed: node }), order);
  return ruling;
}

import { anchors } from "./anchors.ts";
import { branches } from "./branches.ts";
import { commits, evidence } from "./commits.ts";
import { claims, decisions } from "./decisions.ts";
import type { Check } from "./inspection.ts";
import { law } from "./law.ts";
import { liveCode } from "./live-code.ts";
import { bids } from "./market.ts";
import { debate, messages } from "./messages.ts";
import { outcomeCheck } from "./outcome-check.ts";
import { overrides } from "./overrides.ts";
import { money, payouts, reputations } from "./payouts.ts";
import { results } from "./results.ts";
import { roots } from "./roots.ts";
import { approvals, ballots, candidates, delegations } from "./sessions.ts";
import { settlements } from "./settlements.ts";
import { verdicts } from "./verdicts.ts";

/** Everything an audit verifies, in the order of a mission's life. */
export const checks: readonly Check[] = [
  roots,
  law,
  messages,
  candidates,
  debate,
  ballots,
  delegations,
  approvals,
  bids,
  liveCode,
  commits,
  anchors,
  claims,
  evidence,
  verdicts,
  decisions,
  settlements,
  overrides,
  payouts,
  money,
  reputations,
  results,
  branches,
  outcomeCheck,
];

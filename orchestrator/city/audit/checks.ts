import { anchors } from "./anchors.ts";
import { branches } from "./branches.ts";
import { calls } from "./calls.ts";
import { commits, evidence, pledges } from "./commits.ts";
import { claims, decisions } from "./decisions.ts";
import type { ChainCheck, Check } from "./inspection.ts";
import { law } from "./law.ts";
import { liveCode } from "./live-code.ts";
import { bids } from "./market.ts";
import { debate, messages } from "./messages.ts";
import { outcomeCheck } from "./outcome-check.ts";
import { overrides } from "./overrides.ts";
import { passports } from "./passports.ts";
import { money, payouts, reputations } from "./payouts.ts";
import { results } from "./results.ts";
import { roots } from "./roots.ts";
import { approvals, ballots, candidates, delegations } from "./sessions.ts";
import { settlements } from "./settlements.ts";
import { verdicts } from "./verdicts.ts";

/** Everything an audit verifies, in the order of a mission's life. */
export const checks: readonly Check[] = [
  roots,
  calls,
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
  passports,
  overrides,
  payouts,
  money,
  reputations,
  results,
  branches,
  outcomeCheck,
];

/** What holds of any mission on its chain, whether or not its orchestrator kept a log. */
export const chainChecks: readonly ChainCheck[] = [
  law,
  candidates,
  ballots,
  delegations,
  approvals,
  bids,
  liveCode,
  pledges,
  verdicts,
  overrides,
  payouts,
  money,
  reputations,
];

import { type CodificationReport, MANIPULATIONS } from "../client/codification-audit.ts";
import { GoalNotFeasible } from "../minds/errors.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import type { CodificationRequest } from "../protocol/codification-approval.ts";

/** The tally on chain differs from the one computed from the recorded ballots. */
export class TallyDisagrees extends AgentCityError {
  constructor(session: bigint, onChain: string, computed: string) {
    super("TallyDisagrees", `Session ${session}: the chain's tally differs from that of the ballots`, {
      details: `on chain ${onChain}, computed ${computed}`,
      action: "do not continue: one of the two implementations of the rules is wrong",
    });
  }
}

/** The deployed mission differs from what was approved. */
export class FidelityBroken extends AgentCityError {
  constructor(what: string, expected: string, actual: string) {
    super("FidelityBroken", `The deployed mission is not the approved law: ${what} differs`, {
      details: `expected ${expected}, found ${actual}`,
    });
  }
}

/** A mandated operation unknown to this codifier. */
export class UnknownOperation extends AgentCityError {
  constructor(operation: string) {
    super("UnknownOperation", "The mandates require an operation that this codifier does not know", {
      details: operation,
      action: "the adjudicators set mandates; this version knows those of protocol/operations.ts",
    });
  }
}

/** The Codification Audit has findings: the law is not deployed. */
export class CodificationRefused extends AgentCityError {
  readonly findings: CodificationReport["findings"];

  constructor({ specHash, findings }: CodificationReport) {
    super(
      "CodificationRefused",
      `The audit of ${specHash} found ${findings.length} ${findings.length === 1 ? "manipulation" : "manipulations"}`,
      {
        details: findings
          .map(({ manipulation, subject, problem }) => `${manipulation} ${MANIPULATIONS[manipulation]}: ${subject} ${problem}`)
          .join("\n"),
        action: "nothing was deployed; the deposit is refunded when the session expires",
      },
    );
    this.findings = findings;
  }
}

/** The law has a node that no agent of the city can run. */
export class NoWitness extends AgentCityError {
  constructor(title: string) {
    super("NoWitness", `No eligible producer has the capabilities that a node of "${title}" requires`);
  }
}

/** Too many producers are excluded for the rest to make a law or carry it out. */
export class TooFewProducers extends GoalNotFeasible {
  constructor(problem: string, leftOut: readonly { readonly agent: Address; readonly reason: string }[]) {
    const [first] = leftOut;
    super(
      `${problem}; ${leftOut.length} of the city take no part`,
      `start a new city (another AGENTCITY_HOME), or let an adjudicator rehabilitate them one by one: npm run override -- adjust-reputation ${first?.agent ?? "<agent>"} <points> --as adjudicator-1 --because "…"`,
      { code: "TooFewProducers", details: leftOut.map(({ agent, reason }) => `${agent}: ${reason}`).join("\n") },
    );
  }
}

/** A law of HIGH risk waits for an adjudicator: not a failure, the session resumes when it is run again. */
export class AuditNeeded extends AgentCityError {
  readonly request: CodificationRequest;

  constructor(request: CodificationRequest) {
    const { session, specHash, refused } = request;
    super("AuditNeeded", `Session ${session} waits: its law is of HIGH risk and needs an adjudicator's approval`, {
      details: [`spec ${specHash}`, ...(refused === null ? [] : [`the last signature was rejected: ${refused}`])].join("\n"),
      action: "let an adjudicator sign APPROVE_CODIFICATION, then run the mission again to continue the session",
    });
    this.request = request;
  }
}

/** Flagged voters hold the critical share of the ballots: the law waits for adjudicators. */
export class RulingNeeded extends AgentCityError {
  constructor(session: bigint, caseHash: string) {
    super("RulingNeeded", `Session ${session}: voters who ranked alike may have decided it, so its law waits for two adjudicators`, {
      details: `case ${caseHash}`,
      action: "let two adjudicators sign RULE_ON_BLOC, then run the session again to continue it",
    });
  }
}

/** The gateway's answers, by its table of commands. Types only: no server code is in the page. */
import type { z } from "zod";
import type { campaignDetail, campaignOutput } from "../../../orchestrator/gateway/campaigns.ts";
import type { bundleOutput } from "../../../orchestrator/gateway/commands/bundles.ts";
import type { cityDocumentSchema, conditionOutput, parameterOutput } from "../../../orchestrator/gateway/commands/city.ts";
import type { clearingsOutput } from "../../../orchestrator/gateway/commands/clearings.ts";
import type { debateOutput } from "../../../orchestrator/gateway/commands/debates.ts";
import type { eventOutput } from "../../../orchestrator/gateway/commands/events.ts";
import type { sessionOutput, shapeOutput } from "../../../orchestrator/gateway/commands/law.ts";
import type { ledgerOutput } from "../../../orchestrator/gateway/commands/ledger.ts";
import type { agentOutput } from "../../../orchestrator/gateway/commands/members.ts";
import type {
  bidOutput,
  lawNodeOutput,
  nodeOutput,
  summaryOutput,
  verdictOutput,
} from "../../../orchestrator/gateway/commands/missions.ts";
import type { caseOutput, draftOutput, simulationOutput } from "../../../orchestrator/gateway/commands/panel.ts";
import type { seatsOutput } from "../../../orchestrator/gateway/commands/seat-list.ts";
import type { metricOutput } from "../../../orchestrator/gateway/commands/vitals.ts";
import type { workOutput } from "../../../orchestrator/gateway/commands/work.ts";

export type BundlePart = z.infer<typeof bundleOutput>;
export type Campaign = z.infer<typeof campaignOutput>;
export type CampaignDetail = z.infer<typeof campaignDetail>;
export type CityDocument = z.infer<typeof cityDocumentSchema>;
export type Condition = z.infer<typeof conditionOutput>;
export type Parameter = z.infer<typeof parameterOutput>;
export type Clearings = z.infer<typeof clearingsOutput>;
export type Debate = z.infer<typeof debateOutput>;
export type Shape = z.infer<typeof shapeOutput>;
export type Event = z.infer<typeof eventOutput>;
export type Seats = z.infer<typeof seatsOutput>;
export interface ParameterHistory {
  readonly values: readonly {
    readonly value: string;
    readonly adjudicators: readonly string[];
    readonly because: string | null;
    readonly timestamp: number;
    readonly block: number;
    readonly eventId: string;
  }[];
}
export type Session = z.infer<typeof sessionOutput>;
export type Ledger = z.infer<typeof ledgerOutput>;
export type Agent = z.infer<typeof agentOutput>;
export type Summary = z.infer<typeof summaryOutput>;
export type LawNode = z.infer<typeof lawNodeOutput>;
export type ChainNode = z.infer<typeof nodeOutput>;
export type Verdict = z.infer<typeof verdictOutput>;
export type Bid = z.infer<typeof bidOutput>;
export type Case = z.infer<typeof caseOutput>;
export type Draft = z.infer<typeof draftOutput>;
export type Work = z.infer<typeof workOutput>;
export type Metric = z.infer<typeof metricOutput>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
export type Mission = Summary & {
  readonly lawHash: string;
  readonly docHash: string;
  readonly nodeCount: number;
  readonly expiresAt: number;
  readonly title: string | null;
  readonly goal: string | null;
  readonly visibility: "public" | "parties";
};
export interface Origin {
  readonly missionId: string;
  readonly session: string;
  readonly epoch: number;
  readonly mission: string | null;
}
export interface Law {
  readonly documentId: string;
  readonly title: string;
  readonly goal: string;
  readonly risk: string;
  readonly nodes: readonly LawNode[];
}
export type SessionDetail = Session & {
  readonly candidates: readonly {
    readonly candidate: number;
    readonly proposer: string;
    readonly specHash: string;
    readonly documentId: string;
    readonly sponsors: number;
    readonly title: string | null;
    readonly isKept: boolean;
    readonly shape: Shape | null;
  }[];
  readonly tally: { readonly winner: number; readonly ballots: number; readonly order: readonly number[] } | null;
};
export interface Ballots {
  readonly entries: readonly number[];
  readonly ballots: readonly { readonly agent: string; readonly ranking: readonly number[] }[];
  readonly pairwise: readonly (readonly number[])[];
}
export interface Panel {
  readonly seats: readonly {
    readonly adjudicator: string;
    readonly principal: string;
    readonly isActive: boolean;
    readonly stake: string;
    readonly isFlagged: boolean;
    readonly approvals: number;
    readonly decisions: number;
    readonly weakenings: number;
    readonly inARow: number;
  }[];
  readonly senior: string;
  readonly hasQuorum: boolean;
  readonly watchdog: {
    readonly isFrozen: boolean;
    readonly isDegraded: boolean;
    readonly isStopped: boolean;
    readonly releaseQuorum: number;
    readonly stopQuorum: number;
    readonly resumeQuorum: number;
    readonly limits: { readonly days: number; readonly percent: number; readonly inARow: number; readonly weakenings: number };
  };
  readonly asOf: number;
}
export interface Money {
  readonly treasury: { readonly free: string; readonly insurance: string };
  readonly missions: { readonly count: number } & Omit<Ledger, "isClosed">;
}
export interface Act {
  readonly digest: string;
  readonly action: string;
  readonly mission: string;
  readonly node: number;
  readonly target: string;
  readonly adjudicators: readonly string[];
  readonly justification: string;
  readonly justificationCid: string;
  readonly because: string | null;
  readonly timestamp: number;
  readonly transaction: string | null;
  readonly block: number;
  readonly eventId: string;
}
export interface Order {
  readonly digest: string;
  readonly action: string;
  readonly because: string;
  readonly signedBy: readonly string[];
  readonly needed: number;
  readonly deadline: number;
}
export type CaseDetail = Case & {
  readonly excerpt: string | null;
  readonly rubric: string | null;
  readonly quality: number | null;
  readonly risk: number | null;
  readonly facts: readonly string[];
  /** The subject of a ruling on appeals. */
  readonly ruling: {
    readonly attempt: number;
    readonly appeals: readonly { readonly appellant: string; readonly bond: string; readonly evidence: string | null }[];
    readonly slots: readonly { readonly slot: number; readonly agent: string }[];
  } | null;
  readonly pieces: readonly {
    readonly cid: string;
    readonly name: string;
    readonly size: number;
    readonly isHere: boolean;
    readonly base64: string | null;
  }[];
};
export type Simulation = z.infer<typeof simulationOutput>;
export interface History {
  readonly spans: readonly {
    readonly node: number;
    readonly state: string;
    readonly from: number;
    readonly to: number | null;
    readonly first: number;
    readonly last: number | null;
  }[];
  readonly spent: readonly { readonly sequence: number; readonly gas: number; readonly by: readonly number[] }[];
  readonly gas: readonly { readonly contract: string; readonly gas: number; readonly transactions: number }[];
  readonly stages: readonly { readonly stage: string; readonly gas: number; readonly transactions: number }[];
  readonly checkpoints: readonly {
    readonly at: number;
    readonly nodes: readonly number[];
    readonly root: string;
    readonly block: number;
    readonly eventId: string;
  }[];
  readonly anchor: { readonly root: string; readonly block: number; readonly eventId: string } | null;
  readonly freezes: readonly { readonly agent: string; readonly at: number; readonly recent: number; readonly threshold: number }[];
  readonly verdicts: readonly { readonly tier: number; readonly passed: number; readonly rejected: number; readonly undecided: number }[];
  readonly epochs: readonly { readonly epoch: number; readonly completed: number; readonly failed: number; readonly gas: number }[];
}
export interface Service {
  readonly service: string;
  readonly owner: string;
  readonly codeHash: string;
  readonly schemaHash: string;
  readonly endpoint: string;
  readonly isLive: boolean;
}
export interface Payload {
  readonly payloadCid: string;
  readonly payloadHash: string;
  readonly payload: unknown;
}

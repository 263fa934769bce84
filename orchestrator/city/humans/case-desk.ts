import type { Case } from "../../adjudication/case.ts";
import type { Judges } from "../../adjudication/judges.ts";
import type { Appeal, AppealCase } from "../../adjudication/rule-on-appeal.ts";
import type { BlocCase } from "../../adjudication/rule-on-bloc.ts";
import type { Suspension } from "../../adjudication/rule-on-suspension.ts";
import type { CityClient } from "../../client/client.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import { type WaitingCase, waitingCaseSchema } from "../../protocol/waiting-case.ts";
import { WaitingFiles } from "./waiting.ts";

/** The cases that wait in a network's folder, by name: what an adjudicator's queue shows. */
export function casesIn(dir: string): WaitingFiles<WaitingCase> {
  return new WaitingFiles(dir, ".case.json", waitingCaseSchema);
}

export interface ExternalJudgesOptions {
  readonly client: CityClient;
  /** The network's folder. */
  readonly dir: string;
  readonly progress: (line: string) => void;
  /** Errors end the wait and are rethrown. */
  readonly sleep: (millis: number) => Promise<void>;
}

/** Cases from the chain: all except petitions, which come from outside. */
type ChainCase = Exclude<WaitingCase, { kind: "petition" }>;

/** Name in the queue. It includes the mission's whole address, since prefixes can be forged. */
export function caseName(subject: ChainCase): string {
  if (subject.kind === "bloc") return `bloc-${subject.session}`;
  const named = `${subject.kind}-${subject.mission.slice(2).toLowerCase()}`;
  if (subject.kind === "suspension") return named;
  return subject.kind === "review" ? `${named}-${subject.node}` : `${named}-${subject.node}-${subject.attempt}`;
}

/** How often the chain is polled for an adjudicator's act, milliseconds. */
const POLLING = 500;

/**
 * Leaves every case to external adjudicators: writes it as a file and waits until the chain shows that they acted, or that the node's time
 * is up. A devnet's time stands still meanwhile. A divergence of records and chain has no action on chain, so it cannot be accepted here.
 */
export function externalJudges({ client, dir, progress, sleep }: ExternalJudgesOptions): Judges {
  const cases = casesIn(dir);
  const common = { chainId: client.chain.id, adjudication: client.addresses.AdjudicationProcedure };

  const leave = async (subject: ChainCase, isOpen: () => Promise<boolean>) => {
    const name = caseName(subject);
    cases.write(name, subject);
    progress(`${name} waits for adjudicators: npm run override -- show ${name}`);
    try {
      while (await isOpen()) await sleep(POLLING);
    } finally {
      cases.remove(name);
    }
    return undefined;
  };

  return {
    simulated: false,
    decide(subject: Case) {
      const { mission, node, caseHash, deadline } = subject;
      const isOpen = async () => client.chain.clock.now() < BigInt(deadline) && (await client.mission(mission).caseHash(node)) === caseHash;
      return leave({ kind: "review", ...common, ...subject }, isOpen);
    },
    decideBloc({ session, ...rest }: BlocCase) {
      const blocs = rest.blocs.map((members) => [...members]);
      const otherwise = rest.otherwise ?? null;
      const subject = { kind: "bloc", ...common, ...rest, session: session.toString(), blocs, otherwise } as const;
      return leave(subject, async () => (await client.legislation.history("BlocRuled", { session })).length === 0);
    },
    decideAppeal({ appeals, ...rest }: AppealCase) {
      const { mission, node, attempt } = rest;
      const filed = appeals.map(({ appellant, bond, evidence }) => ({ appellant, bond: bond.toString(), evidence: evidence ?? null }));
      return leave({ kind: "appeal", ...common, ...rest, appeals: filed }, async () => {
        const [open, until] = await client.mission(mission).appealsOf(node, attempt);
        return open > 0 && client.chain.clock.now() < until;
      });
    },
    async decideResumption({ mission, cause, facts, divergences }: Suspension) {
      const { stopped, suspendedUntil } = await client.mission(mission).watch();
      if (cause === "divergence" && !stopped) return { resume: false, justification: "no adjudicator is here to let a divergence pass" };
      const caseHash = await client.mission(mission).caseHash(0);
      const subject: ChainCase = { kind: "suspension", ...common, mission, caseHash, facts: [...facts], divergences: [...divergences] };
      const contract = client.mission(mission);
      const waits = async () => {
        const state = await contract.state();
        // Ending a stopped mission counts as a decision too.
        if (cause === "silence") return state === DEGRADED;
        // The suspension expired without a decision.
        if (suspendedUntil !== 0 && client.chain.clock.now() >= BigInt(suspendedUntil)) return false;
        return state < COMPLETED && (await contract.watch()).stopped;
      };
      return leave(subject, waits);
    },
  };
}

/** Each appeal as a person reads it, by its position. */
export function appealLines(
  appeals: readonly (Pick<Appeal, "appellant"> & { readonly bond: bigint | string; readonly evidence?: string | null | undefined })[],
): readonly string[] {
  return appeals.map(
    ({ appellant, bond, evidence }, position) =>
      `${position}  ${appellant}, bond ${formatMoney(BigInt(bond))}: ${evidence ?? "its text is not in this city's records"}`,
  );
}

/** `MissionState`: suspended, and the first state that is an end. */
const DEGRADED = 4;
const COMPLETED = 5;

import type { Hash } from "../primitives/hex.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { act, type Panel, seatsFor, signaturesFor } from "./act.ts";

/** A case for humans: flagged voters delay a law. */
export interface BlocCase {
  readonly session: bigint;
  /** The state the signatures will bind. */
  readonly caseHash: Hash;
  /** Names of each bloc's voters. */
  readonly blocs: readonly (readonly string[])[];
  readonly flagged: number;
  readonly ballots: number;
  /** The winning law. */
  readonly winner: string;
  /** The winner without the flagged ballots; undefined if none are left. */
  readonly otherwise: string | undefined;
}

/** Decides on a bloc: a person at a terminal, or a labelled simulation. */
export interface BlocJudge {
  readonly simulated: boolean;
  /** Undefined if external adjudicators decided on chain meanwhile. */
  decideBloc(subject: BlocCase): Promise<{ readonly release: boolean; readonly justification: string } | undefined>;
}

/** Decides one case and submits the signed action; the seats take turns by session. Neither the sponsor's house judges, nor the law's author's. */
export async function ruleOnBloc(panel: Panel, judge: BlocJudge, subject: BlocCase): Promise<void> {
  const { client } = panel;
  const { session, caseHash } = subject;
  const decided = await judge.decideBloc(subject);
  if (decided === undefined) return;
  const data = encodeActionData("RULE_ON_BLOC", [session, decided.release]);
  const order = { action: "RULE_ON_BLOC", caseHash, because: decided.justification, data } as const;
  const { sponsor, winner } = await client.legislation.sessionOf(session);
  const { principal: author } = await client.legislation.candidateOf(session, winner);
  const seats = await seatsFor(panel, {
    needed: await signaturesFor(panel, order),
    turn: Number(session),
    subject: `session ${session}`,
    may: async ({ account }) => ![sponsor, author].includes(await client.roster.principalOf(account.address)),
  });
  await act(panel, seats, order);
}

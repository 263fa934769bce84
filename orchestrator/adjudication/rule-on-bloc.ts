import type { Hash } from "../primitives/hex.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { act, type Panel, seatsFor } from "./act.ts";

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

/** Signatures that RULE_ON_BLOC needs (contracts/libraries/ActionTable.sol). */
const NEEDED = 2;

/** Decides one case and submits the action with two adjudicators' signatures; the seats take turns by session. */
export async function ruleOnBloc(panel: Panel, judge: BlocJudge, subject: BlocCase): Promise<void> {
  const { client } = panel;
  const { session, caseHash } = subject;
  const decided = await judge.decideBloc(subject);
  if (decided === undefined) return;
  const { sponsor } = await client.legislation.sessionOf(session);
  const seats = await seatsFor(panel, {
    needed: NEEDED,
    turn: Number(session),
    subject: `session ${session}`,
    may: async ({ account }) => (await client.roster.principalOf(account.address)) !== sponsor,
  });
  await act(panel, seats, {
    action: "RULE_ON_BLOC",
    caseHash,
    because: decided.justification,
    data: encodeActionData("RULE_ON_BLOC", [session, decided.release]),
  });
}

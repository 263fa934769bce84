import type { Hash } from "../primitives/hex.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { act, type Panel, seatsFor } from "./act.ts";

/** What humans are asked to judge when flagged voters delay a law. */
export interface BlocCase {
  readonly session: bigint;
  /** The state the signatures will bind. */
  readonly caseHash: Hash;
  /** Each bloc's voters, by name. */
  readonly blocs: readonly (readonly string[])[];
  readonly flagged: number;
  readonly ballots: number;
  /** What won. */
  readonly winner: string;
  /** What would have won without the flagged ballots; undefined when none are left. */
  readonly otherwise: string | undefined;
}

/** Decides about a bloc: a person at a terminal, or a labelled simulation of one. */
export interface BlocJudge {
  readonly simulated: boolean;
  /** Undefined if adjudicators elsewhere decide and have acted on chain meanwhile. */
  decideBloc(subject: BlocCase): Promise<{ readonly release: boolean; readonly justification: string } | undefined>;
}

/** Signatures that RULE_ON_BLOC needs (contracts/libraries/ActionTable.sol). */
const NEEDED = 2;

/** Decides one case and puts the action on chain under two adjudicators' names; the seats take turns by session. */
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

import { encodeAbiParameters } from "viem";
import { intentKey } from "../chain/outbox.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { digestOf, keccak256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { actionNumber } from "../protocol/actions.ts";
import { type Bench, NOBODY, type Seat, VALIDITY } from "./rule.ts";

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

/** Whoever decides about a bloc: a person at a terminal, or a labelled simulation of one. */
export interface BlocJudge {
  readonly simulated: boolean;
  decideBloc(subject: BlocCase): Promise<{ readonly release: boolean; readonly justification: string }>;
}

/** Signatures that RULE_ON_BLOC needs (contracts/libraries/ActionTable.sol). */
const SIGNATURES = 2;

/** Decides one case and puts the action on chain under two adjudicators' names; the seats take turns by session. */
export async function ruleOnBloc(bench: Omit<Bench, "judge"> & { readonly judge: BlocJudge }, subject: BlocCase): Promise<void> {
  const { client, judge, keep } = bench;
  const { session, caseHash } = subject;
  const { release, justification } = await judge.decideBloc(subject);
  const content = await keep(new TextEncoder().encode(justification));
  const message = {
    action: actionNumber("RULE_ON_BLOC"),
    mission: NOBODY,
    node: 0,
    target: NOBODY,
    data: encodeAbiParameters([{ type: "uint256" }, { type: "bool" }], [session, release]),
    justification: digestOf(content),
    caseHash,
    salt: BigInt(keccak256(canonicalBytes([caseHash, "RULE_ON_BLOC"]))),
    deadline: Number(client.chain.clock.now() + VALIDITY),
  };
  const signatures = [];
  for (const { account } of await panelOf(bench, session))
    signatures.push({ adjudicator: account.address, signature: await signMessage(client, account, "OverrideAction", message) });
  await client.adjudication.act([message, signatures], { intent: intentKey("act", session, caseHash, "RULE_ON_BLOC") });
}

/** The next seats in turn that the session's sponsor does not hold, in ascending order of address, as `act` wants them. */
async function panelOf({ client, seats }: Pick<Bench, "client" | "seats">, session: bigint): Promise<readonly Seat[]> {
  const { sponsor } = await client.legislation.sessionOf(session);
  const panel: Seat[] = [];
  for (let turn = 0; turn < seats.length && panel.length < SIGNATURES; turn += 1) {
    const seat = seats[(Number(session) + turn) % seats.length];
    if (seat !== undefined && (await client.roster.principalOf(seat.account.address)) !== sponsor) panel.push(seat);
  }
  if (panel.length < SIGNATURES) throw new RangeError("too few adjudicators here may judge this session");
  return panel.sort((a, b) => (a.account.address.toLowerCase() < b.account.address.toLowerCase() ? -1 : 1));
}

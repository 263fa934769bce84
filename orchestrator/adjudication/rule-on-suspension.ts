import type { LocalAccount } from "viem";
import { intentKey } from "../chain/outbox.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { digestOf, keccak256 } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { actionNumber } from "../protocol/actions.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import { type Bench, NOBODY, type Seat, VALIDITY } from "./rule.ts";

/** Why nothing of a mission moves until humans have looked at it (AgentCity B.11.5, failure modes 3 and 4). */
export interface Suspension {
  readonly mission: Address;
  readonly cause: "silence" | "divergence";
  /** What a person should know, in words. */
  readonly facts: readonly string[];
  /** Where records and chain tell different stories. */
  readonly divergences: readonly string[];
}

/** Whoever decides whether a suspended mission goes on: people at a terminal, or a labelled simulation of them. */
export interface SuspensionJudge {
  readonly simulated: boolean;
  decideResumption(subject: Suspension): Promise<{ readonly resume: boolean; readonly justification: string }>;
}

/** A bench that rules on suspensions; `sender` pays for the act, so that no queued transaction goes before it. */
export type SuspensionBench = Omit<Bench, "judge"> & { readonly judge: SuspensionJudge; readonly sender: LocalAccount };

/**
 * Asks whether a mission that the chain knows as DEGRADED goes on, and puts a yes on chain under as many adjudicators' names as
 * EMERGENCY_CLEAR_SIGNATURES asks for. A no needs no act: the mission's own time ends it.
 */
export async function ruleOnSuspension(bench: SuspensionBench, subject: Suspension): Promise<boolean> {
  const { client, judge, keep, sender } = bench;
  const { resume, justification } = await judge.decideResumption(subject);
  const content = await keep(new TextEncoder().encode(justification));
  if (!resume) return false;
  const caseHash = await client.mission(subject.mission).caseHash(0);
  const message = {
    action: actionNumber("CLEAR_EMERGENCY_STOP"),
    mission: subject.mission,
    node: 0,
    target: NOBODY,
    data: "0x",
    justification: digestOf(content),
    caseHash,
    salt: BigInt(keccak256(canonicalBytes([caseHash, "CLEAR_EMERGENCY_STOP"]))),
    deadline: Number(client.chain.clock.now() + VALIDITY),
  } as const;
  const signatures = [];
  for (const { account } of await panelOf(bench, subject.mission))
    signatures.push({ adjudicator: account.address, signature: await signMessage(client, account, "OverrideAction", message) });
  await client.adjudication.act([message, signatures], {
    intent: intentKey("act", subject.mission, caseHash, "CLEAR_EMERGENCY_STOP"),
    account: sender,
  });
  return true;
}

/** The first seats without an interest in the mission, in ascending order of address, as `act` wants them. */
async function panelOf({ client, seats }: Pick<Bench, "client" | "seats">, mission: Address): Promise<readonly Seat[]> {
  const needed = Number(await client.constitution.param(parameterIndex("EMERGENCY_CLEAR_SIGNATURES")));
  const panel: Seat[] = [];
  for (const seat of seats) {
    if (panel.length < needed && !(await client.roster.isConflicted(seat.account.address, mission))) panel.push(seat);
  }
  if (panel.length < needed) throw new RangeError("too few adjudicators here may judge this mission");
  return panel.sort((a, b) => (a.account.address.toLowerCase() < b.account.address.toLowerCase() ? -1 : 1));
}

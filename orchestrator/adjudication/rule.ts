import type { LocalAccount } from "viem";
import { intentKey } from "../chain/outbox.ts";
import type { AgentCityClient } from "../client/client.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { digestOf, keccak256 } from "../primitives/hash.ts";
import type { Address, ContentId, Hex } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { type ActionName, actionNumber } from "../protocol/actions.ts";
import type { Case, Judge, Ruling } from "./case.ts";

/** How long a signature holds, seconds of chain time. */
export const VALIDITY = 86_400n;
export const NOBODY: Address = "0x0000000000000000000000000000000000000000";

/** One seat of the override panel whose key is here. */
export interface Seat {
  readonly name: string;
  readonly account: LocalAccount;
}

/** What was decided, by whom. */
export interface Decision {
  readonly ruling: Ruling;
  readonly action: ActionName;
  readonly adjudicator: string;
  readonly simulated: boolean;
  readonly justification: ContentId;
}

export interface Bench {
  readonly client: AgentCityClient;
  readonly seats: readonly Seat[];
  readonly judge: Judge;
  /** Keeps the justification's text under the id that goes on chain. */
  readonly keep: (text: Uint8Array) => ContentId | Promise<ContentId>;
}

/** Decides one case and puts the signed action on chain (AgentCity B.12; decisions 27, 28). Seats take turns by node. */
export async function ruleOn(bench: Bench, subject: Case): Promise<Decision> {
  const { client, judge } = bench;
  const { ruling, justification } = await judge.decide(subject);
  const action: ActionName = ruling === "reject" ? "REJECT_POP" : subject.reason === "frozen" ? "UNFREEZE" : "APPROVE_POP";
  const seat = await freeSeat(bench, subject);
  const content = await bench.keep(new TextEncoder().encode(justification));
  const message = {
    action: actionNumber(action),
    mission: subject.mission,
    node: subject.node,
    target: NOBODY,
    data: action === "APPROVE_POP" ? subject.approval : EMPTY,
    justification: digestOf(content),
    caseHash: subject.caseHash,
    salt: BigInt(keccak256(canonicalBytes([subject.caseHash, action]))),
    deadline: Number(client.chain.clock.now() + VALIDITY),
  };
  const signature = await signMessage(client, seat.account, "OverrideAction", message);
  await client.adjudication.act([message, [{ adjudicator: seat.account.address, signature }]], {
    intent: intentKey("act", subject.mission, subject.node, subject.caseHash, action),
  });
  return { ruling, action, adjudicator: seat.name, simulated: judge.simulated, justification: content };
}

/** The next seat in turn whose holder may judge this mission. */
async function freeSeat({ client, seats }: Bench, subject: Case): Promise<Seat> {
  for (let turn = 0; turn < seats.length; turn += 1) {
    const seat = seats[(subject.node + turn) % seats.length];
    if (seat === undefined) continue;
    if (!(await client.roster.isConflicted(seat.account.address, subject.mission))) return seat;
  }
  throw new RangeError("every adjudicator here has an interest in this mission");
}

const EMPTY: Hex = "0x";

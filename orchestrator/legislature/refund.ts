import { sessionTransitions } from "../rules/transitions/session.ts";
import type { LegislatureContext } from "./context.ts";
import type { SessionState } from "./state.ts";

/** A session that makes no law gives the deposit back. */
export function refund(context: LegislatureContext) {
  return {
    /** Sends: the withdrawal, to the sponsor. */
    async refund(state: SessionState): Promise<Partial<SessionState>> {
      await withdraw(context, BigInt(state.session));
      return { outcome: "failed" };
    },
  };
}

const FINAL = ["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"];

/**
 * Ends a session one of whose stages outlived its time, by what anybody may call then, and returns the deposit; also returns it
 * when somebody ended the session before. False: the session lives, or made its law, so that its time is not the trouble.
 */
export async function expireSession(context: LegislatureContext, session: bigint): Promise<boolean> {
  const { legislation, chain } = context.client;
  const { timestamp } = await chain.publicClient.getBlock();
  for (let isFirst = true; ; isFirst = false) {
    const { state, deadline } = await legislation.sessionOf(session);
    const name = sessionTransitions.states[state] ?? "NONE";
    if (name === "DEPLOYED") return false;
    if (FINAL.includes(name)) break;
    if (isFirst && timestamp <= BigInt(deadline) && chain.clock.now() <= BigInt(deadline)) return false;
    await chain.clock.sleepUntil(BigInt(deadline) + 1n);
    const step = context.step("expire", name, context.note("expiry", [session.toString()]));
    if (name === "PROPOSING") await legislation.openVoting([session], step);
    else if (name === "VOTING") await legislation.tally([session], step);
    else await legislation.expire([session], step);
  }
  await withdraw(context, session);
  return true;
}

async function withdraw(context: LegislatureContext, session: bigint): Promise<void> {
  const note = context.note("refund", [session.toString()]);
  const alreadyDone = async () => (await context.client.legislation.sessionOf(session)).deposit === 0n;
  await context.client.legislation.withdraw([session], { ...context.step("withdraw", session, note), alreadyDone });
}

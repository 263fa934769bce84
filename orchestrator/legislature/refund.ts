import type { SessionStateName } from "../rules/transitions/session.ts";
import type { LegislatureContext } from "./context.ts";
import type { SessionState } from "./state.ts";

const FINAL: readonly SessionStateName[] = ["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"];

/** A session without a law is ended on chain, by calls open to anyone, and refunds the deposit. */
export function refund(context: LegislatureContext) {
  const { legislation, chain } = context.client;

  return {
    /** Waits for the end of every remaining stage, and sends what ends it. */
    async expire(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      for (let name = await context.stateOf(session); !FINAL.includes(name); name = await context.stateOf(session)) {
        const { deadline } = await legislation.sessionOf(session);
        await chain.clock.sleepUntil(BigInt(deadline) + 1n);
        const alreadyDone = async () => (await context.stateOf(session)) !== name;
        const step = { ...context.step("expire", `${session}/${name}`, context.note("expiry", [state.session])), alreadyDone };
        if (name === "PROPOSING" || name === "DELIBERATING") await legislation.openVoting([session], step);
        else if (name === "VOTING") await legislation.tally([session], step);
        else await legislation.expire([session], step);
      }
      await context.cross("legislature:expired");
      return {};
    },

    /** Sends: the withdrawal to the sponsor, if there is a balance. */
    async refund(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const note = context.note("refund", [state.session]);
      const isEmpty = async () => (await legislation.sessionOf(session)).deposit === 0n;
      if (!(await isEmpty())) await legislation.withdraw([session], { ...context.step("withdraw", session, note), alreadyDone: isEmpty });
      return state.outcome === "refused" ? {} : { outcome: "failed" };
    },
  };
}

/** Whether the session cannot continue: its current stage expired, or it ended without a law. */
export async function isOver(context: LegislatureContext, session: bigint): Promise<boolean> {
  const { legislation, chain } = context.client;
  const name = await context.stateOf(session);
  if (FINAL.includes(name)) return name !== "DEPLOYED";
  const { deadline } = await legislation.sessionOf(session);
  const { timestamp } = await chain.publicClient.getBlock();
  return timestamp > BigInt(deadline) || chain.clock.now() > BigInt(deadline);
}

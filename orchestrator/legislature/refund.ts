import type { LegislatureContext } from "./context.ts";
import type { SessionState } from "./state.ts";

/** A session that makes no law gives the deposit back. */
export function refund(context: LegislatureContext) {
  return {
    /** Sends: the withdrawal, to the sponsor. */
    async refund(state: SessionState): Promise<Partial<SessionState>> {
      const note = context.note("refund", [state.session]);
      await context.client.legislation.withdraw([BigInt(state.session)], context.step("withdraw", state.session, note));
      return { outcome: "failed" };
    },
  };
}

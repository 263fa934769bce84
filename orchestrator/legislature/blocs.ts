import { sessionTransitions } from "../rules/transitions/session.ts";
import type { LegislatureContext } from "./context.ts";
import { RulingNeeded } from "./errors.ts";
import type { SessionState } from "./state.ts";

/** Voters who ranked alike: flagged by the Regulator, judged by adjudicators (AgentCity 3.6, stages 2 and 3). */
export function blocs(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Sends: one flag per bloc among the recorded rankings; the contract verifies each. */
    async flagBlocs(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const [regulator] = clerks.regulators;
      for (const bloc of (await regulator?.findBlocs(session)) ?? []) {
        const note = context.note("bloc", [state.session, bloc.leader, ...bloc.members]);
        await regulator?.flag(session, bloc, (first) => context.step("flagBloc", `${bloc.leader}/${first}`, note));
      }
      await context.cross("legislature:blocs-flagged");
      return {};
    },

    /** Waits for adjudicators when flagged voters hold a critical share; a vote that they void makes no law. */
    async awaitRuling(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const before = await client.legislation.blocOf(session);
      if (before.delayed) await context.options.ports.ruling?.({ session, caseHash: before.caseHash });
      if (sessionTransitions.states[(await client.legislation.sessionOf(session)).state] === "FAILED") return { outcome: "failed" };
      const { delayed, caseHash } = await client.legislation.blocOf(session);
      if (delayed) throw new RulingNeeded(session, caseHash);
      return {};
    },
  };
}

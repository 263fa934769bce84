import { TransactionReverted } from "../chain/errors.ts";
import { compileLaw } from "../client/compile-law.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { isOfficeLaw } from "../rules/office-law.ts";
import type { LegislatureContext } from "./context.ts";
import { NoWitness } from "./errors.ts";
import { apartFrom, houseOf } from "./office-draft.ts";
import { documentBehind, draftsOf, witnessesOf } from "./propose.ts";
import { isOver } from "./refund.ts";
import type { SessionState } from "./state.ts";
import { factsOf } from "./survey.ts";

/** Stage 4: the chain checks the winner against the constitution (AgentCity 3.4; decision 12). */
export function validate(context: LegislatureContext) {
  const { client } = context;

  return {
    /** Thinks: which document won. A law whose document is not here cannot be handed in, and the session ends without one. */
    async findWinner(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { winner } = await client.legislation.sessionOf(session);
      const { specHash } = await client.legislation.candidateOf(session, winner);
      const drafts = draftsOf(context, state);
      if (!drafts.some((draft) => draft.specHash === specHash)) return { outcome: "overdue" };
      return { document: documentBehind(context, drafts, specHash).id };
    },

    /** Sends: the law, with producers as witnesses who can fill all its slots. The constitution may have changed since it was drafted. */
    async sendValidation(state: SessionState): Promise<Partial<SessionState>> {
      const { law, docHash, document } = compileLaw(context.load(state.document, missionDocumentSchema));
      const session = BigInt(state.session);
      const held = await client.legislation.sessionOf(session);
      const facts = factsOf(context.survey(state.survey));
      // The Speaker's principal does not work under its office's law.
      const apart = isOfficeLaw(held) ? apartFrom(await houseOf(context, session, held.drafted), facts) : facts;
      const witnesses = witnessesOf(document, apart);
      if (witnesses === undefined) throw new NoWitness(document.title);
      const note = context.note("validation", [state.session], state.document ?? undefined);
      try {
        const step = context.stepInto(["VALIDATED", "CODIFIED", "DEPLOYED"], "validate", session, note);
        await client.legislation.validate([session, law, docHash, witnesses], step);
      } catch (error) {
        // Before the deadline the only possible reason is the law itself.
        if (!(error instanceof TransactionReverted) || (await isOver(context, session))) throw error;
        await context.cross("legislature:refused");
        return { outcome: "refused" };
      }
      await context.cross("legislature:validated");
      return {};
    },
  };
}

import { z } from "zod";
import { compileLaw } from "../client/compile-law.ts";
import { isSessionMessageBy } from "../client/sign/session-message.ts";
import { hexSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { OFFICES } from "../protocol/offices.ts";
import { MessageRefused, requireValid, sevenSchemas } from "../protocol/seven-messages.ts";
import { sessionTransitions } from "../rules/transitions/session.ts";
import type { LegislatureContext } from "./context.ts";
import type { SessionState } from "./state.ts";

const specificationSchema = z.strictObject({ ...sevenSchemas.CodedContractSpecification.shape, signature: hexSchema });

/**
 * Between codification and the offices' signatures: the Codifier signs its specification (AgentCity B.10, MSG_TYPE_6), which is then
 * checked.
 */
export function specify(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Signs: the Codifier. */
    async specify(state: SessionState): Promise<Partial<SessionState>> {
      const { bytes } = compileLaw(context.load(state.document, missionDocumentSchema));
      const specification = await clerks.codifier.specify(BigInt(state.session), bytes);
      return { specification: context.save({ ...specification, session: state.session }) };
    },

    /** Thinks: whether the other offices may rely on it. Throws MessageRefused. */
    async checkSpecification(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { signature, ...message } = context.load(state.specification, specificationSchema);
      if (!(await isSessionMessageBy(client, message.codifier, "CodedContractSpecification", message, signature)))
        throw new MessageRefused("CodedContractSpecification", "signature", message.codifier);
      const { lawHash, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      const { winner, rules, state: reached } = await client.legislation.sessionOf(session);
      const { implementation } = await client.templates.templateOf(await client.legislation.template(), rules.template);
      requireValid("CodedContractSpecification", message, {
        appointed: await client.clerks.isClerk(OFFICES.CODIFIER, message.codifier),
        chosen: (await client.legislation.candidateOf(session, winner)).specHash,
        lawHash,
        docHash,
        // Also if the session was ended since: a later step detects that.
        validated: reached >= sessionTransitions.states.indexOf("VALIDATED"),
        template: implementation,
      });
      return {};
    },
  };
}

import { z } from "zod";
import type { SignedAttestation } from "../clerks/registrar.ts";
import { goalHashOf } from "../client/compile-law.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import type { LegislatureContext } from "./context.ts";
import type { SessionState } from "./state.ts";
import { producerFacts, readLimits, surveyRecord } from "./survey.ts";

const NO_PARENT = "0x0000000000000000000000000000000000000000";

const attestationsSchema = z.array(
  z.strictObject({
    session: z.string().transform(BigInt),
    agent: addressSchema,
    principal: addressSchema,
    reputation: z.int(),
    deadline: z.int(),
    signature: hexSchema,
  }),
);

/** Stage 1 (AgentCity B.10): a sponsor opens a session with money; producers say who they are; the Registrar checks it. */
export function identify(context: LegislatureContext) {
  const { client, clerks, options } = context;

  return {
    /** Sends: the deposit's allowance, then the session. */
    async openSession(): Promise<Partial<SessionState>> {
      const { mission, sponsor } = options;
      const { legislation, token } = client;
      await token.approve([legislation.address, mission.budget], { ...context.step("allowDeposit"), account: sponsor });
      const note = context.note("session", [mission.mission]);
      const receipt = await legislation.openSession([goalHashOf(mission.goal), mission.budget, options.parent ?? NO_PARENT], {
        ...context.step("openSession", "", note),
        account: sponsor,
      });
      const [opened] = receipt === undefined ? [] : legislation.events(receipt, "SessionOpened");
      if (opened === undefined) throw new AgentCityError("SessionUnknown", "The session was opened, but its receipt does not say which");
      await context.cross("legislature:session-opened");
      return { session: opened.args.session.toString() };
    },

    /** Signs: every producer, in the order given. */
    async signAttestations(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { deadline } = await client.legislation.sessionOf(session);
      const signed: SignedAttestation[] = [];
      for (const { account, principal } of options.producers) {
        const reputation = Number(await client.agents.reputationOf(account.address));
        const message = { session, agent: account.address, principal, reputation, deadline };
        signed.push({ ...message, signature: await signSessionMessage(client.chain.id, account, "IdentityAttestation", message) });
      }
      const attestations = context.save(signed.map((each) => ({ ...each, session: state.session })));
      await context.cross("legislature:attestations-signed");
      return { attestations };
    },

    /** Thinks: who takes part, and what the city is like. */
    async survey(state: SessionState): Promise<Partial<SessionState>> {
      const attestations = context.load(state.attestations, attestationsSchema);
      const voters: { index: number; facts: Awaited<ReturnType<typeof producerFacts>> }[] = [];
      for (const attestation of attestations) {
        if ((await clerks.registrar.check(attestation)) !== null) continue;
        const { index } = await client.agents.agentOf(attestation.agent);
        voters.push({ index, facts: await producerFacts(client, attestation.agent) });
      }
      voters.sort((a, b) => a.index - b.index);
      const { sponsor, rules } = await client.legislation.sessionOf(BigInt(state.session));
      const survey = {
        voters: voters.map(({ facts }) => facts),
        sponsor,
        verifiers: Number(await client.evidence.verifierCount()),
        minSponsors: rules.minSponsors,
        limits: await readLimits(client),
      };
      return { survey: context.save(surveyRecord(survey)) };
    },

    /** Sends: the Registrar's word, over the root of the attestations. */
    async confirmIdentities(state: SessionState): Promise<Partial<SessionState>> {
      const root = clerks.registrar.rootOf(context.load(state.attestations, attestationsSchema));
      const note = context.note("identities", [state.session], state.attestations ?? undefined);
      await clerks.registrar.confirm(BigInt(state.session), root, context.step("confirmIdentities", state.session, note));
      await context.cross("legislature:identities-confirmed");
      return {};
    },
  };
}

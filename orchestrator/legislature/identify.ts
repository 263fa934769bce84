import { zeroAddress } from "viem";
import { z } from "zod";
import type { SignedAttestation } from "../clerks/registrar.ts";
import { goalHashOf } from "../client/compile-law.ts";
import { electorsAmong } from "../client/eligibility.ts";
import { limitsOf } from "../client/law-limits.ts";
import { readMany } from "../client/read.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { unlessAbsent } from "../minds/absence.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { hexSchema } from "../primitives/hex.ts";
import { zip } from "../primitives/lists.ts";
import { Mutex } from "../primitives/mutex.ts";
import { sevenSchemas } from "../protocol/seven-messages.ts";
import { type LegislatureContext, payerOf } from "./context.ts";
import { nextReading, type SessionState } from "./state.ts";
import { producerFacts, surveyRecord } from "./survey.ts";

const requestSchema = z.strictObject({ ...sevenSchemas.IdentityVerificationRequest.shape, signature: hexSchema });
const attestationsSchema = z.array(z.strictObject({ ...sevenSchemas.IdentityAttestation.shape, signature: hexSchema }));

/** Stage 1 (AgentCity B.10): a sponsor opens a session with a deposit; producers identify themselves; the Registrar checks them. */
export function identify(context: LegislatureContext) {
  const { client, clerks, options } = context;

  return {
    /** Sends: the deposit's allowance, then the session; after a refusal, another one. */
    async openSession(state: SessionState): Promise<Partial<SessionState>> {
      const { mission, parent = zeroAddress } = options;
      const { legislation } = client;
      const isFirst = state.session === "";
      const note = context.note("session", [mission.mission]);
      const receipt = await withDeposit(context, state, () =>
        legislation.openSession([goalHashOf(mission.goal), mission.budget, parent], {
          ...context.step("openSession", state.session, note),
          account: payerOf(options),
        }),
      );
      const [opened] = receipt === undefined ? [] : legislation.events(receipt, "SessionOpened");
      if (opened === undefined) throw new AgentCityError("SessionUnknown", "The session was opened, but its receipt does not say which");
      await context.cross("legislature:session-opened");
      const session = opened.args.session.toString();
      return isFirst ? { session } : { ...nextReading(state, session), revisions: state.revisions + 1 };
    },

    /** Signs: the Registrar asks who takes part (MSG_TYPE_1). */
    async requestIdentities(state: SessionState): Promise<Partial<SessionState>> {
      const request = await clerks.registrar.request(BigInt(state.session));
      return { request: context.save({ ...request, session: state.session }) };
    },

    /** Signs: every voting producer that takes part answers (MSG_TYPE_2), in the given order. */
    async signAttestations(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { deadline, nonce } = context.load(state.request, requestSchema);
      const signed: SignedAttestation[] = [];
      const electors = await electorsAmong(
        client,
        options.producers.map(({ account }) => account.address),
      );
      const voters = options.producers.filter(({ account }) => electors.has(account.address));
      const reputations = await readMany(client, {
        contract: "ProducerContract",
        functionName: "reputationOf",
        args: voters.map(({ account }) => [account.address] as const),
      });
      for (const [{ account, principal }, reputation] of zip(voters, reputations)) {
        const message = { session, agent: account.address, principal, reputation: Number(reputation), nonce, deadline };
        const signature = await unlessAbsent(() => signSessionMessage(client, account, "IdentityAttestation", message));
        if (signature !== undefined) signed.push({ ...message, signature });
      }
      const attestations = context.save(signed.map((each) => ({ ...each, session: state.session })));
      await context.cross("legislature:attestations-signed");
      return { attestations };
    },

    /** Thinks: who takes part, and the facts about the city. */
    async survey(state: SessionState): Promise<Partial<SessionState>> {
      const attestations = context.load(state.attestations, attestationsSchema);
      const request = context.load(state.request, requestSchema);
      const flaws = await clerks.registrar.check(attestations, request);
      const participants = attestations.filter((_, place) => flaws[place] === null).map(({ agent }) => agent);
      const voters = (await producerFacts(client, participants)).toSorted((a, b) => a.index - b.index);
      const { sponsor, rules } = await client.legislation.sessionOf(BigInt(state.session));
      const survey = {
        voters: voters.map(({ facts }) => facts),
        // A principal that is going to adopt the petitioned session does not work in it either.
        sponsor: BigInt(sponsor) === 0n ? context.options.sponsor.address : sponsor,
        verifiers: Number(await client.evidence.verifierCount()),
        minSponsors: rules.minSponsors,
        limits: await limitsOf(client, BigInt(state.session)),
      };
      return { survey: context.save(surveyRecord(survey)) };
    },

    /** Sends: the Registrar's confirmation, over the root of the attestations. */
    async confirmIdentities(state: SessionState): Promise<Partial<SessionState>> {
      const root = clerks.registrar.rootOf(context.load(state.attestations, attestationsSchema));
      const messages = context.save({ request: state.request, attestations: state.attestations });
      const note = context.note("identities", [state.session], messages);
      await clerks.registrar.confirm(BigInt(state.session), root, context.step("confirmIdentities", state.session, note));
      await context.cross("legislature:identities-confirmed");
      return {};
    },
  };
}

/**
 * Approves the deposit for the procedure and has `pay` use it; repeated in every reading, for what was refunded. The allowance is added to
 * one that an interrupted session of the sponsor may not have used. No deposit is paid for a session that cannot end with a law.
 */
export async function withDeposit<Result>(
  context: LegislatureContext,
  { session }: SessionState,
  pay: () => Promise<Result>,
): Promise<Result> {
  const { client, clerks, options } = context;
  const { mission, ports } = options;
  const sponsor = payerOf(options);
  await clerks.codifier.requireMandated();
  const spender = client.legislation.address;
  return (ports.deposits ?? new Mutex()).run(async () => {
    const unused = await client.token.allowance(sponsor.address, spender);
    await client.token.approve([spender, unused + mission.budget], { ...context.step("allowDeposit", session), account: sponsor });
    return pay();
  });
}

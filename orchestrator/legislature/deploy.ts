import { z } from "zod";
import type { Approval } from "../clerks/approval.ts";
import { compileLaw } from "../client/compile-law.ts";
import { cloneRuntime, predictMission } from "../client/predict-mission.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { cloneArgs, cloneContext } from "../rules/law-codec.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import type { LegislatureContext } from "./context.ts";
import { AuditNeeded, FidelityBroken } from "./errors.ts";
import type { SessionState } from "./state.ts";

const approvalsSchema = z.array(z.strictObject({ clerk: addressSchema, office: z.int(), deadline: z.int(), signature: hexSchema }));

/** Stage 6: the offices sign, the chain deploys, and anybody can see that what was deployed is what was approved. */
export function deploy(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Waits for an adjudicator when the risk is HIGH. */
    async awaitAudit(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { document, specHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      const isAudited = async () => (await client.legislation.sessionOf(session)).audited;
      if (document.risk !== "HIGH" || (await isAudited())) return {};
      await context.options.ports.audit?.({ session, specHash, document });
      if (!(await isAudited())) throw new AuditNeeded(specHash);
      return {};
    },

    /** Signs: Speaker and Regulators, each after recompiling the document. Ascending, as the chain wants them. */
    async signApprovals(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { bytes } = compileLaw(context.load(state.document, missionDocumentSchema));
      const signed: Approval[] = [];
      for (const clerk of [clerks.speaker, ...clerks.regulators]) signed.push(await clerk.approve(session, bytes));
      signed.sort((a, b) => (a.clerk.toLowerCase() < b.clerk.toLowerCase() ? -1 : 1));
      const approvals = context.save(signed);
      await context.cross("legislature:approval-signed");
      return { approvals };
    },

    /** Sends: law, document hash and signatures; the deposit goes into the clone. */
    async approve(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { law, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      const approvals = context.load(state.approvals, approvalsSchema);
      const messages = context.save({ specification: state.specification, approvals: state.approvals });
      const note = context.note("approval", [state.session], messages);
      await client.legislation.approve([session, law, docHash, approvals], context.step("approve", state.session, note));
      await context.cross("legislature:deployed");
      return { mission: (await client.legislation.sessionOf(session)).mission };
    },

    /** Thinks: repeats the chain's fidelity check from outside. */
    async verify(state: SessionState): Promise<Partial<SessionState>> {
      const { law, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      if (state.mission === null) throw new FidelityBroken("the mission", "an address", "none");
      await verifyFidelity(context, BigInt(state.session), state.mission, law, docHash);
      return { outcome: "deployed" };
    },
  };
}

/**
 * The code at the mission's address is the registered template with exactly this law, document, session, sponsor and the
 * session's parameters, and the address is the CREATE2 address of all that.
 */
async function verifyFidelity({ client }: LegislatureContext, session: bigint, mission: Address, law: Hex, docHash: Hex): Promise<void> {
  const { params, sponsor, rules } = await client.legislation.sessionOf(session);
  const { implementation } = await client.templates.templateOf(await client.legislation.template(), rules.template);
  const { deployedAt } = await client.mission(mission).context();
  const args = cloneArgs(law, { params: unpackMissionParams(params), docHash, session, sponsor, deployedAt });
  const code = await client.chain.publicClient.getCode({ address: mission });
  const expected = cloneRuntime(implementation, args).toLowerCase();
  if (code !== expected) throw new FidelityBroken("its code", expected, code ?? "none");
  const predicted = predictMission(client.templates.address, implementation, args, session);
  if (predicted !== mission) throw new FidelityBroken("its address", predicted, mission);
  const reported = cloneContext(args);
  if (reported.docHash !== docHash) throw new FidelityBroken("its document", docHash, reported.docHash);
}

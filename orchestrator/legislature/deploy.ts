import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import { TransactionReverted } from "../chain/errors.ts";
import type { Approval } from "../clerks/approval.ts";
import { cleanReport, reportHash } from "../client/codification-audit.ts";
import { compileLaw } from "../client/compile-law.ts";
import { cloneRuntime, predictMission } from "../client/predict-mission.ts";
import { codificationMessage, justificationBytes } from "../client/sign/codification.ts";
import { addressSchema } from "../primitives/address.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import { hexSchema } from "../primitives/hex.ts";
import { type CodificationRequest, codificationApprovalSchema } from "../protocol/codification-approval.ts";
import { type MissionDocument, missionDocumentSchema } from "../protocol/mission-document.ts";
import { cloneArgs, cloneContext } from "../rules/law-codec.ts";
import { unpackMissionParams } from "../rules/mission-params-codec.ts";
import type { LegislatureContext } from "./context.ts";
import { FidelityBroken } from "./errors.ts";
import { isOver } from "./refund.ts";
import type { SessionState } from "./state.ts";

const approvalsSchema = z.array(z.strictObject({ clerk: addressSchema, office: z.int(), deadline: z.int(), signature: hexSchema }));

/** Stage 6: the offices sign and the chain deploys; anyone can check that what was deployed is what was approved. */
export function deploy(context: LegislatureContext) {
  const { client, clerks } = context;
  const isAudited = async ({ session }: SessionState) => (await client.legislation.sessionOf(BigInt(session))).audited;

  /** Everything that an adjudicator needs for reviewing and signing. */
  async function requestOf(state: SessionState, document: MissionDocument): Promise<CodificationRequest> {
    const { specHash } = compileLaw(document);
    return {
      kind: "codification",
      chainId: client.chain.id,
      adjudication: client.adjudication.address,
      legislation: client.legislation.address,
      session: state.session,
      specHash,
      audit: reportHash(cleanReport(specHash)),
      document,
      until: (await client.legislation.sessionOf(BigInt(state.session))).deadline,
      refused: state.refused,
    };
  }

  return {
    /**
     * Waits for an adjudicator if the risk is HIGH (AgentCity A.7, step 3): the graph stops here until it is resumed with a signature, or
     * one was sent to the chain directly.
     */
    async awaitAudit(state: SessionState): Promise<Partial<SessionState>> {
      const document = context.load(state.document, missionDocumentSchema);
      if (document.risk !== "HIGH" || (await isAudited(state))) return {};
      if (await isOver(context, BigInt(state.session))) return { outcome: "overdue" };
      const approval = codificationApprovalSchema.parse(interrupt(await requestOf(state, document)));
      return { audit: context.save(approval), refused: null };
    },

    /** Sends: the adjudicator's signature. If it is invalid, the reason is recorded and the session waits again. */
    async relayAudit(state: SessionState): Promise<Partial<SessionState>> {
      if (state.audit === null || (await isAudited(state))) return {};
      const { adjudicator, justification, signature, specHash } = context.load(state.audit, codificationApprovalSchema);
      const request = await requestOf(state, context.load(state.document, missionDocumentSchema));
      if (specHash !== request.specHash) return { audit: null, refused: `it approves ${specHash}, not ${request.specHash}` };
      const content = context.options.ports.records.put(justificationBytes(justification));
      const note = context.note("codification-audit", [state.session, adjudicator], content);
      try {
        await client.adjudication.act(
          [codificationMessage(request, justification), [{ adjudicator, signature }]],
          context.step("audit", keccak256(signature), note),
        );
      } catch (error) {
        if (!(error instanceof TransactionReverted)) throw error;
        return { audit: null, refused: [error.shortMessage, error.details].filter((text) => text !== undefined).join(": ") };
      }
      await context.cross("legislature:audited");
      return {};
    },

    /** Signs: Speaker and Regulators, each after recompiling the document. Ascending by address, as the contract requires. */
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

    /** Sends: law, document hash and signatures; the deposit moves into the clone. */
    async approve(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { law, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      const approvals = context.load(state.approvals, approvalsSchema);
      const messages = context.save({ specification: state.specification, approvals: state.approvals });
      const note = context.note("approval", [state.session], messages);
      await client.legislation.approve([session, law, docHash, approvals], context.stepInto(["DEPLOYED"], "approve", session, note));
      await context.cross("legislature:deployed");
      return { mission: (await client.legislation.sessionOf(session)).mission };
    },

    /** Thinks: repeats the chain's fidelity check independently. */
    async verify(state: SessionState): Promise<Partial<SessionState>> {
      const { law, docHash } = compileLaw(context.load(state.document, missionDocumentSchema));
      if (state.mission === null) throw new FidelityBroken("the mission", "an address", "none");
      await verifyFidelity(context, BigInt(state.session), state.mission, law, docHash);
      return { outcome: "deployed" };
    },
  };
}

/**
 * Checks that the code at the mission's address is the registered template with exactly this law, document, session, sponsor and the
 * session's parameters, and that the address is the CREATE2 address of all that.
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

import { z } from "zod";
import { codificationOf } from "../client/codification.ts";
import { compileLaw, recompileLaw } from "../client/compile-law.ts";
import type { Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { CODIFIER_OPERATIONS, type CodifierOperation, operationId } from "../protocol/operations.ts";
import type { LegislatureContext } from "./context.ts";
import { CodificationRefused, UnknownOperation } from "./errors.ts";
import type { SessionState } from "./state.ts";

const resultSchema = z.strictObject({ output: hashSchema, intermediate: hashSchema });
const codificationSchema = z.strictObject({
  report: z.looseObject({ specHash: hashSchema }),
  results: z.strictObject({ "compile-law": resultSchema, "audit-codification": resultSchema } satisfies Record<CodifierOperation, unknown>),
});

/**
 * Stage 5 (AgentCity 3.4, A.7): compiles the document to law and audits both, by delegated operations that are recorded on chain; the
 * Codifier has no say in the law's content.
 */
export function codify(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Thinks: compiles and audits. A spec with findings stops here: without its recorded audit the chain accepts no codification. */
    async compile(state: SessionState): Promise<Partial<SessionState>> {
      const law = recompileLaw(compileLaw(context.load(state.document, missionDocumentSchema)).bytes);
      const { report, results } = await codificationOf(client, BigInt(state.session), law);
      if (report.findings.length > 0) throw new CodificationRefused(report);
      return { codification: context.save({ report, results }) };
    },

    /** Sends: one delegation per mandated operation, and its result. */
    async delegate(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const { report, results } = context.load(state.codification, codificationSchema);
      await clerks.codifier.requireMandated();
      const delegations: Hash[] = [];
      for (const operation of await clerks.codifier.operations()) {
        const name = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation);
        if (name === undefined) throw new UnknownOperation(operation);
        const { output, intermediate } = results[name];
        const delegation = await clerks.codifier.delegate(
          session,
          name,
          report.specHash,
          context.step("delegate", `${session}/${operation}`),
        );
        const note = context.note("delegation", [state.session, name], state.codification ?? undefined);
        const alreadyDone = async () => (await client.mandates.delegationOf(delegation)).outputHash === output;
        await clerks.codifier.record(delegation, output, intermediate, {
          ...context.step("recordResult", `${session}/${operation}`, note),
          alreadyDone,
        });
        delegations.push(delegation);
      }
      await context.cross("legislature:delegated");
      return { delegations };
    },

    /** Sends: the codification, naming its delegations. */
    async sendCodification(state: SessionState): Promise<Partial<SessionState>> {
      const delegations = state.delegations.map((id) => hashSchema.parse(id));
      const note = context.note("codification", [state.session], state.document ?? undefined);
      await clerks.codifier.codify(BigInt(state.session), delegations, context.step("codify", state.session, note));
      await context.cross("legislature:codified");
      return {};
    },
  };
}

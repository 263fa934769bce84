import type { CompiledLaw } from "../client/compile-law.ts";
import { compileLaw, recompileLaw } from "../client/compile-law.ts";
import type { Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "../protocol/mission-document.ts";
import { CODIFIER_OPERATIONS, type CodifierOperation, operationId } from "../protocol/operations.ts";
import type { LegislatureContext } from "./context.ts";
import { UnknownOperation } from "./errors.ts";
import type { SessionState } from "./state.ts";

/** What an operation makes of a document: its output's hash, and that of what lies between. */
export interface OperationResult {
  readonly output: Hash;
  readonly intermediate: Hash;
}

/** How each operation is done. */
const WORK: Readonly<Record<CodifierOperation, (law: CompiledLaw) => OperationResult>> = {
  "compile-law": ({ docHash, lawHash }) => ({ output: lawHash, intermediate: docHash }),
};

/** Stage 5: document → law by delegated operations, recorded on chain; the Codifier has no say in what the law is. */
export function codify(context: LegislatureContext) {
  const { client, clerks } = context;

  return {
    /** Sends: one delegation per mandated operation, and its result. */
    async delegate(state: SessionState): Promise<Partial<SessionState>> {
      const session = BigInt(state.session);
      const law = recompileLaw(compileLaw(context.load(state.document, missionDocumentSchema)).bytes);
      const delegations: Hash[] = [];
      for (const operation of await clerks.codifier.operations()) {
        const name = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation);
        if (name === undefined) throw new UnknownOperation(operation);
        const { output, intermediate } = WORK[name](law);
        const delegation = await clerks.codifier.delegate(
          session,
          operation,
          law.specHash,
          context.step("delegate", `${session}/${operation}`),
        );
        const note = context.note("delegation", [state.session, operation], state.document ?? undefined);
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

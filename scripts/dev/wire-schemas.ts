import { z } from "zod";
import { actSchema, agreementSchema, negotiationMessageSchema, resultSchema } from "../../orchestrator/agreements/index.ts";
import {
  attestationBundleSchema,
  claimAttestationSchema,
  claimEnvelopeSchema,
  pramanaServiceRefSchema,
  verificationOutcomeSchema,
} from "../../orchestrator/attestation/index.ts";
import {
  clearingDecisionSchema,
  envelopeSchema,
  finalityEvaluationSchema,
  obligationSchema,
  passportSchema,
  settlementInstructionSchema,
  verifierOutputSchema,
} from "../../orchestrator/clearing/index.ts";

/** What travels between strangers, by the name of its JSON Schema in the package. */
const WIRE = {
  agreement: agreementSchema,
  "agreement-act": actSchema,
  "agreement-result": resultSchema,
  "attestation-bundle": attestationBundleSchema,
  "attestation-service": pramanaServiceRefSchema,
  claim: claimAttestationSchema,
  "claim-envelope": claimEnvelopeSchema,
  "clearing-decision": clearingDecisionSchema,
  "evidence-envelope": envelopeSchema,
  "finality-evaluation": finalityEvaluationSchema,
  "negotiation-message": negotiationMessageSchema,
  obligation: obligationSchema,
  passport: passportSchema,
  "settlement-instruction": settlementInstructionSchema,
  "verification-outcome": verificationOutcomeSchema,
  "verifier-output": verifierOutputSchema,
} as const;

/** JSON Schemas (2020-12) of all of it: necessary, not sufficient. What no schema says (hashes, signatures, sums) they leave open. */
export function wireSchemas(): ReadonlyMap<string, object> {
  return new Map(
    Object.entries(WIRE).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { target: "draft-2020-12", unrepresentable: "any", io: "input" }),
    ]),
  );
}

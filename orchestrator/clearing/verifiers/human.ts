import { z } from "zod";
import type { Hash } from "../../primitives/hex.ts";
import type { Deployment } from "../deployment.ts";
import { digestSchema, nameSchema, read, shareSchema, toBps } from "../fields.ts";
import { hashOf, messageOf, signHash, without } from "../seal.ts";
import { type Signer, signatureSchema } from "../signature.ts";
import { verdictSchema } from "../verifier-output.ts";
import { abstain, type Seat, type Verifier } from "./verifier.ts";

/** A person's signed decision after seeing the listed items. */
export const humanActSchema = z.strictObject({
  person: nameSchema,
  obligation_hash: digestSchema,
  envelope_id: digestSchema,
  shown: z.array(digestSchema).min(1).readonly(),
  verdict: verdictSchema,
  confidence: shareSchema,
  rationale: z.string().max(4000).optional(),
  signature: signatureSchema,
});
export type HumanAct = z.infer<typeof humanActSchema>;

export function signHumanAct(signer: Signer, body: Omit<HumanAct, "signature" | "person">): HumanAct {
  const act = { ...body, person: signer.id };
  return { ...act, signature: signHash(signer, "human-act", actHash(act)) };
}

function actHash(act: Omit<HumanAct, "signature"> & Partial<Pick<HumanAct, "signature">>): Hash {
  return hashOf(without(act, "signature"));
}

/**
 * A human arbiter: an act signed by a registered person over this obligation and envelope. A person decides disputes, never admissibility:
 * the act rests on the items shown, under the same floor as every verdict (RAILS 6.3).
 */
export function humanVerifier(seat: Seat & { readonly act: () => unknown; readonly deployment: Deployment }): Verifier {
  return {
    ...seat,
    role: "human",
    examine({ obligation, envelope }) {
      const parsed = read(humanActSchema, seat.act());
      if (!parsed.ok) return abstain("nobody has signed");
      const act = parsed.value;
      const key = seat.deployment.registry.identity(act.person)?.key;
      if (key === undefined || !seat.deployment.verify(key, messageOf("human-act", actHash(act)), act.signature)) {
        return abstain(`no valid signature of ${act.person}`);
      }
      if (act.obligation_hash !== obligation.obligation_hash || act.envelope_id !== envelope.envelope.envelope_id) {
        return abstain("signed for another case");
      }
      const basis = act.shown.flatMap((hash) => envelope.items.get(hash) ?? []);
      if (basis.length !== act.shown.length) return abstain("was shown what ingest did not admit");
      return {
        verdict: act.verdict,
        confidence: toBps(act.confidence),
        basis,
        ...(act.rationale === undefined ? {} : { rationale: act.rationale }),
        ...(act.verdict === "FAIL" && seat.loss !== undefined ? { loss: seat.loss } : {}),
      };
    },
  };
}

import { z } from "zod";
import { type AgreementTerms, agreementOf, type Submission } from "../clearing/judgement.ts";
import type { JsonObject } from "../primitives/json.ts";
import { TIER } from "../primitives/tier.ts";
import type { NodeView } from "./chain-view.ts";

/** How a node's redundant outputs are compared; undefined for a single executor. */
export function termsOf({ law }: Pick<NodeView, "law">): AgreementTerms | undefined {
  return law.tier !== TIER.CONSENSUS || law.agree === null ? undefined : { ...law.agree, threshold: law.threshold };
}

/** The result that a completed node passes on: a function of what its executors revealed. `from`: the slots that agree on it. */
export function resultFrom(view: Pick<NodeView, "law" | "agreeing">, works: readonly Submission[], by: (slot: number) => string) {
  const terms = termsOf(view);
  const agreeing = works.filter(({ slot }) => ((view.agreeing >> slot) & 1) === 1);
  const [first = works[0]] = agreeing;
  if (first?.output === undefined) throw new RangeError(`${view.law.label} is completed without an output`);
  const from = (agreeing.length > 0 ? agreeing : [first]).map(({ slot }) => slot);
  if (terms === undefined) return { output: first.output, dissent: [], from };
  const agreement = agreementOf(works, terms);
  const output: JsonObject = { ...first.output, items: z.array(z.json()).parse(agreement.items) };
  const dissent = agreement.disagreements.map(({ id, chosen: value, answers }) => ({
    id,
    chosen: value,
    answers: answers.map(({ slot, value: answer }) => ({ by: by(slot), value: answer ?? null })),
  }));
  return { output, dissent, from };
}

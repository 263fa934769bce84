import type { Brand } from "../primitives/hex.ts";
import type { Admissibility } from "./admissibility.ts";
import type { Deployment } from "./deployment.ts";
import { engineProblem } from "./engine.ts";
import { QUESTIONS, read } from "./fields.ts";
import { floorFor, type Obligation, obligationHash, obligationSchema, purposeSchema } from "./obligation.ts";
import { accept, type Checked, type Guard, type Refusal, refuse } from "./refusal.ts";
import { messageOf } from "./seal.ts";

/** An obligation that its parties really signed. Only `bindObligation` makes one. */
export type BoundObligation = Brand<Obligation, "BoundObligation">;

/**
 * Obligation binding, where DOWNGRADE-FLOOR ends (RAILS 10.3): the hash is that of the rendered object, every party and the
 * witness signed exactly it, and no floor lies below the vetted template's.
 */
export function bindObligation(document: unknown, deployment: Deployment): Checked<BoundObligation> {
  const parsed = read(obligationSchema, document);
  if (!parsed.ok) return refuse("OBLIGATION_SHAPE", "obligation", parsed.problems);
  const obligation = parsed.value;
  const subject = obligation.obligation_id;
  const refusals: Refusal[] = [];
  const no = (guard: Guard, details: string) => refusals.push({ guard, subject, details });

  if (obligationHash(obligation) !== obligation.obligation_hash) no("OBLIGATION_HASH", "the hash is not that of the object");
  for (const name of namedClasses(obligation)) {
    if (!deployment.admissibility.elements.includes(name)) no("UNKNOWN_CLASS", name);
  }
  const { verifiers, count, quorum = 1 } = obligation.verifier_policy;
  if (new Set(verifiers).size !== verifiers.length || verifiers.length !== count || quorum > count)
    no("VERIFIER_COUNT", `${verifiers.length} named, ${count} counted, a quorum of ${quorum}`);
  const { requestor, provider } = obligation.parties;
  const house = (id: string) => deployment.registry.identity(id)?.principal ?? id;
  if (requestor === provider || house(requestor) === house(provider))
    no("ONE_PARTY", `${requestor} and ${provider} are both of ${house(provider)}`);
  const { clearing_engine: engine } = obligation;
  const unfit = engine === undefined ? undefined : engineProblem(engine, obligation, deployment);
  if (unfit !== undefined) no("NOT_THE_ENGINE", `${engine}: ${unfit}`);
  for (const [part, id] of Object.entries(obligation.parties)) {
    if (id === undefined) continue;
    const signature = obligation.signatures[part];
    const identity = deployment.registry.identity(id);
    if (identity === undefined) no("UNKNOWN_PARTY", id);
    else if (signature === undefined) no("PARTY_SIGNATURE", `${part} ${id} has not signed`);
    else if (!deployment.verify(identity.key, messageOf("obligation", obligation.obligation_hash), signature)) {
      no("PARTY_SIGNATURE", `the signature of ${part} ${id} is not over this object`);
    }
  }
  for (const refusal of againstTemplate(obligation, deployment)) refusals.push(refusal);
  const [first, ...rest] = refusals;
  return first === undefined ? accept(obligation as BoundObligation) : { ok: false, refusals: [first, ...rest] };
}

/** Floors that a vetted template fixes can be raised by the parties, never lowered. */
function againstTemplate(obligation: Obligation, { templates, admissibility }: Deployment): Refusal[] {
  if (obligation.template === undefined && templates === undefined) return [];
  const subject = obligation.obligation_id;
  const template = obligation.template === undefined ? undefined : templates?.[obligation.template];
  if (template === undefined) {
    return [
      { guard: "UNVETTED_TEMPLATE", subject, details: obligation.template ?? "no template is named, and this deployment requires one" },
    ];
  }
  return floorsBelow(obligation, { admissibility_floors: template }, admissibility).map((details) => ({
    guard: "FLOOR_BELOW_TEMPLATE",
    subject,
    details,
  }));
}

/** Floors of one obligation that are not ⪰ those of another, in words. */
export function floorsBelow(
  obligation: Pick<Obligation, "admissibility_floors">,
  reference: Pick<Obligation, "admissibility_floors">,
  { geq }: Admissibility,
): string[] {
  return purposeSchema.options.flatMap((purpose) =>
    QUESTIONS.flatMap((question) => {
      const [has, needs] = [floorFor(obligation, purpose, question), floorFor(reference, purpose, question)];
      return geq(has, needs) ? [] : [`${purpose} (${question}): ${has}, at least ${needs}`];
    }),
  );
}

function namedClasses(obligation: Obligation): string[] {
  const floors = purposeSchema.options.flatMap((purpose) => QUESTIONS.map((question) => floorFor(obligation, purpose, question)));
  const required = (obligation.evidence_requirements ?? []).flatMap((requirement) => requirement.class ?? []);
  return [...new Set([...floors, ...required])];
}

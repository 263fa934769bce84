import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Brand } from "../primitives/hex.ts";
import type { Admissibility } from "./admissibility.ts";
import type { Deployment } from "./deployment.ts";
import { engineProblem } from "./engine.ts";
import { belowBand, intensityFor } from "./exposure.ts";
import { QUESTIONS, read } from "./fields.ts";
import { actorsOf, floorFor, type Obligation, obligationHash, obligationSchema, policyConflict, purposeSchema } from "./obligation.ts";
import { accept, type Checked, type Guard, type Refusal, refuse } from "./refusal.ts";
import { messageOf } from "./seal.ts";

/** An obligation that its parties signed, or accepted by an act known to the deployment. Only `bindObligation` makes one. */
export type BoundObligation = Brand<Obligation, "BoundObligation">;

/**
 * Obligation binding, which prevents DOWNGRADE-FLOOR (RAILS 10.3): the hash is that of the rendered object, every party and the witness
 * signed exactly it (or accepted it by an act that the deployment recognises), no floor is below the vetted template's, and quorum, appeal window
 * and collateral meet its exposure.
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
  const { verifiers, count, quorum = 1, drawn_by } = obligation.verifier_policy;
  if (new Set(verifiers).size !== verifiers.length || verifiers.length !== (drawn_by === undefined ? count : 0) || quorum > count)
    no("VERIFIER_COUNT", `${verifiers.length} named, ${count} counted, a quorum of ${quorum}`);
  const { requestor, provider } = obligation.parties;
  const house = (id: string) => deployment.registry.identity(id)?.principal ?? id;
  if (requestor === provider || house(requestor) === house(provider))
    no("ONE_PARTY", `${requestor} and ${provider} are both of ${house(provider)}`);
  const { clearing_engine: engine } = obligation;
  const unfit = engine === undefined ? undefined : engineProblem(engine, obligation, deployment);
  if (unfit !== undefined) no("NOT_THE_ENGINE", `${engine}: ${unfit}`);
  const unkept = promiseProblem(obligation);
  if (unkept !== undefined) no("RELEASE_RULE", unkept);
  const conflict = policyConflict(obligation);
  if (conflict !== undefined) no("POLICY_CONFLICT", conflict);
  const { exposure } = deployment;
  if (exposure !== undefined)
    for (const lack of belowBand(obligation, intensityFor(exposure.of(obligation), exposure.config))) no("BELOW_BAND", lack);
  for (const refusal of unsigned(obligation, deployment)) refusals.push(refusal);
  for (const refusal of againstTemplate(obligation, deployment)) refusals.push(refusal);
  const [first, ...rest] = refusals;
  return first === undefined ? accept(obligation as BoundObligation) : { ok: false, refusals: [first, ...rest] };
}

/** Parties that neither signed this obligation nor accepted it otherwise. */
function unsigned(obligation: Obligation, deployment: Deployment): Refusal[] {
  const { parties, obligation_hash: hash, signatures, obligation_id: subject } = obligation;
  return Object.entries(parties).flatMap(([part, id]): Refusal[] => {
    if (id === undefined) return [];
    const signature = signatures[part];
    const identity = deployment.registry.identity(id);
    if (identity === undefined) return [{ guard: "UNKNOWN_PARTY", subject, details: id }];
    if (signature === undefined)
      return deployment.undertook(obligation, id) ? [] : [{ guard: "PARTY_SIGNATURE", subject, details: `${part} ${id} has not signed` }];
    return deployment.verify(identity.key, messageOf("obligation", hash), signature)
      ? []
      : [{ guard: "PARTY_SIGNATURE", subject, details: `the signature of ${part} ${id} is not over this object` }];
  });
}

/** Why the release rule's promises do not match the fee, or the parties that do the work; undefined if they do. */
function promiseProblem({ settlement_policy, economic_terms: { fee }, parties, agents }: Obligation): string | undefined {
  const release = settlement_policy?.release;
  if (release === undefined) return undefined;
  const { promises, protocol_fee_bps, insurance_bps } = release;
  const promised = promises.reduce((sum, { price }) => sum + price, 0);
  const actors = actorsOf({ parties, ...(agents === undefined ? {} : { agents }) });
  const stranger = promises.find(({ payee }) => !actors.includes(payee));
  if (stranger !== undefined) return `${stranger.payee} does none of the work`;
  if (new Set(promises.map(({ payee }) => payee)).size !== promises.length) return "somebody is promised two prices";
  if (protocol_fee_bps + insurance_bps > BASIS_POINTS) return "its rates are more than the whole";
  return promised === fee ? undefined : `${promised} are promised of a fee of ${fee}`;
}

/** The parties may raise a vetted template's floors, but not lower them. */
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

/** Floors of one obligation that are not ⪰ those of another, for display. */
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

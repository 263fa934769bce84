/**
 * Kinds of check that a law can require at a node (RAILS 5.6), and what each examines. `replay` is always among them. A mission file names
 * the others, a law's document lists them, and a decision needs each that is listed.
 */
export const VERIFIER_KINDS = {
  replay: "re-execution: an independent run gives the same bytes, or enough of several outputs agree",
  constraint:
    "the output against its service's registered schema, the ids it must answer, and the mission's predicates if it is the final output",
  receipt: "the issuer of the evidence: its signature, its registration for that class, and its independence from the executor",
  semantic: "a chat model reads the output and judges it by the task's rubric",
  human: "an adjudicator reads the output and signs",
} as const;
export type VerifierKind = keyof typeof VERIFIER_KINDS;

/** Kinds that every panel member checks itself, in the order of its findings. */
export const PANEL_KINDS = ["replay", "constraint", "receipt", "semantic"] as const satisfies readonly VerifierKind[];
export type PanelKind = (typeof PANEL_KINDS)[number];

/** Kinds that a mission file and a law can require in addition to replay. */
export const ASKED_KINDS = ["constraint", "receipt", "semantic", "human"] as const satisfies readonly VerifierKind[];
export type AskedKind = (typeof ASKED_KINDS)[number];

/** The kinds that a panel checks under a law that requires these; none if it requires replay only, which is then not listed. */
export function panelKinds(asked: readonly VerifierKind[] | undefined): readonly PanelKind[] {
  if (asked === undefined) return [];
  return PANEL_KINDS.filter((kind) => kind === "replay" || asked.includes(kind));
}

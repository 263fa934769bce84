/**
 * Kinds of verifier that a law can ask for at a node (RAILS 5.6), and what each judges by. Whatever else is asked for, the work is done again:
 * `replay` is always among them. A mission file names the others, a law's document carries them, and a decision needs each that is named.
 */
export const VERIFIER_KINDS = {
  replay: "the work done again: an independent run gives the same bytes, or of several outputs enough agree",
  constraint:
    "the output against its service's registered schema, the ids it has to answer, and the mission's predicates where it is the output",
  receipt:
    "who vouches for these bytes: an issuer's signature, its registration for that class, and that it is not of the executor's house",
  semantic: "a chat model reads the output and judges it by the task's rubric",
  human: "an adjudicator reads the output and signs",
} as const;
export type VerifierKind = keyof typeof VERIFIER_KINDS;

/** Kinds by which every member of a panel judges for itself, in the order of its findings. */
export const PANEL_KINDS = ["replay", "constraint", "receipt", "semantic"] as const satisfies readonly VerifierKind[];
export type PanelKind = (typeof PANEL_KINDS)[number];

/** What a mission file and a law can ask for besides replay. */
export const ASKED_KINDS = ["constraint", "receipt", "semantic", "human"] as const satisfies readonly VerifierKind[];
export type AskedKind = (typeof ASKED_KINDS)[number];

/** By which kinds a panel judges under a law that asks for these; none where it asks for nothing but replay, which then is not named. */
export function panelKinds(asked: readonly VerifierKind[] | undefined): readonly PanelKind[] {
  if (asked === undefined) return [];
  return PANEL_KINDS.filter((kind) => kind === "replay" || asked.includes(kind));
}

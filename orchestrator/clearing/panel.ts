import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes } from "../primitives/json.ts";
import type { WeightOf } from "./clearing-decision.ts";
import type { Intensity } from "./exposure.ts";
import type { Obligation } from "./obligation.ts";
import { actorsOf } from "./obligation.ts";
import type { Identity, Registry, Role } from "./registry.ts";

/** The verifiers of one clearing, and the band's unfilled roles. */
export interface Panel {
  readonly verifiers: readonly Identity[];
  readonly missing: readonly Role[];
}

/**
 * Draws a verifier for each role of the band (RAILS 7.2) from obligation and seed: no one chooses a seat, and a colluding pair gets other
 * seats each time (rotation, 10.2). Verifiers without weight, and those of the actors, are not drawn.
 */
export function drawPanel(
  candidates: readonly Identity[],
  { verifiers: roles }: Pick<Intensity, "verifiers">,
  obligation: Pick<Obligation, "obligation_id" | "parties" | "agents">,
  { registry, weightOf, seed }: { readonly registry: Registry; readonly weightOf: WeightOf; readonly seed: string },
): Panel {
  const barred = actorsOf(obligation).map((actor) => registry.identity(actor)?.principal);
  const lot = ({ id }: Identity) => sha256(canonicalBytes([seed, obligation.obligation_id, id]));
  const eligible = candidates
    .filter(({ id, principal }) => !barred.includes(principal) && weightOf(id) > 0)
    .map((identity) => ({ identity, lot: lot(identity) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1));
  const drawn = roles.map((role) => ({ role, identity: eligible.find(({ identity }) => identity.role === role)?.identity }));
  return {
    verifiers: drawn.flatMap(({ identity }) => identity ?? []),
    missing: drawn.flatMap(({ role, identity }) => (identity === undefined ? [role] : [])),
  };
}

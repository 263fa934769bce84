import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes } from "../primitives/json.ts";
import type { WeightOf } from "./clearing-decision.ts";
import type { Intensity } from "./exposure.ts";
import type { Obligation } from "./obligation.ts";
import { actorsOf } from "./obligation.ts";
import type { Identity, Registry, Role } from "./registry.ts";

/** The verifiers of one clearing, and the roles of the band that nobody could fill. */
export interface Panel {
  readonly verifiers: readonly Identity[];
  readonly missing: readonly Role[];
}

/**
 * Chooses a verifier for each role of the band (RAILS 7.2), by a draw over obligation and seed: nobody sits by choice, and a colluding
 * pair meets in other seats each time (rotation, 10.2). Those without weight, and the actors' own, are not drawn.
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

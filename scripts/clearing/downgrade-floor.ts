import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { type Obligation, type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { satisfies } from "./invariant.ts";
import { signed, signerOf, sweepDeployment, termsWith } from "./population.ts";

export interface DowngradeFloor {
  readonly events: number;
  readonly rejected: number;
  /** Bound with a floor below the template's. */
  readonly violations: number;
}

const TEMPLATE_FLOOR = "ATT";
const WEAKER = ["SELF", "SIGN", "WIT", "REC"] as const;

/** Ways to bind a weaker floor than the parties meant. */
const ATTACKS: readonly ((weaker: string, honest: Obligation, terms: ObligationTerms) => Obligation)[] = [
  // The rendered object is changed after everybody signed.
  (weaker, honest) => ({ ...honest, admissibility_floors: { fee_release: weaker } }),
  // … and hashed again, with the old signatures.
  (weaker, honest, terms) => ({ ...signed({ ...terms, admissibility_floors: { fee_release: weaker } }), signatures: honest.signatures }),
  // Everybody is talked into signing below the template.
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: weaker } }),
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: { performance: weaker, policy: TEMPLATE_FLOOR } } }),
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: TEMPLATE_FLOOR, final_settlement: weaker } }),
  // The template itself is exchanged.
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: weaker }, template: "sweep-lite" }),
  // The provider signs for the others.
  (weaker, _, terms) =>
    signObligation(
      { ...terms, admissibility_floors: { fee_release: weaker } },
      { requestor: signerOf("agent"), provider: signerOf("agent"), marketplace_witness: signerOf("agent") },
    ),
];

/** DOWNGRADE-FLOOR: attempts to bind less than the vetted template's floor. */
export function downgradeFloor(seed: Seed, events: number): DowngradeFloor {
  const at = sweepDeployment(undefined, TEMPLATE_FLOOR);
  const terms = termsWith(TEMPLATE_FLOOR);
  const honest = signed(terms);
  if (!bindObligation(honest, at).ok) throw new Error("the honest obligation must bind, or nothing is tested");
  const attempts = ATTACKS.flatMap((attack) => WEAKER.map((weaker) => attack(weaker, honest, terms)));
  const random = randomStream(seed, "clearing", "downgrade-floor");
  let [rejected, violations] = [0, 0];
  for (let event = 0; event < events; event += 1) {
    const bound = bindObligation(random.pick(attempts), at);
    if (!bound.ok) rejected += 1;
    else if (!floorsOf(bound.value).every((floor) => satisfies(floor, TEMPLATE_FLOOR))) violations += 1;
  }
  return { events, rejected, violations };
}

function floorsOf({ admissibility_floors }: Obligation): string[] {
  return Object.values(admissibility_floors).flatMap((floor) =>
    floor === undefined ? [] : typeof floor === "string" ? [floor] : Object.values(floor),
  );
}

import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { type Obligation, type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { type RandomStream, randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { satisfies } from "./invariant.ts";
import { signed, signerOf, sweepDeployment, termsWith } from "./population.ts";

export interface DowngradeFloor {
  readonly events: number;
  readonly rejected: number;
  /** Bound with a floor below the template's. */
  readonly violations: number;
}

const CLASSES = ["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"] as const;
const TEMPLATE_FLOORS = CLASSES.slice(1);

/** Ways to bind a weaker floor than the parties agreed. */
const ATTACKS: readonly ((weaker: string, honest: Obligation, terms: ObligationTerms, meant: string) => Obligation)[] = [
  // The rendered object is changed after all parties signed.
  (weaker, honest) => ({ ...honest, admissibility_floors: { fee_release: weaker } }),
  // … and hashed again, with the old signatures.
  (weaker, honest, terms) => ({ ...signed({ ...terms, admissibility_floors: { fee_release: weaker } }), signatures: honest.signatures }),
  // All parties are persuaded to sign below the template.
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: weaker } }),
  (weaker, _, terms, meant) => signed({ ...terms, admissibility_floors: { fee_release: { performance: weaker, policy: meant } } }),
  (weaker, _, terms, meant) => signed({ ...terms, admissibility_floors: { fee_release: { performance: meant, policy: weaker } } }),
  (weaker, _, terms, meant) => signed({ ...terms, admissibility_floors: { fee_release: meant, final_settlement: weaker } }),
  (weaker, _, terms, meant) => signed({ ...terms, admissibility_floors: { fee_release: meant, collateral_hold: weaker } }),
  // The template itself is replaced.
  (weaker, _, terms) => signed({ ...terms, admissibility_floors: { fee_release: weaker }, template: "sweep-lite" }),
  // The provider signs for the others.
  (weaker, _, terms) =>
    signObligation(
      { ...terms, admissibility_floors: { fee_release: weaker } },
      { requestor: signerOf("agent"), provider: signerOf("agent"), marketplace_witness: signerOf("agent") },
    ),
];

/** Number of random documents, each with its own terms, floor and forgery. */
const DRAWN = 4000;

/** DOWNGRADE-FLOOR: attempts to bind a floor below the vetted template's. */
export function downgradeFloor(seed: Seed, events: number): DowngradeFloor {
  const random = randomStream(seed, "clearing", "downgrade-floor");
  const worlds = TEMPLATE_FLOORS.map((floor) => ({ floor, at: sweepDeployment(undefined, floor) }));
  const attempts = Array.from({ length: Math.min(DRAWN, events) }, () => {
    const { floor, at } = random.pick(worlds);
    const terms = drawnTerms(floor, random);
    const honest = signed(terms);
    if (!bindObligation(honest, at).ok) throw new Error("the honest obligation must bind, otherwise nothing is tested");
    const weaker = random.pick(CLASSES.filter((one) => !satisfies(one, floor)));
    return { floor, at, document: random.pick(ATTACKS)(weaker, honest, terms, floor) };
  });
  let [rejected, violations] = [0, 0];
  for (let event = 0; event < events; event += 1) {
    const { floor, at, document } = event < attempts.length ? (attempts[event] ?? random.pick(attempts)) : random.pick(attempts);
    const bound = bindObligation(document, at);
    if (!bound.ok) rejected += 1;
    else if (!floorsOf(bound.value).every((one) => satisfies(one, floor))) violations += 1;
  }
  return { events, rejected, violations };
}

/** A separate deal: number, work, fee, time. */
function drawnTerms(floor: (typeof TEMPLATE_FLOORS)[number], random: RandomStream): ObligationTerms {
  const terms = termsWith(floor);
  const number = random.int(2 ** 40).toString(16);
  return {
    ...terms,
    obligation_id: hashOf({ sweep: floor, number }),
    task: { description: `a unit of work, ${number}` },
    economic_terms: { ...terms.economic_terms, fee: 1 + random.int(100_000) },
    deadlines: { execution_window_hours: 1 + random.int(72), appeal_window_hours: 1 + random.int(72) },
  };
}

function floorsOf({ admissibility_floors }: Obligation): string[] {
  return Object.values(admissibility_floors).flatMap((floor) =>
    floor === undefined ? [] : typeof floor === "string" ? [floor] : Object.values(floor),
  );
}

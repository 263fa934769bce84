import { type Admissibility, RAILS_ADMISSIBILITY } from "./admissibility.ts";
import type { BoundObligation } from "./bind.ts";
import type { RailAppeal } from "./docket.ts";
import type { EvidenceItem, Hop } from "./evidence-envelope.ts";
import type { RailEnd } from "./exit.ts";
import type { ExposureConfig } from "./exposure.ts";
import type { Posting } from "./margin.ts";
import type { Obligation } from "./obligation.ts";
import type { Registry } from "./registry.ts";
import { type VerifySignature, verifySignature } from "./signature.ts";
import type { Scorer } from "./verifiers/triage.ts";

/**
 * Checks a class's claim beyond the signature: a TEE quote for ATT (`quoteCheck`), a proof for PROOF. PROOF without a checker is never
 * admitted.
 */
export type ClassCheck = (item: EvidenceItem, hop: Hop, obligation: BoundObligation) => boolean;

/** A deployment's choices: its order of classes, its registry, and its verification. */
export interface Deployment {
  readonly admissibility: Admissibility;
  readonly registry: Registry;
  readonly verify: VerifySignature;
  readonly classChecks: Readonly<Record<string, ClassCheck>>;
  /** Whether a party accepted exactly this obligation by an act other than a signature, such as a bid on chain. Default: no. */
  readonly undertook: (obligation: Obligation, party: string) => boolean;
  /** Whether the rail ended exactly this obligation so, by clocks and signatures of its own. Default: no. */
  readonly ended: (obligation: Obligation, end: RailEnd) => boolean;
  /** Whether the rail heard exactly this appeal. Default: no. */
  readonly appealed: (obligation: Obligation, appeal: RailAppeal) => boolean;
  /** Whether the rail holds exactly this collateral. Default: no. */
  readonly posted: (obligation: Obligation, posting: Posting) => boolean;
  /** Floors of vetted templates. If there are any, every obligation must name one. */
  readonly templates: Readonly<Record<string, Obligation["admissibility_floors"]>> | undefined;
  /**
   * X of an obligation in [0, 1] (RAILS 7.1), of which its provider's history is a part (`historyRisk`), and what each band demands: obligations
   * below their band are not bound. By default the parties agree on what they like.
   */
  readonly exposure: { readonly of: (obligation: Obligation) => number; readonly config: ExposureConfig } | undefined;
  /** Components of the triage score; those of `triage.ts` by default. */
  readonly scorers: readonly Scorer[] | undefined;
}

/** A deployment with the paper's six classes, real signatures and no templates, except for the given options. */
export function deployment(registry: Registry, options: Partial<Omit<Deployment, "registry">> = {}): Deployment {
  return {
    admissibility: RAILS_ADMISSIBILITY,
    verify: verifySignature,
    classChecks: {},
    undertook: () => false,
    ended: () => false,
    appealed: () => false,
    posted: () => false,
    templates: undefined,
    exposure: undefined,
    scorers: undefined,
    ...options,
    registry,
  };
}

import { type Admissibility, RAILS_ADMISSIBILITY } from "./admissibility.ts";
import type { BoundObligation } from "./bind.ts";
import type { EvidenceItem, Hop } from "./evidence-envelope.ts";
import type { Obligation } from "./obligation.ts";
import type { Registry } from "./registry.ts";
import { type VerifySignature, verifySignature } from "./signature.ts";

/**
 * Checks what a class claims beyond a signature: a TEE quote for ATT (`quoteCheck`), a proof for PROOF. PROOF without a checker is
 * never admitted.
 */
export type ClassCheck = (item: EvidenceItem, hop: Hop, obligation: BoundObligation) => boolean;

/** What a deployment decides: its order of classes, who is registered, and how things are verified. */
export interface Deployment {
  readonly admissibility: Admissibility;
  readonly registry: Registry;
  readonly verify: VerifySignature;
  readonly classChecks: Readonly<Record<string, ClassCheck>>;
  /** Whether somebody undertook just this by another act than a signature on it: a bid on chain. Nobody, by default. */
  readonly undertook: (obligation: Obligation, party: string) => boolean;
  /** Floors of vetted templates. Where any are given, every obligation names one. */
  readonly templates: Readonly<Record<string, Obligation["admissibility_floors"]>> | undefined;
}

/** A deployment with the paper's six classes, real signatures and no templates, but for what is given. */
export function deployment(registry: Registry, options: Partial<Omit<Deployment, "registry">> = {}): Deployment {
  return {
    admissibility: RAILS_ADMISSIBILITY,
    verify: verifySignature,
    classChecks: {},
    undertook: () => false,
    templates: undefined,
    ...options,
    registry,
  };
}

import { zeroAddress } from "viem";
import type { Address, Hex } from "../../primitives/hex.ts";
import { nextDraw } from "../../rules/panel-draw.ts";
import { INITIAL_REPUTATION } from "../../rules/reputation.ts";
import { RuleError } from "../../rules/rule-error.ts";
import type { ChainRecord } from "./chain-record.ts";

export interface Verifier {
  readonly address: Address;
  readonly principal: Address;
  readonly weight: number;
}

interface Standing {
  readonly verifiers: readonly Verifier[];
  readonly issuers: ReadonlyMap<Address, { readonly principal: Address; readonly classes: number }>;
  readonly runners: ReadonlyMap<Address, Address>;
}

/** Who was what at a point of the chain, from events alone. */
export class Roles {
  readonly #record: ChainRecord;

  constructor(record: ChainRecord) {
    this.#record = record;
  }

  /** The human behind an agent, zero for strangers as on chain. */
  principalOf(agent: Address): Address {
    const registered = this.#record.events("ProducerContract", "AgentRegistered").find(({ args }) => args.agent === agent);
    return registered?.args.principal ?? zeroAddress;
  }

  /** Packed capabilities as registered. */
  capabilitiesOf(agent: Address): bigint {
    return this.#record.events("ProducerContract", "AgentRegistered").find(({ args }) => args.agent === agent)?.args.capabilities ?? 0n;
  }

  /** Thousandths of a point. */
  reputationBefore(agent: Address, at: bigint): bigint {
    const changes = this.#record
      .events("ProducerContract", "ReputationChanged")
      .filter((change) => change.at < at && change.args.agent === agent);
    return BigInt(changes.at(-1)?.args.current ?? INITIAL_REPUTATION);
  }

  /** Evidence roles just before a point, verifiers in the registry's order. */
  before(at: bigint): Standing {
    const issuers = new Map<Address, { principal: Address; classes: number }>();
    const runners = new Map<Address, Address>();
    const verifiers: Verifier[] = [];
    const record = this.#record;
    const steps = [
      ...record
        .events("EvidenceRegistry", "IssuerRegistered")
        .map(({ at, args }) => ({ at, apply: () => issuers.set(args.issuer, { principal: args.principal, classes: args.classes }) })),
      ...record
        .events("EvidenceRegistry", "RunnerRegistered")
        .map(({ at, args }) => ({ at, apply: () => runners.set(args.runner, args.principal) })),
      ...record.events("EvidenceRegistry", "VerifierRegistered").map(({ at, args }) => ({
        at,
        apply: () => verifiers.push({ address: args.verifier, principal: args.principal, weight: args.weight }),
      })),
      ...record.events("EvidenceRegistry", "VerifierRetired").map(({ at, args }) => ({
        at,
        apply: () => {
          const place = verifiers.findIndex(({ address }) => address === args.verifier);
          const retired = verifiers[place];
          if (retired !== undefined) verifiers[place] = { ...retired, weight: 0 };
        },
      })),
      ...record.events("EvidenceRegistry", "Revoked").map(({ at, args }) => ({
        at,
        apply: () => {
          issuers.delete(args.account);
          runners.delete(args.account);
          removeVerifier(verifiers, args.account);
        },
      })),
    ];
    for (const step of steps.filter((each) => each.at < at).sort((a, b) => (a.at < b.at ? -1 : 1))) step.apply();
    return { verifiers, issuers, runners };
  }
}

/** The registry fills the gap with the last. */
function removeVerifier(verifiers: Verifier[], account: Address): void {
  const place = verifiers.findIndex(({ address }) => address === account);
  const last = place === -1 ? undefined : verifiers.pop();
  if (last !== undefined && place < verifiers.length) verifiers[place] = last;
}

const TRIES_PER_SEAT = 32;

/** The panel that `EvidenceRegistry.drawPanel` draws: distinct verifiers, none of an excluded principal. */
export function drawPanel(seed: Hex, size: number, verifiers: readonly Verifier[], excluded: readonly Address[]): readonly Address[] {
  const panel: Address[] = [];
  const isFree = ({ address, principal }: Verifier) => !panel.includes(address) && !excluded.includes(principal);
  const tries = verifiers.length === 0 ? 0 : TRIES_PER_SEAT * size;
  let draw = 0;
  for (; draw < tries && panel.length < size; draw += 1) {
    const drawn = verifiers[Number(nextDraw(seed, draw, verifiers.length))];
    if (drawn !== undefined && isFree(drawn)) panel.push(drawn.address);
  }
  const pool = panel.length < size ? verifiers.filter(isFree) : [];
  if (panel.length + pool.length < size) throw new RuleError("PanelUnavailable", size, panel.length + pool.length);
  for (; panel.length < size; draw += 1) {
    const pick = Number(nextDraw(seed, draw, pool.length));
    const chosen = pool[pick];
    const last = pool.pop();
    if (chosen === undefined || last === undefined) break;
    panel.push(chosen.address);
    if (pick < pool.length) pool[pick] = last;
  }
  return panel;
}

import { zeroAddress } from "viem";
import type { Address } from "../../primitives/hex.ts";
import type { Seat } from "../../rules/panel-draw.ts";
import { INITIAL_REPUTATION } from "../../rules/reputation.ts";
import type { ChainRecord } from "./chain-record.ts";

interface Verifier extends Seat {
  readonly weight: number;
}

interface Standing {
  /** By number of registration; a weight that was taken is zero. */
  readonly verifiers: readonly Verifier[];
  /** Rosters that panels are drawn from, in order; each serves its block and those after it. */
  readonly rosters: readonly { readonly since: bigint; readonly seats: readonly Verifier[] }[];
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

  /** Packed capabilities as registered, or as a Regulator attested them since. */
  capabilitiesBefore(agent: Address, at: bigint): bigint {
    const attested = this.#record
      .events("ProducerContract", "CapabilitiesAttested")
      .findLast((each) => each.at < at && each.args.agent === agent);
    if (attested !== undefined) return attested.args.current;
    return this.#record.events("ProducerContract", "AgentRegistered").find(({ args }) => args.agent === agent)?.args.capabilities ?? 0n;
  }

  /** Whether an adjudicator had its seat. */
  isSeatedBefore(adjudicator: Address, at: bigint): boolean {
    const record = this.#record;
    const left = [...record.events("AdjudicatorRoster", "Resigned"), ...record.events("AdjudicatorRoster", "Impeached")];
    const isOf = (each: { readonly args: { readonly adjudicator: Address } }) => each.args.adjudicator === adjudicator;
    return isHeld(record.events("AdjudicatorRoster", "Seated").filter(isOf), left.filter(isOf), at);
  }

  /** Whether a clerk was appointed to an office. */
  isClerkBefore(office: number, clerk: Address, at: bigint): boolean {
    const isOf = ({ args }: { readonly args: { readonly office: number; readonly clerk: Address } }) =>
      args.office === office && args.clerk === clerk;
    const record = this.#record;
    const appointed = record.events("ClerkContract", "ClerkAppointed").filter(isOf);
    return isHeld(appointed, record.events("ClerkContract", "ClerkRevoked").filter(isOf), at);
  }

  /** Thousandths of a point. */
  reputationBefore(agent: Address, at: bigint): bigint {
    const changes = this.#record
      .events("ProducerContract", "ReputationChanged")
      .filter((change) => change.at < at && change.args.agent === agent);
    return BigInt(changes.at(-1)?.args.current ?? INITIAL_REPUTATION);
  }

  /** What an agent held of its own, locked or not, smallest unit. */
  stakeBefore(agent: Address, at: bigint): bigint {
    const isOwn = (each: { readonly at: bigint; readonly args: { readonly agent: Address } }) => each.at < at && each.args.agent === agent;
    const sum = (name: "StakeAdded" | "StakeWithdrawn" | "StakeSlashed") =>
      this.#record.events("ProducerContract", name).reduce((total, each) => (isOwn(each) ? total + each.args.amount : total), 0n);
    const registered = this.#record.events("ProducerContract", "AgentRegistered").find(isOwn);
    return (registered?.args.stake ?? 0n) + sum("StakeAdded") - sum("StakeWithdrawn") - sum("StakeSlashed");
  }

  /** Faults of an agent that were found and not settled then. */
  openFaultsBefore(agent: Address, at: bigint): number {
    const counted = (["AgentAccused", "AgentDischarged"] as const)
      .flatMap((name) => this.#record.events("ProducerContract", name))
      .filter((each) => each.at < at && each.args.agent === agent);
    return counted.sort((one, other) => Number(one.at - other.at)).at(-1)?.args.faults ?? 0;
  }

  /** The same when the agent was awarded the node that it was paid for at that point: ψ is of then (decision 88). */
  reputationAtAward(agent: Address, mission: Address, node: number, at: bigint): bigint {
    const award = this.#record
      .events("ExecutionProcedure", "Awarded")
      .findLast((each) => each.at < at && each.args.mission === mission && each.args.node === node && each.args.agent === agent);
    return this.reputationBefore(agent, award?.at ?? at);
  }

  /** Evidence roles just before a point, verifiers in the registry's order. */
  before(at: bigint): Standing {
    const issuers = new Map<Address, { principal: Address; classes: number }>();
    const runners = new Map<Address, Address>();
    const suspended = new Set<Address>();
    const retired = new Set<Address>();
    const verifiers: Verifier[] = [];
    const rosters: { since: bigint; seats: readonly Verifier[] }[] = [];
    const isOut = ({ address, principal }: Verifier) => retired.has(address) || suspended.has(principal);
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
      // Rosters that were written before keep what they had.
      ...record.events("EvidenceRegistry", "PassportsPosted").map(({ at, args }) => ({
        at,
        apply: () => {
          for (const [place, known] of verifiers.entries()) {
            const moved = args.weights[args.verifiers.indexOf(known.address)];
            if (moved !== undefined) verifiers[place] = { ...known, weight: moved };
          }
        },
      })),
      ...record.events("EvidenceRegistry", "VerifierRetired").map(({ at, args }) => ({ at, apply: () => retired.add(args.verifier) })),
      ...record.events("EvidenceRegistry", "PrincipalSuspended").map(({ at, args }) => ({
        at,
        apply: () => (args.suspended ? suspended.add(args.principal) : suspended.delete(args.principal)),
      })),
      ...record.events("EvidenceRegistry", "RosterWritten").map(({ at, block }) => ({
        at,
        apply: () => rosters.push({ since: block, seats: verifiers.filter((verifier) => !isOut(verifier)) }),
      })),
      ...record.events("EvidenceRegistry", "Revoked").map(({ at, args }) => ({
        at,
        apply: () => {
          issuers.delete(args.account);
          runners.delete(args.account);
          retired.delete(args.account);
          removeVerifier(verifiers, args.account);
        },
      })),
    ];
    for (const step of steps.filter((each) => each.at < at).sort((a, b) => (a.at < b.at ? -1 : 1))) step.apply();
    return { verifiers: verifiers.map((verifier) => (isOut(verifier) ? { ...verifier, weight: 0 } : verifier)), rosters, issuers, runners };
  }
}

/** Whether the last that happened before a point was to be given something, not to lose it. */
function isHeld(given: readonly { readonly at: bigint }[], lost: readonly { readonly at: bigint }[], before: bigint): boolean {
  const last = (of: readonly { readonly at: bigint }[]) => of.reduce((latest, { at }) => (at < before && at > latest ? at : latest), -1n);
  return last(given) > last(lost);
}

/** The registry fills the gap with the last. */
function removeVerifier(verifiers: Verifier[], account: Address): void {
  const place = verifiers.findIndex(({ address }) => address === account);
  const last = place === -1 ? undefined : verifiers.pop();
  if (last !== undefined && place < verifiers.length) verifiers[place] = last;
}

import { AgentCityError } from "../primitives/errors.ts";
import type { Hash } from "../primitives/hex.ts";
import type { Deployment } from "./deployment.ts";
import type { Obligation } from "./obligation.ts";
import { actorsOf } from "./obligation.ts";
import { hashOf, messageOf, type SealedKind, without } from "./seal.ts";
import type { Signature } from "./signature.ts";

/** The fields that decide who may clear an obligation. */
type Bound = Pick<Obligation, "parties" | "agents" | "clearing_engine">;

/** The signer is not a clearing engine of this obligation. */
export class NotTheEngine extends AgentCityError {
  constructor(id: string, problem: string) {
    super("NotTheEngine", `${id} cannot clear this obligation: ${problem}`, { action: "sign as a registered engine of no party" });
  }
}

/**
 * Why `id` is not the clearing engine of an obligation; undefined if it is: registered as an engine, of no party's principal, and the one
 * named by the parties, if they named one (RAILS 4.6).
 */
export function engineProblem(
  id: string,
  { parties, agents, clearing_engine }: Bound,
  { registry }: Pick<Deployment, "registry">,
): string | undefined {
  const engine = registry.identity(id);
  if (engine?.role !== "engine") return "it is not registered as an engine";
  if (clearing_engine !== undefined && clearing_engine !== id) return `the parties named ${clearing_engine}`;
  const { provider, ...others } = parties;
  const concerned = [...Object.values(others), ...actorsOf({ parties, ...(agents === undefined ? {} : { agents }) })];
  const party = concerned.find((each) => each !== undefined && registry.identity(each)?.principal === engine.principal);
  return party === undefined ? undefined : `it belongs to ${engine.principal}, as ${party} does`;
}

/** Throws NotTheEngine unless `id` may sign as the clearing engine of the obligation. */
export function requireEngine(id: string, obligation: Bound, deployment: Pick<Deployment, "registry">): void {
  const problem = engineProblem(id, obligation, deployment);
  if (problem !== undefined) throw new NotTheEngine(id, problem);
}

/** Whether a registered engine signed this hash. The caller checks its obligation with `engineProblem`. */
export function isEngineSignature(
  id: string,
  kind: SealedKind,
  hash: Hash,
  signature: Signature,
  { registry, verify }: Pick<Deployment, "registry" | "verify">,
): boolean {
  const engine = registry.identity(id);
  return engine?.role === "engine" && verify(engine.key, messageOf(kind, hash), signature);
}

/** Whether a registered engine signed this record, whose `id` is the hash of its other fields. */
export function isEngineRecord<Id extends string>(
  record: Readonly<Record<Id, Hash>> & { readonly clearing_engine: string; readonly clearing_engine_signature: Signature },
  kind: SealedKind,
  id: Id,
  deployment: Pick<Deployment, "registry" | "verify">,
): boolean {
  const { clearing_engine, clearing_engine_signature } = record;
  const hash = hashOf(without<typeof record, Id | "clearing_engine_signature">(record, id, "clearing_engine_signature"));
  return hash === record[id] && isEngineSignature(clearing_engine, kind, hash, clearing_engine_signature, deployment);
}

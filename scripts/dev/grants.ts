/**
 * Grants as a graph: `authority.ts` has who may call, `deploy/grants.ts` what the call grants. The standing reachable from another is computed, so
 * that a row that opens the law to an agent shows as a path.
 */
import { LAW, LAW_GRANTS, type LawStanding } from "../../deploy/grants.ts";
import { ANYONE, AUTHORITY, LIKE, ROLES, type Role } from "./authority.ts";

export type Standing = Role | LawStanding;

/** A call that grants standing. */
export interface Grant {
  readonly contract: string;
  readonly functionName: string;
  readonly gives: Standing;
  /** Accounts whose signatures the call checks, regardless of the sender. */
  readonly signed?: Role;
}

/** How people and agents obtain their standing; not part of the law. */
const PEOPLE: readonly Grant[] = [
  { contract: "ProducerContract", functionName: "register", gives: "producer" },
  { contract: "ProducerContract", functionName: "registerSubAgent", gives: "producer", signed: "producer" },
  { contract: "LegislativeProcedure", functionName: "openSession", gives: "sponsor" },
  { contract: "LegislativeProcedure", functionName: "adopt", gives: "sponsor" },
  { contract: "LegislativeProcedure", functionName: "approve", gives: "mission", signed: "speaker" },
  { contract: "ExecutionProcedure", functionName: "award", gives: "executor", signed: "producer" },
  { contract: "CollaborationContract", functionName: "commit", gives: "panel", signed: "executor" },
  { contract: "StakePool", functionName: "openPool", gives: "manager" },
  { contract: "AdjudicationProcedure", functionName: "act", gives: "ADJUDICATION", signed: "adjudicator" },
];

/** Standing that a seat or an office gives its holder. */
const HELD: Partial<Record<LawStanding, readonly Role[]>> = {
  seat: ["adjudicator"],
  office: ["registrar", "speaker", "regulator", "codifier"],
  "evidence role": ["issuer", "verifier", "runner", "monitor"],
};

export const GRANTS: readonly Grant[] = [...PEOPLE, ...LAW_GRANTS];

/** Institutions that can change the law. Every other contract is treated as if it acted for an agent. */
const LAWGIVERS: readonly Role[] = ["ADJUDICATION", "CONSTITUTION", "ROSTER", "CLERKS"];

/** Everyone except adjudicators and the institutions that only they control: agents, clerks, sponsors, missions, contracts. */
export const AGENTS: readonly Role[] = (Object.keys(ROLES) as Role[]).filter(
  (role) => ![role, LIKE[role]].includes("adjudicator") && role !== "deployer" && !LAWGIVERS.includes(role),
);

/** Everything reachable from these standings, step by step, with a path to it. */
export function reach(from: Iterable<Standing>): ReadonlyMap<Standing, readonly string[]> {
  const found = new Map<Standing, readonly string[]>([...from].map((standing) => [standing, []]));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { contract, functionName, gives, signed } of GRANTS) {
      const caller = callerAmong(found, contract, functionName);
      if (caller === undefined || found.has(gives) || (signed !== undefined && !found.has(signed))) continue;
      const way = [...(found.get(signed ?? caller) ?? []), `${signed ?? caller}: ${contract}.${functionName}`];
      for (const standing of [gives, ...(HELD[gives as LawStanding] ?? [])]) if (!found.has(standing)) found.set(standing, way);
    }
  }
  return found;
}

/** A reachable standing that may call the function. */
function callerAmong(found: ReadonlyMap<Standing, unknown>, contract: string, functionName: string): Standing | undefined {
  const rules = AUTHORITY[contract]?.[functionName] ?? [];
  for (const { callers } of rules) {
    if (callers === ANYONE) return "outsider";
    const caller = callers.find((role) => found.has(role));
    if (caller !== undefined) return caller;
  }
  return undefined;
}

/** The reachable powers of the law. */
export function lawIn(reached: ReadonlyMap<Standing, readonly string[]>): readonly LawStanding[] {
  return LAW.filter((standing) => reached.has(standing));
}

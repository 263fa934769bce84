/**
 * Who can give what to whom, as a graph: from `authority.ts`, who may call; from `deploy/grants.ts`, what the call gives. What standing
 * leads to which other is computed, so that a row that opens the law to an agent shows as a path.
 */
import { LAW, LAW_GRANTS, type LawStanding } from "../../deploy/grants.ts";
import { ANYONE, AUTHORITY, LIKE, ROLES, type Role } from "./authority.ts";

export type Standing = Role | LawStanding;

/** A call that gives standing to somebody. */
export interface Grant {
  readonly contract: string;
  readonly functionName: string;
  readonly gives: Standing;
  /** Whose signatures the call checks, whoever sends it. */
  readonly signed?: Role;
}

/** How people and agents come by what they are; no part of the law. */
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

/** What a seat or an office makes of its holder. */
const HELD: Partial<Record<LawStanding, readonly Role[]>> = {
  seat: ["adjudicator"],
  office: ["registrar", "speaker", "regulator", "codifier"],
  "evidence role": ["issuer", "verifier", "runner", "monitor"],
};

export const GRANTS: readonly Grant[] = [...PEOPLE, ...LAW_GRANTS];

/** Institutions whose word changes the law. Every other contract may be thought of as doing an agent's bidding. */
const LAWGIVERS: readonly Role[] = ["ADJUDICATION", "CONSTITUTION", "ROSTER", "CLERKS"];

/** Everybody who is neither an adjudicator nor an institution that only adjudicators move: agents, clerks, sponsors, missions, contracts. */
export const AGENTS: readonly Role[] = (Object.keys(ROLES) as Role[]).filter(
  (role) => ![role, LIKE[role]].includes("adjudicator") && role !== "deployer" && !LAWGIVERS.includes(role),
);

/** Everything that whoever has these standings can come by, step after step, with a way to it. */
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

/** One of those found who may call the function. */
function callerAmong(found: ReadonlyMap<Standing, unknown>, contract: string, functionName: string): Standing | undefined {
  const rules = AUTHORITY[contract]?.[functionName] ?? [];
  for (const { callers } of rules) {
    if (callers === ANYONE) return "outsider";
    const caller = callers.find((role) => found.has(role));
    if (caller !== undefined) return caller;
  }
  return undefined;
}

/** The powers of the law among what was reached. */
export function lawIn(reached: ReadonlyMap<Standing, readonly string[]>): readonly LawStanding[] {
  return LAW.filter((standing) => reached.has(standing));
}

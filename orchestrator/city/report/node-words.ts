import { grouped } from "../../primitives/amounts.ts";
import type { Outcome } from "../../protocol/outcome.ts";

/** How the work was verified, by evidence class. */
const CHECKED: Readonly<Record<string, string>> = {
  ATT: "run again by an issuer, same bytes",
  REC: "compared with each other",
  WIT: "witnessed",
  SIGN: "signed only",
  SELF: "by nobody else",
  PROOF: "proved",
};

/** How a node ended, in words; `show` writes what comes from agents. */
export function ending(
  { end, failures, class: evidence, executors, attempts, verifiers = [] }: Outcome["nodes"][number],
  show: (text: string) => string,
): string {
  const before = failures.length === 0 ? "" : ` after ${counted(failures.length, "failed attempt")}`;
  const judged = verifiers.length === 0 ? "" : `; also checked by verifiers of kind ${verifiers.join(", ")}`;
  if (end === "done") return `done${before}; checked: ${CHECKED[evidence] ?? show(evidence)}${judged}`;
  if (end === "not-started") return "not started";
  if (end === "stopped") {
    const fault = executors.find(({ attempt, fault: found }) => attempt === attempts && found !== null)?.fault;
    return fault == null ? `stopped with the mission${before}` : `its service failed: ${show(fault)}`;
  }
  const last = failures.at(-1);
  if (last === undefined) return "failed";
  const by = last.by.length === 0 ? "" : ` by ${last.by.map(show).join(", ")}`;
  return `failed at attempt ${last.attempt}${by}: ${show(last.words)}`;
}

/** `1 item`, `2 items`. */
export function counted(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Basis points as percent with at most one decimal, rounded down. */
export function percent(basisPoints: number): string {
  return `${Math.floor(basisPoints / 10) / 10} %`;
}

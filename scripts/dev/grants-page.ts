/** `docs/grants.md`: a graph of grants, which shows that no path leads from agents to the law. */
import { LAW } from "../../deploy/grants.ts";
import { ANYONE, AUTHORITY } from "./authority.ts";
import { AGENTS, GRANTS, type Grant, lawIn, reach } from "./grants.ts";
import { MADE, table } from "./markdown.ts";

function sourcesOf({ contract, functionName, signed }: Grant): readonly string[] {
  if (signed !== undefined) return [signed];
  const callers = (AUTHORITY[contract]?.[functionName] ?? []).map((rule) => rule.callers);
  return callers.includes(ANYONE) ? [ANYONE] : [...new Set(callers.flat())];
}

export function grantsPage(): string {
  const arrows = GRANTS.flatMap((grant) =>
    sourcesOf(grant).map((from) => `  ${id(from)}["${from}"] -->|${grant.functionName}| ${id(grant.gives)}["${grant.gives}"]`),
  );
  const agents = reach(AGENTS);
  const adjudicators = reach(["adjudicator"]);
  const rows = LAW.map((standing) => [
    standing,
    (adjudicators.get(standing) ?? []).map((step) => `\`${step}\``).join(" → "),
    agents.has(standing) ? "**yes**" : "no way",
  ]);
  return [
    MADE("scripts/dev/authority.ts, scripts/dev/grants.ts and deploy/grants.ts"),
    "\n# Grants\n\n",
    "An arrow is a call that the account at its tail may make (or must sign), and that grants what is at its head. The rows of\n",
    "[authority.md](authority.md) state who may call, and are proven by a test; the grants of each call are listed in\n",
    "[deploy/grants.ts](../deploy/grants.ts). Double frames are the law: powers that change permissions.\n\n",
    "```mermaid\nflowchart LR\n",
    [...new Set(arrows)].join("\n"),
    `\n  ${id("seat")} -.-> ${id("adjudicator")}["adjudicator"]\n`,
    ...LAW.map((standing) => `  ${id(standing)}[["${standing}"]]\n`),
    "```\n\n",
    `Of ${LAW.length} powers of the law, ${lawIn(agents).length} can be reached by all non-adjudicators together: agents, principals,\n`,
    "clerks, sponsors, verifiers, issuers, runners, monitors, missions, and every contract except the four that only adjudicators control\n",
    "(`ADJUDICATION`, `CONSTITUTION`, `ROSTER`, `CLERKS`), even if each of them acted for an agent. `test/contracts/authority/grants.test.ts` computes this,\n",
    "and shows that the computation finds a path if one is opened. On a live deployment `npm run verify` reads every event that\n",
    "changed the law since genesis and requires an order signed by adjudicators in the same transaction (check `GRANTS`).\n\n",
    table(["power", "the adjudicators' way", "everybody else's"], rows),
  ].join("");
}

function id(standing: string): string {
  return standing.replaceAll(/\W/g, "_");
}

/**
 * Explores every model whole, compares its size with what it must be, and shows that each seeded fault is found.
 *
 * usage: npm run modelcheck [-- --json | --ends]      --ends prints the table of docs/modelcheck.md
 */
import { flags } from "../../scripts/dev/flags.ts";
import { MODELS, MUTANTS } from "./catalogue.ts";
import { endings, endingsTable } from "./ends.ts";
import type { WayOut } from "./explore.ts";
import { MISSING } from "./machines/mission/guards.ts";
import { PANEL_MISSING } from "./machines/panel.ts";

const values = flags("agentcity modelcheck [--json | --ends]", {
  json: { type: "boolean", default: false },
  ends: { type: "boolean", default: false },
});

const ways: WayOut[] = [];
const machines = MODELS.map(({ name, about, published, explore, ...expected }) => {
  const began = performance.now();
  const { generated, distinct, violation, ways: out = [] } = explore();
  ways.push(...out);
  const seconds = (performance.now() - began) / 1000;
  const ok = violation === undefined && generated === expected.generated && distinct === expected.distinct;
  process.stderr.write(`${ok ? "✓" : "✗"} ${name}: ${generated} generated, ${distinct} distinct, ${seconds.toFixed(2)} s\n`);
  if (!ok) process.stderr.write(`  expected ${expected.generated} and ${expected.distinct}, no violation: ${JSON.stringify(violation)}\n`);
  return { name, about, generated, distinct, expected, published: published ?? null, violation: violation ?? null, seconds, ok };
});
const mutants = MUTANTS.map(({ name, explore }) => {
  const { violation } = explore();
  process.stderr.write(
    `${violation ? "✓ found" : "✗ MISSED"} ${name}: ${violation?.invariant ?? ""}: ${violation?.trace.join(" → ") ?? ""}\n`,
  );
  return { name, found: violation !== undefined, violation: violation ?? null };
});
const ok = machines.every((machine) => machine.ok) && mutants.every(({ found }) => found);
if (values.ends) console.log(endingsTable(endings(ways)));
else if (values.json)
  console.log(JSON.stringify({ ok, machines, mutants, endings: endings(ways), missing: [...MISSING, ...PANEL_MISSING] }, null, 2));
else {
  const caught = mutants.filter(({ found }) => found).length;
  console.log(
    `${machines.filter((machine) => machine.ok).length} of ${machines.length} models as they must be; ${caught} of ${mutants.length} faults found`,
  );
}
process.exitCode = ok ? 0 : 1;

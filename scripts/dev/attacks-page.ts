/** `docs/attacks.md`: the attacks that are tested, the guard each targets, and the paper's threats they belong to. */
import { z } from "zod";
import { listIn } from "./files.ts";
import { MADE, table } from "./markdown.ts";

const Lists = z.object({ THREATS: z.record(z.string(), z.string()), THEMES: z.record(z.string(), z.string()) });
const Attacks = z.object({
  ATTACKS: z.array(
    z.object({
      id: z.string(),
      theme: z.string(),
      title: z.string(),
      threats: z.array(z.string()),
      entry: z.string(),
      guard: z.string(),
      file: z.string(),
      bound: z.string().optional(),
    }),
  ),
});

const Findings = z.object({
  FINDINGS: z.array(
    z.object({
      id: z.string(),
      finding: z.string(),
      decisions: z.array(z.number()),
      rule: z.string(),
      attacks: z.array(z.string()),
      tests: z.array(z.object({ file: z.string(), title: z.string() })).default([]),
      players: z.array(z.string()).default([]),
      left: z.string().optional(),
    }),
  ),
});
type Finding = z.infer<typeof Findings>["FINDINGS"][number];

/** Finding → rule → test → mutant. */
function findingRow({ id, finding, decisions, rule, attacks, tests, players, left }: Finding): string[] {
  const links = decisions.map((number) => `[${number}](decisions.md#decision-${number})`);
  const others = tests.map(({ file, title }) => `[${title}](../${file})`);
  const found = players.map((without) => `without “${without}”`);
  return [
    id,
    finding,
    `${rule} (${links.join(", ")})`,
    [...attacks, ...others].join(", "),
    [...attacks, ...found].join(", ") || "none",
    left ?? "",
  ];
}

export async function attacksPage(): Promise<string> {
  const { THREATS, THEMES } = Lists.parse(await listIn("test/attacks/attack.ts"));
  const { ATTACKS } = Attacks.parse(await listIn("test/attacks/attacks.ts"));
  const { FINDINGS } = Findings.parse(await listIn("test/attacks/findings.ts"));
  const themes = Object.entries(THEMES).map(([theme, heading]) => {
    const rows = ATTACKS.filter((attack) => attack.theme === theme).map(({ id, title, threats, entry, guard, file, bound }) => [
      id,
      title,
      `\`${entry}\``,
      `[${guard}](../contracts/${file})`,
      threats.join(", "),
      bound === undefined ? "refused" : `bounded: ${bound}`,
    ]);
    const head = ["#", "attack", "through", "guard", "threat", "outcome"];
    return `\n## ${heading}\n\nTested in [${theme}.test.ts](../test/attacks/${theme}.test.ts).\n\n${table(head, rows)}`;
  });
  const threats = Object.entries(THREATS).map(([threat, meaning]) => {
    const answering = ATTACKS.filter((attack) => attack.threats.includes(threat)).map(({ id }) => id);
    return [threat, meaning, answering.join(", ")];
  });
  return [
    MADE("test/attacks/attacks.ts"),
    "\n# Attacks\n\n",
    `${ATTACKS.length} attacks on the contracts. Each names the one guard that stops it. Its test carries out the attack and checks what the attacker gained\n`,
    "or the victim lost, not how the call was refused. `npm run mutants -- test/attacks` removes that one guard in a copy and requires the test\n",
    "to fail: without the guard the attack succeeds. No guard is counted twice for one entry point.\n\n",
    "*Refused*: the attack achieves nothing. *Bounded*: the column says what limits the remaining damage.\n",
    ...themes,
    "\n## By finding\n\nGaps that a review of the contracts' first version found. Tests given by number are the attacks above, each with its mutant; *without* names a\n",
    "rule of `npm run modelcheck`: when it is removed, the checker finds the shortest attack.\n\n",
    table(["#", "finding", "rule", "tests", "mutants", "residual risk"], FINDINGS.map(findingRow)),
    "\n## By threat\n\nTA, SP, NP: AgentCity 4; M: A.7. [SECURITY.md](../SECURITY.md) lists the threats that no attack here covers.\n\n",
    table(["threat", "about", "attacks"], threats),
  ].join("");
}

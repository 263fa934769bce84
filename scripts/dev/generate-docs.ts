/**
 * Generates documentation from data: `docs/parameters.md` from the parameter table, `docs/transitions.md` from the
 * exported transition tables, `contracts/meta/adjudication/ActTypes.sol` and `docs/acts.erc7730.json` from the table of human acts, `docs/contexts/` from the
 * JSON-LD context, and by the `…-page.ts` of each `docs/authority.md`,
 * `docs/grants.md`, `docs/calibration.md`, `docs/deterrence.md`, `docs/gas.md`, `docs/scale.md`, `docs/throughput.md`, `docs/first-minute.md`, `docs/blocs.md`,
 * `docs/attacks.md`, `docs/gateway-commands.md`, `docs/read-access.md`, `docs/service-catalog.md` and
 * `docs/invariants.md`; the economy's results by `economy/results.ts`; and the blocks of pages that show the sample mission
 * (`sample-pages.ts`), what console and gateway take (`faces-page.ts`), or how quick agreements are
 * (`agreements-page.ts`).
 *
 * usage: npm run docs [-- --check]      --check writes nothing and fails when a file is not current
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { actDescriptor } from "../../orchestrator/protocol/act-descriptor.ts";
import { DIAGNOSES, type Diagnosis } from "../../orchestrator/protocol/diagnoses.ts";
import { MISSION_CONTEXT, missionContext } from "../../orchestrator/protocol/mission-context.ts";
import { DEVNET, PARAMETERS } from "../../orchestrator/protocol/parameters.ts";
import type { TransitionTable } from "../../orchestrator/rules/arcs.ts";
import { missionTransitions } from "../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../orchestrator/rules/transitions/node.ts";
import { sessionTransitions } from "../../orchestrator/rules/transitions/session.ts";
import { agreementsPages } from "../bench/agreements-page.ts";
import { blocsPage } from "../bench/blocs-page.ts";
import { economySpeedPages } from "../bench/economy-page.ts";
import { facesPages } from "../bench/faces-page.ts";
import { firstMinutePage } from "../bench/first-minute-page.ts";
import { gasPage } from "../bench/gas-page.ts";
import { scalePage } from "../bench/scale-page.ts";
import { throughputPage } from "../bench/throughput-page.ts";
import { calibrationPage } from "../calibrate/page.ts";
import { deterrencePage } from "../deterrence/page.ts";
import { findingsPages } from "../economy/findings.ts";
import { resultPages } from "../economy/results.ts";
import { ACT_TYPES_FILE, actTypesSource } from "./act-types.ts";
import { attacksPage } from "./attacks-page.ts";
import { authorityPage } from "./authority-page.ts";
import { root } from "./files.ts";
import { gatewayPage } from "./gateway-page.ts";
import { grantsPage } from "./grants-page.ts";
import { invariantsPage } from "./invariants-page.ts";
import { MADE, table } from "./markdown.ts";
import { readAccessPage } from "./read-access-page.ts";
import { samplePages } from "./sample-pages.ts";
import { servicesPage } from "./services-page.ts";

// --- Parameters ------------------------------------------------------------------------------------------------------

/** A parameter's source as a link to its entry: `AgentCity B.12`, `decision 8`. */
function sourceLink(source: string): string {
  const [where = "", ...what] = source.split(" ");
  const page = where === "decision" ? "decisions.md" : "sources.md";
  return `[${source}](${page}#${[where, ...what].join("-").toLowerCase()})`;
}

function parametersPage(): string {
  const rows = PARAMETERS.map((p) => [
    String(p.index),
    `\`${p.name}\``,
    p.unit,
    grouped(p.default),
    DEVNET[p.name] === p.default ? "" : grouped(DEVNET[p.name]),
    `${grouped(p.min)} – ${grouped(p.max)}`,
    p.locked ? "yes" : "",
    p.risk,
    p.weaker.toLowerCase(),
    sourceLink(p.source),
  ]);
  return [
    MADE("orchestrator/protocol/parameters.ts"),
    "\n# Parameters of the constitution\n\n",
    `${PARAMETERS.length} parameters that humans may change and agents may not. \`ConstitutionContract.param(index)\` returns the value in force;\n`,
    "`setParam` refuses a value outside the range. Genesis of the embedded chain uses the column *devnet* if it has a value: the\n",
    "waiting periods there are the shortest allowed.\n\n",
    "*Locked*: a mission copies the value when its session opens, so a later change does not reach it. *Risk*: the possible damage of a\n",
    "change. *Weaker*: the direction in which the parameter protects less. *bps* are hundredths of a percent, *tokens* whole tokens,\n",
    "*class* a number of `EvidenceClass` (0 SELF, 1 SIGN, 2 WIT, 3 REC, 4 ATT, 5 PROOF), *band* one of `Band` (0 LOW to 3 CRITICAL).\n\n",
    table(["#", "parameter", "unit", "default", "devnet", "range", "locked", "risk", "weaker", "source"], rows),
  ].join("");
}

// --- Transitions -----------------------------------------------------------------------------------------------------

function lifecycle(title: string, source: string, { states, arcs }: TransitionTable<string>): string {
  const targets = (state: string) => arcs[state] ?? [];
  const drawn = states.flatMap((state) => [
    ...targets(state).map((target) => `  ${state} --> ${target}\n`),
    ...(targets(state).length === 0 ? [`  ${state} --> [*]\n`] : []),
  ]);
  const rows = states.map((state, code) => [String(code), state, targets(state).join(", ") || "final"]);
  return [
    `\n## ${title}\n\nFrom [${source}](../${source}), whose comment explains each arc.\n\n`,
    `\`\`\`mermaid\nstateDiagram-v2\n  [*] --> ${states[0]}\n${drawn.join("")}\`\`\`\n\n`,
    table(["code", "state", "may go to"], rows),
  ].join("");
}

function transitionsPage(): string {
  return [
    MADE("orchestrator/rules/transitions"),
    "\n# Transitions\n\n",
    "State transitions. The tables are constants of the contracts; an arc that is not in its table is impossible, on chain or\n",
    "off. `node scripts/dev/export-transitions.ts --check` compares the exported tables with the compiled contracts.\n",
    lifecycle("Session", "contracts/libraries/SessionTransitions.sol", sessionTransitions),
    lifecycle("Mission", "contracts/libraries/MissionTransitions.sol", missionTransitions),
    lifecycle("Node", "contracts/libraries/NodeTransitions.sol", nodeTransitions),
  ].join("");
}

/** Reasons for contracts' refusals: the catalogue used by command line, gateway and console. */
function diagnosesPage(): string {
  const shown = (text: string) => text.replaceAll(/\{(?:time )?(\d)\}/g, (_, place: string) => `‹${Number(place) + 1}›`);
  return [
    MADE("orchestrator/protocol/diagnoses.ts"),
    "\n# Refusals of contracts, and remedies\n\n",
    "The command line (`TransactionReverted`), the gateway's errors and the console use these texts; ‹1› is the refusal's first value. Other refusals\n",
    "only concern programs, and are shown as returned by the contract.\n\n",
    table(
      ["refusal", "meaning", "remedy"],
      Object.entries<Diagnosis>(DIAGNOSES)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { means, helps }]) => [`\`${name}\``, shown(means), shown(helps)]),
    ),
  ].join("");
}

/** Path of the context named by mission specifications: the end of its URL. */
const contextFile = `docs${new URL(MISSION_CONTEXT).pathname}.jsonld`;

/** Every page that is generated or has generated blocks: text by path. */
export async function pages(): Promise<Map<string, string>> {
  return new Map([
    [ACT_TYPES_FILE, await actTypesSource()],
    ["docs/acts.erc7730.json", `${JSON.stringify(actDescriptor(), null, 2)}\n`],
    [contextFile, `${JSON.stringify(missionContext, null, 2)}\n`],
    ["docs/attacks.md", await attacksPage()],
    ["docs/authority.md", await authorityPage()],
    ["docs/blocs.md", blocsPage()],
    ["docs/calibration.md", calibrationPage()],
    ["docs/deterrence.md", deterrencePage()],
    ["docs/diagnoses.md", diagnosesPage()],
    ["docs/first-minute.md", firstMinutePage()],
    ["docs/gas.md", gasPage()],
    ["docs/gateway-commands.md", gatewayPage()],
    ["docs/grants.md", grantsPage()],
    ["docs/invariants.md", await invariantsPage()],
    ["docs/parameters.md", parametersPage()],
    ["docs/read-access.md", readAccessPage()],
    ["docs/scale.md", scalePage()],
    ["docs/service-catalog.md", servicesPage()],
    ["docs/throughput.md", throughputPage()],
    ["docs/transitions.md", transitionsPage()],
    ...economySpeedPages(),
    ...resultPages(),
    ...findingsPages(),
    ...samplePages(),
    ...facesPages(),
    ...agreementsPages(),
  ]);
}

if (import.meta.main) {
  try {
    for (const [path, text] of await pages()) {
      const file = join(root, path);
      if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
      if (process.argv.includes("--check")) {
        console.error(`${path} is not current: npm run docs`);
        process.exitCode = 1;
      } else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
        console.log(`wrote ${path}`);
      }
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * What deters, and what AgentCity prints about it (docs/deterrence.md).
 *
 * usage: npm run deterrence [-- --vm 100000 --k 3 --t 2 …] [--preset] [--json]
 */
import { z } from "zod";
import { MODERATE, productionStakes } from "../../deploy/production-preset.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { deterringStake, effectiveDetection, malice } from "../../orchestrator/rules/deterrence.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { foundingFile } from "./founding-file.ts";
import { comparisonRow } from "./page.ts";
import { agrees, figures } from "./printed.ts";

const USAGE = `agentcity deterrence [--vm <value of a mission, tokens>] [--preset] [--json]
       [--k <executors, 3>] [--t <that must agree, 2>] [--p <notices, 0.5>] [--rho <correlation, 0>] [--slash <share, 0.33>]
       [--pi <would collude, 0.12> | --pi0 <of the unstaked> --scale <stake, 500> --registration <stake, 1000>] [--margin <times, 1>]
       without --vm: every figure of the paper beside ours; with it: the stakes that deter; --preset: a founding file with them`;
const TEXT = { type: "string" } as const;
const values = flags(USAGE, {
  vm: TEXT,
  k: TEXT,
  t: TEXT,
  p: TEXT,
  rho: TEXT,
  slash: TEXT,
  pi: TEXT,
  pi0: TEXT,
  scale: TEXT,
  registration: TEXT,
  margin: TEXT,
  preset: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

const share = z.coerce.number().min(0).max(1);
const schema = z.strictObject({
  vm: z.coerce.number().int().positive().optional(),
  k: z.coerce.number().int().min(1).max(101).default(MODERATE.executors),
  t: z.coerce.number().int().min(1).default(MODERATE.agreeing),
  p: share.default(MODERATE.notices),
  rho: share.default(MODERATE.correlation),
  slash: share.default(MODERATE.slashed),
  pi: share.default(MODERATE.malice),
  pi0: share.optional(),
  scale: z.coerce.number().positive().default(500),
  registration: z.coerce.number().min(0).default(1000),
  margin: z.coerce.number().positive().default(MODERATE.margin),
});

/** What a command answers: the document of `--json` and the text without it. */
interface Answer {
  readonly document: object;
  readonly text: string;
}

function answer(): Answer {
  const { preset, json: _, ...numbers } = values;
  const read = schema.safeParse(numbers);
  if (!read.success) return refuseFlags(USAGE, z.prettifyError(read.error).replaceAll("\n", " "));
  const given = read.data;
  if (given.t > given.k) return refuseFlags(USAGE, `--t ${given.t}: no more can agree than --k ${given.k}`);
  if (preset && given.vm === undefined) return refuseFlags(USAGE, "--preset needs --vm");
  if (given.vm === undefined) return comparison();
  const assumed = {
    executors: given.k,
    agreeing: given.t,
    notices: given.p,
    correlation: given.rho,
    malice: given.pi0 === undefined ? given.pi : malice({ unstaked: given.pi0, registration: given.registration, scale: given.scale }),
    slashed: given.slash,
    margin: given.margin,
  };
  if (preset) {
    const text = foundingFile(given.vm, productionStakes(given.vm, assumed));
    return { document: { status: "done", text }, text };
  }
  const detected = effectiveDetection(assumed, assumed.malice);
  const found = deterringStake(given.vm, detected, assumed.slashed);
  const said = found.deterrable
    ? `a stake of ${Math.ceil(assumed.margin * found.stake)} deters taking all of a mission`
    : `not deterrable: ${found.because}`;
  return {
    document: { assumed, detected, value: given.vm, ...found },
    text: `π = ${assumed.malice.toFixed(4)}, P_eff = ${detected.toFixed(4)}\n${said}\n`,
  };
}

function comparison(): Answer {
  const all = figures();
  const rows = [["source", "figure", "paper", "ours", "why"], ...all.map(comparisonRow)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const isNumber = (column: number) => column === 2 || column === 3;
  const align = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  const lines = rows.map((row) => row.map(align).join("  ").trimEnd());
  const differ = all.filter((figure) => !agrees(figure)).length;
  return {
    document: { figures: all.map((figure) => ({ ...figure, agrees: agrees(figure) })), differ },
    text: `${lines.join("\n")}\n\n${all.length} figures, ${differ} of them do not follow from the formulas\n`,
  };
}

try {
  const { document, text } = answer();
  process.stdout.write(values.json ? `${JSON.stringify(document)}\n` : text);
} catch (error) {
  if (!(error instanceof AgentCityError)) throw error;
  if (values.json) process.stdout.write(`${JSON.stringify({ status: "error", error: error.toPlain() })}\n`);
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
}

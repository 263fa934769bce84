/**
 * Deterring stakes, and the figures that AgentCity prints about them (docs/deterrence.md).
 *
 * usage: npm run deterrence [-- --vm 100000 --k 3 --t 2 …] [--preset] [--json]
 */
import { z } from "zod";
import { MODERATE, productionStakes } from "../../deploy/production-preset.ts";
import { treasuryStatement } from "../../orchestrator/city/report/treasury-sides.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { deterringStake, effectiveDetection, malice } from "../../orchestrator/rules/deterrence.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { openOffice } from "../override/office.ts";
import { foundingFile } from "./founding-file.ts";
import { comparisonRow } from "./page.ts";
import { agrees, figures } from "./printed.ts";

const USAGE = `agentcity deterrence [--vm <value of a mission, tokens>] [--preset] [--json]
       [--k <executors, 3>] [--t <that must agree, 2>] [--p <notices, 0.5>] [--rho <correlation, 0>] [--slash <share, 0.33>]
       [--pi <would collude, 0.12> | --pi0 <of the unstaked> --scale <stake, 500> --registration <stake, 1000>] [--margin <times, 1>]
       [--city [--days <30>] [--network <embedded>] [--rpc <url>]]
       without --vm: every figure of the paper beside ours; with it: the stakes that deter; --preset: a founding file with them;
       --city: what a city's treasury took in and paid out (EQ-11) and what its insurance covers (EQ-12)`;
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
  city: { type: "boolean", default: false },
  days: TEXT,
  network: TEXT,
  rpc: TEXT,
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

/** A command's output: the document for `--json`, and the text. */
interface Answer {
  readonly document: object;
  readonly text: string;
}

async function answer(): Promise<Answer> {
  const { preset, json: _, city, days, network, rpc, ...numbers } = values;
  const given = z.coerce.number().int().min(1).max(3650).default(30).safeParse(days);
  if (!given.success) return refuseFlags(USAGE, "--days is a whole number from 1 to 3650");
  if (city) return ofCity(network ?? "embedded", rpc, given.data);
  if (days !== undefined || network !== undefined || rpc !== undefined)
    return refuseFlags(USAGE, "--days, --network and --rpc require --city");
  const read = schema.safeParse(numbers);
  if (!read.success) return refuseFlags(USAGE, z.prettifyError(read.error).replaceAll("\n", " "));
  const { vm, pi, pi0, scale, registration } = numbers;
  if (vm === undefined && (preset || Object.values(numbers).some((given) => given !== undefined)))
    return refuseFlags(USAGE, "assumptions and --preset require --vm");
  if (pi0 === undefined ? scale !== undefined || registration !== undefined : pi !== undefined)
    return refuseFlags(USAGE, "either --pi, or --pi0 with --scale and --registration");
  return stakes(read.data, preset);
}

function stakes(given: z.infer<typeof schema>, preset: boolean): Answer {
  if (given.t > given.k) return refuseFlags(USAGE, `--t ${given.t}: no more can agree than --k ${given.k}`);
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

/** The treasury of a running city, or of a network of genesis. */
async function ofCity(network: string, rpc: string | undefined, days: number): Promise<Answer> {
  const { client, close } = await openOffice({ network, ...(rpc === undefined ? {} : { rpc }) });
  try {
    const document = await treasuryStatement(client, days);
    const { inflow, given, outflow, eq11, eq12 } = document;
    const line = (name: string, tokens: number) => `  ${name.padEnd(20)} ${tokens.toFixed(2).padStart(12)}`;
    const text = [
      `tokens, of ${days} days of chain time until ${new Date(1000 * document.until).toISOString()}`,
      "in",
      ...Object.entries(inflow).map(([reason, amount]) => line(reason, amount)),
      line("given, no income", given),
      "out",
      line("premiums", outflow.premiums),
      line("adjudicators", outflow.adjudicators),
      line("insurance payouts", outflow.insurancePayouts),
      line("gas subsidies", outflow.gasSubsidies),
      eq11.inflow + eq11.outflow === 0
        ? "EQ-11: nothing came in or went out"
        : `EQ-11: ${eq11.inflow.toFixed(2)} in, ${eq11.outflow.toFixed(2)} out: ${eq11.sustainable ? "sustainable" : "not sustainable"}`,
      eq12.cover === null
        ? `EQ-12: ${eq12.pool.toFixed(2)} insured, nothing was claimed`
        : `EQ-12: ${eq12.pool.toFixed(2)} insured, ${eq12.missions} missions claimed ${eq12.lossOfEach.toFixed(2)} each: ${eq12.cover.toFixed(1)} times, ${eq12.adequate ? "adequate" : "not adequate"}`,
      "",
    ].join("\n");
    return { document, text };
  } finally {
    await close();
  }
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
  const { document, text } = await answer();
  process.stdout.write(values.json ? `${JSON.stringify(document)}\n` : text);
} catch (error) {
  if (!(error instanceof AgentCityError)) throw error;
  if (values.json) process.stdout.write(`${JSON.stringify({ status: "error", error: error.toPlain() })}\n`);
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
}

import { parse } from "yaml";
import { z } from "zod";
import { addressSchema } from "../orchestrator/primitives/address.ts";
import { parseAmount } from "../orchestrator/primitives/amounts.ts";
import { AgentCityError, messageOf } from "../orchestrator/primitives/errors.ts";
import { contentIdOf, digestOf } from "../orchestrator/primitives/hash.ts";
import { evidenceClasses } from "../orchestrator/protocol/evidence.ts";
import type { OfficeName } from "../orchestrator/protocol/offices.ts";
import { PARAMETERS, type ParameterName, PRESETS, parameterFaults } from "../orchestrator/protocol/parameters.ts";
import type { GenesisPlan } from "./plan.ts";

/** Longest accepted file, characters. */
const MAX_FILE = 65_536;
/** Seats beyond the quorum that may be vacant at once. */
const SPARE_SEATS = 2n;

const amount = z.string().regex(/^\d+(\.\d{1,6})?$/, 'expected an amount in quotes, e.g. "5000.00"');
const person = z.strictObject({ address: addressSchema, principal: addressSchema });
const clerks = z.array(person).min(1);

/** The founders' input file (docs/genesis.md). */
const fileSchema = z.strictObject({
  mandate: z.string().min(1),
  preset: z.enum(["prototype", "devnet"]).default("prototype"),
  /** Parameters that differ from the preset, in the units of docs/parameters.md. */
  parameters: z.record(z.string(), z.int().min(0)).default({}),
  token: addressSchema.optional(),
  treasury: z.strictObject({ free: amount, insurance: amount }).default({ free: "0", insurance: "0" }),
  /** One seat per human: the address signs and is its own principal. */
  adjudicators: z.array(addressSchema).min(1),
  clerks: z.strictObject({ registrar: clerks, speaker: clerks, regulator: clerks, codifier: clerks }),
  issuers: z.array(z.strictObject({ ...person.shape, classes: z.array(z.enum(evidenceClasses)).min(1) })).default([]),
  runners: z.array(person).default([]),
  monitors: z.array(person).default([]),
  verifiers: z.array(z.strictObject({ address: addressSchema, weight: z.int().min(1).max(65_535).default(100) })).default([]),
});

const OFFICES = { registrar: "REGISTRAR", speaker: "SPEAKER", regulator: "REGULATOR", codifier: "CODIFIER" } as const;

/** The founding file is invalid. */
export class FoundingFileInvalid extends AgentCityError {
  constructor(fileName: string, problems: string) {
    super("FoundingFileInvalid", `${fileName} does not describe a city that can be founded`, {
      details: problems,
      action: "see docs/genesis.md",
    });
  }
}

/** Reads a founding file. The caller adds the Codifier's mandate, since it knows the law compiler's service. */
export function parseFoundingFile(text: string, fileName: string, devnet: boolean): Omit<GenesisPlan, "mandates"> {
  const refuse = (problems: string): never => {
    throw new FoundingFileInvalid(fileName, problems);
  };
  if (text.length > MAX_FILE) refuse(`it has ${text.length} characters; at most ${MAX_FILE}`);
  let raw: unknown;
  try {
    raw = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    refuse(messageOf(error));
  }
  const parsed = fileSchema.safeParse(raw);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  const file = parsed.data;
  const parameters = { ...PRESETS[file.preset] };
  const faults: string[] = [];
  for (const [name, value] of Object.entries(file.parameters)) {
    if (name in parameters) parameters[name as ParameterName] = BigInt(value);
    else faults.push(`unknown parameter ${name}`);
  }
  faults.push(...parameterFaults(parameters));
  const seats = new Set(file.adjudicators);
  if (seats.size !== file.adjudicators.length) faults.push("an adjudicator is listed twice: one seat per human");
  if (BigInt(seats.size) < parameters.ADJUDICATOR_QUORUM + SPARE_SEATS)
    faults.push(
      `${seats.size} adjudicators, but ADJUDICATOR_QUORUM = ${parameters.ADJUDICATOR_QUORUM} and ${SPARE_SEATS} more: a resignation must not block every law`,
    );
  if (BigInt(file.clerks.regulator.length) < 1n) faults.push("no regulator");
  if (file.token === undefined && !devnet)
    faults.push("token: the settlement token's address is needed; the test token exists on devnets only");
  if (faults.length > 0) refuse(faults.join("\n"));
  return {
    mandate: file.mandate,
    mandateDigest: digestOf(contentIdOf(new TextEncoder().encode(file.mandate))),
    parameters: PARAMETERS.map(({ name }) => parameters[name]),
    token: file.token ?? null,
    seats: file.adjudicators.map((adjudicator) => ({ adjudicator, principal: adjudicator })),
    clerks: Object.entries(OFFICES).flatMap(([key, office]: [string, OfficeName]) =>
      file.clerks[key as keyof typeof OFFICES].map((clerk) => ({ office, ...clerk })),
    ),
    issuers: file.issuers.map(({ classes, ...issuer }) => ({
      ...issuer,
      classes: classes.reduce((bits, name) => bits | (1 << evidenceClasses.indexOf(name)), 0),
    })),
    runners: file.runners,
    monitors: file.monitors,
    verifiers: file.verifiers,
    treasury: { free: parseAmount(file.treasury.free), insurance: parseAmount(file.treasury.insurance) },
  };
}

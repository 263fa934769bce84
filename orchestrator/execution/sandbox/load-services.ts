import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CatalogEntry } from "../../../services/catalog.ts";
import { CAPABILITIES } from "../../../services/shared/capabilities.ts";
import type { ServiceAbout } from "../../../services/shared/contract.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { compileSchema, SchemaUnusable } from "../../primitives/json-schema.ts";
import { type Bundle, bundleOf, bundleService } from "./bundle.ts";
import { DEFAULT_LIMITS, LONGEST_RUN_MS, MIN_MEMORY_MIB, MIN_SECONDS } from "./limits.ts";
import type { Sandbox } from "./run.ts";

/** A file is not a service: it cannot be run, or its self-description is invalid. */
export class NotAService extends AgentCityError {
  constructor(file: string, details: string, cause?: unknown) {
    super("NotAService", `${file} is not a service`, {
      details,
      action: "export a default function, and `about` as in services/template.ts (docs/services.md)",
      cause,
    });
  }
}

/** The directory named under `services` in a mission file cannot be read. */
export class ServicesNotFound extends AgentCityError {
  constructor(directory: string, cause: unknown) {
    super("ServicesNotFound", `The directory of services ${directory} cannot be read`, {
      details: messageOf(cause),
      action: "correct `services` in the mission file",
      cause,
    });
  }
}

const schemaObject = z.record(z.string(), z.json());
const aboutSchema = z.strictObject({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  title: z.string().min(1).max(200),
  description: z.string().min(1).max(2_000),
  accepts: z.array(z.enum(["packages", "files", "urls", "csv", "items"])).min(1),
  produces: z.enum(["items", "document"]),
  writes: z.enum(["markdown", "json", "csv"]).exactOptional(),
  perItem: z.boolean(),
  drops: z.boolean().exactOptional(),
  keepsFields: z.boolean().exactOptional(),
  mends: z.boolean().exactOptional(),
  input: schemaObject,
  output: schemaObject,
  options: schemaObject.exactOptional(),
  capabilities: z.array(z.int().min(0).max(255)).length(CAPABILITIES.length),
  deterministic: z.boolean(),
  limits: z
    .strictObject({
      seconds: z
        .int()
        .min(MIN_SECONDS)
        .max(LONGEST_RUN_MS / 1_000)
        .exactOptional(),
      memory: z.int().min(MIN_MEMORY_MIB).max(DEFAULT_LIMITS.memoryMb).exactOptional(),
      concurrent: z.int().min(1).max(255).exactOptional(),
    })
    .exactOptional(),
});

/** Appended to a bundle, so that it describes itself instead of working. */
const QUESTION = Buffer.from(
  "\n;service={default:((about,runs)=>()=>({about:about===undefined?null:about,runs}))(service.about,typeof service.default==='function')};",
);
const answerSchema = z.object({ about: z.unknown(), runs: z.boolean() });

/** A bundle's self-description, obtained within the sandbox: loading untrusted code here would mean running it. */
export async function describeService(sandbox: Sandbox, bundle: Bundle, file: string): Promise<ServiceAbout> {
  const question = bundleOf(Buffer.concat([bundle.bytes, QUESTION]));
  const result = await sandbox.run({ bundle: question, input: null });
  if (result.status === "failed") throw new NotAService(file, `${result.kind}: ${result.details}`);
  const answer = answerSchema.parse(result.output);
  if (!answer.runs) throw new NotAService(file, "it has no default export, or one that is not a function");
  if (answer.about === null) throw new NotAService(file, "it does not export `about`");
  const about = aboutSchema.safeParse(answer.about);
  if (!about.success) throw new NotAService(file, z.prettifyError(about.error));
  const { input, output, options = {} } = about.data;
  for (const [name, schema] of Object.entries({ input, output, options })) {
    try {
      compileSchema(schema);
    } catch (error) {
      if (!(error instanceof SchemaUnusable)) throw error;
      throw new NotAService(file, `its schema \`${name}\` cannot be used: ${error.details}`, error);
    }
  }
  return about.data;
}

/** A mission file's own services (`services: <path>`): every .ts, .js and .mjs file of the directory, added to the city's. */
export async function loadServices(sandbox: Sandbox, directory: string, known: readonly CatalogEntry[]): Promise<CatalogEntry[]> {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => /\.(ts|js|mjs)$/.test(name));
  } catch (error) {
    throw new ServicesNotFound(directory, error);
  }
  const entries = [...known];
  for (const name of names.sort()) {
    const file = join(directory, name);
    const about = await describeService(sandbox, await bundleService(file), name);
    if (entries.some(({ id }) => id === about.id)) throw new NotAService(name, `there already is a service called ${about.id}`);
    entries.push({ ...about, file });
  }
  return entries;
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CatalogEntry } from "../../../services/catalog.ts";
import { CAPABILITIES } from "../../../services/shared/capabilities.ts";
import type { ServiceAbout } from "../../../services/shared/contract.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { type Bundle, bundleOf, bundleService } from "./bundle.ts";
import type { Sandbox } from "./run.ts";

/** A file is no service: it cannot be read, or what it says about itself does not hold. */
export class NotAService extends AgentCityError {
  constructor(file: string, details: string, cause?: unknown) {
    super("NotAService", `${file} is not a service`, {
      details,
      action: "export a default function, and `about` as the services of the city do",
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
  accepts: z.array(z.enum(["packages", "files", "urls", "csv", "items"])).min(1),
  produces: z.enum(["items", "document"]),
  perItem: z.boolean(),
  input: schemaObject,
  output: schemaObject,
  capabilities: z.array(z.int().min(0).max(255)).length(CAPABILITIES.length),
  deterministic: z.boolean(),
});

/** What a bundle says about itself, asked within the sandbox: loading a stranger's code here would be running it. */
export async function describeService(sandbox: Sandbox, bundle: Bundle, file: string): Promise<ServiceAbout> {
  const question = bundleOf(Buffer.concat([bundle.bytes, Buffer.from("\n;service={default:((about)=>()=>about)(service.about)};")]));
  const result = await sandbox.run({ bundle: question, input: null });
  if (result.status === "failed") throw new NotAService(file, `${result.kind}: ${result.details}`);
  const about = aboutSchema.safeParse(result.output);
  if (!about.success) throw new NotAService(file, z.prettifyError(about.error));
  for (const schema of [about.data.input, about.data.output]) {
    try {
      z.fromJSONSchema(schema);
    } catch (error) {
      throw new NotAService(file, `its schema cannot be used: ${messageOf(error)}`, error);
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
    throw new NotAService(directory, messageOf(error), error);
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

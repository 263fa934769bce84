import type { z } from "zod";
import { findLivingCity } from "../chain/city-file.ts";
import { COMMANDS } from "../gateway/commands/table.ts";
import { askElsewhere, CityUnreachable } from "../gateway/elsewhere.ts";
import type { JsonObject } from "../primitives/json.ts";
import { home } from "./home.ts";
import { livingNetwork } from "./network.ts";

/** A gateway's answer to the command of this name. Throws the city's refusal, or CityUnreachable. */
export async function askCity<Output extends z.ZodType>(
  url: string,
  name: string,
  output: Output,
  given: JsonObject = {},
  bearer?: string,
): Promise<z.output<Output>> {
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) throw new CityUnreachable(url, `this version has no command ${name}`);
  return output.parse(await askElsewhere(url)(command, given, { bearer }));
}

/** URL of the named gateway, or of the city that is served from this folder. Throws CityUnreachable if there is neither. */
export function gatewayOr(named: string | undefined): string {
  const url = named ?? findLivingCity(home(livingNetwork()).dir)?.apiUrl ?? undefined;
  if (url === undefined) throw new CityUnreachable("this folder", "no city is served from this folder; name one with --city <url>");
  return url;
}

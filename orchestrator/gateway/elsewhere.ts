import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { isObject, parseJson } from "../primitives/json.ts";
import type { Command } from "./command.ts";
import { Refused } from "./errors.ts";
import type { Ask } from "./mcp.ts";
import { pathFields } from "./openapi.ts";

/** A city elsewhere does not answer, or not like one. */
export class CityUnreachable extends AgentCityError {
  constructor(url: string, reason: string, cause?: unknown) {
    super("CityUnreachable", `No answer from the city at ${url}`, {
      details: reason,
      action: "check the URL, and that npm run city runs there",
      cause,
    });
  }
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.string().optional() }) });

/** Milliseconds that an answer may take. */
const TIMEOUT = 20_000;

/** Asks the gateway at this URL. Throws Refused with its words, or CityUnreachable. */
export function askElsewhere(url: string): Ask {
  return async ({ path, method, output }: Command, input) => {
    const inPath = pathFields(path);
    const filled = inPath.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))), path);
    const query = new URLSearchParams(
      Object.entries(input).flatMap(([name, value]): [string, string][] => (inPath.includes(name) ? [] : [[name, String(value)]])),
    ).toString();
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(new URL(query === "" ? filled : `${filled}?${query}`, url), {
        method,
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      text = await answer.text();
    } catch (cause) {
      throw new CityUnreachable(url, messageOf(cause), cause);
    }
    const body = parseJson(text);
    if (!answer.ok) {
      const { error } = errorSchema.parse(body);
      throw new Refused("BadRequest", error.message, { details: error.code });
    }
    output.parse(body);
    if (!isObject(body)) throw new CityUnreachable(url, "it answered with something else than an object");
    return body;
  };
}

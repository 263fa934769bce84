import { randomBytes } from "node:crypto";
import type { LocalAccount } from "viem";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import type { Command } from "./command.ts";
import { Refused } from "./errors.ts";
import { signRequest } from "./http-signature.ts";
import type { Ask } from "./mcp.ts";
import { pathFields } from "./openapi.ts";

/** A remote city does not answer, or not like a city. */
export class CityUnreachable extends AgentCityError {
  constructor(url: string, reason: string, cause?: unknown) {
    super("CityUnreachable", `No answer from the city at ${url}`, {
      details: reason,
      action: "check the URL, and that npm run city runs there",
      cause,
    });
  }
}

/** Untrusted text: control characters that could affect a terminal are removed. */
const words = z.string().transform((text) => text.replaceAll(/[^\P{C}\n]/gu, "").slice(0, 2_000));
const errorSchema = z.object({
  error: z.object({
    code: z.string().regex(/^[A-Za-z]{1,60}$/),
    message: words,
    details: words.optional(),
    action: words.optional(),
  }),
});

/** Timeout of an answer, milliseconds. */
const TIMEOUT = 20_000;

/** Queries the gateway at this URL. Throws Refused with its message, or CityUnreachable. */
export function askElsewhere(url: string): Ask {
  return async ({ path, method, output }: Command, input, { bearer }) => {
    const inPath = pathFields(path);
    const filled = inPath.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))), path);
    const query = new URLSearchParams(
      Object.entries(input).flatMap(([name, value]): [string, string][] => (inPath.includes(name) ? [] : [[name, String(value)]])),
    ).toString();
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const { ok, body } = await fetched(url, query === "" ? filled : `${filled}?${query}`, { method, headers });
    if (!ok) {
      const { error } = errorSchema.parse(body);
      throw new Refused("BadRequest", error.message, { details: error.code, action: error.action });
    }
    output.parse(body);
    if (!isObject(body)) throw new CityUnreachable(url, "its answer is not an object");
    return body;
  };
}

/** Signs requests to a remote city. `now`: unix seconds. */
export interface Signing {
  readonly account: LocalAccount;
  readonly chainId: number;
  readonly now: () => number;
}

/** Posts to the gateway at this URL; with a key, by a signed request. Throws an error with the city's code, or CityUnreachable. */
export async function postElsewhere<Output extends z.ZodType>(
  url: string,
  path: string,
  output: Output,
  given: JsonObject,
  signing?: Signing,
): Promise<z.output<Output>> {
  const headers = new Headers({ "content-type": "application/json" });
  const text = canonicalJson(given);
  if (signing !== undefined) {
    const { account, chainId, now } = signing;
    const request = { method: "POST", url: new URL(path, url), headers, body: new TextEncoder().encode(text) };
    const terms = { chainId, key: account.address, nonce: randomBytes(16).toString("base64url"), now: now() };
    const added = await signRequest(request, terms, (message) => account.signMessage({ message }));
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
  }
  const { ok, body } = await fetched(url, path, { method: "POST", headers, body: text });
  if (ok) return output.parse(body);
  const { code, message, details, action } = errorSchema.parse(body).error;
  throw new AgentCityError(code, message, { details, action });
}

async function fetched(url: string, path: string, init: RequestInit): Promise<{ readonly ok: boolean; readonly body: JsonValue }> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(new URL(path, url), { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT) });
    text = await answer.text();
  } catch (cause) {
    throw new CityUnreachable(url, messageOf(cause), cause);
  }
  return { ok: answer.ok, body: parseJson(text) };
}

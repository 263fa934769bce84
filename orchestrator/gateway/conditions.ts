import { createHash } from "node:crypto";
import { z } from "zod";
import { Refused } from "./errors.ts";

/** Entity tags that a request names, without their quotes; `*`: whatever there is. */
const tagsSchema = z.union([z.literal("*"), z.array(z.strictObject({ tag: z.string(), isWeak: z.boolean() }))]);
type Tags = z.infer<typeof tagsSchema>;

/** What a request asks of the thing that it is about (RFC 9110, 13): that it is still so, or not. */
export const conditionsSchema = z.strictObject({ ifMatch: tagsSchema.optional(), ifNoneMatch: tagsSchema.optional() });
export type Conditions = Readonly<z.infer<typeof conditionsSchema>>;

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;

/** Throws BadRequest. */
function tagsIn(name: string, header: string): Tags {
  if (header.trim() === "*") return "*";
  if (!LIST.test(header)) throw new Refused("BadRequest", `${name} is neither * nor entity tags in quotes`);
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = ""]) => ({ tag, isWeak: weak !== undefined }));
}

/** The conditions of a request; undefined where it has none. Throws BadRequest. */
export function conditionsIn(header: (name: string) => string | undefined): Conditions | undefined {
  const [match, none] = [header("if-match"), header("if-none-match")];
  if (match === undefined && none === undefined) return undefined;
  return {
    ...(match === undefined ? {} : { ifMatch: tagsIn("If-Match", match) }),
    ...(none === undefined ? {} : { ifNoneMatch: tagsIn("If-None-Match", none) }),
  };
}

/** The entity tag of an answer, without its quotes: the same bytes, the same tag. */
export function tagOf(answer: string): string {
  return createHash("sha256").update(answer).digest("base64url");
}

/** `current`: the tag of what there is; undefined: there is nothing. A weak tag is never the same for a write. */
function names(tags: Tags, current: string | undefined, takesWeak: boolean): boolean {
  if (current === undefined) return false;
  return tags === "*" || tags.some(({ tag, isWeak }) => tag === current && (takesWeak || !isWeak));
}

/** Whether a reader who brings these conditions has this answer already. */
export function isKnown({ ifNoneMatch }: Conditions, current: string): boolean {
  return ifNoneMatch !== undefined && names(ifNoneMatch, current, true);
}

/** Throws PreconditionFailed where what there is is not what the caller acts upon. */
export function requireMatch({ ifMatch }: Conditions, current: string | undefined): void {
  if (ifMatch === undefined || names(ifMatch, current, false)) return;
  throw new Refused("PreconditionFailed", "It is no longer what If-Match names", { action: "read it again, and act on what it is now" });
}

/** The same for a write, which may also ask that there is nothing yet. */
export function requireConditions(conditions: Conditions, current: string | undefined): void {
  requireMatch(conditions, current);
  const { ifNoneMatch } = conditions;
  if (ifNoneMatch !== undefined && names(ifNoneMatch, current, true))
    throw new Refused("PreconditionFailed", "It is what If-None-Match excludes", { action: "read it, and act on what it is now" });
}

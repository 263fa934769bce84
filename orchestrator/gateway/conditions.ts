import { createHash } from "node:crypto";
import { z } from "zod";
import { Refused } from "./errors.ts";

/** Entity tags of a request, without quotes; `*`: any. */
const tagsSchema = z.union([z.literal("*"), z.array(z.strictObject({ tag: z.string(), isWeak: z.boolean() }))]);
type Tags = z.infer<typeof tagsSchema>;

/** Preconditions of a request (RFC 9110, 13). */
export const conditionsSchema = z.strictObject({ ifMatch: tagsSchema.optional(), ifNoneMatch: tagsSchema.optional() });
export type Conditions = Readonly<z.infer<typeof conditionsSchema>>;

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;

/** Throws BadRequest. */
function tagsIn(name: string, header: string): Tags {
  if (header.trim() === "*") return "*";
  if (!LIST.test(header)) throw new Refused("BadRequest", `${name} is neither * nor entity tags in quotes`);
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = ""]) => ({ tag, isWeak: weak !== undefined }));
}

/** Parses the preconditions of a request; undefined without any. Throws BadRequest. */
export function conditionsIn(header: (name: string) => string | undefined): Conditions | undefined {
  const [match, none] = [header("if-match"), header("if-none-match")];
  if (match === undefined && none === undefined) return undefined;
  return {
    ...(match === undefined ? {} : { ifMatch: tagsIn("If-Match", match) }),
    ...(none === undefined ? {} : { ifNoneMatch: tagsIn("If-None-Match", none) }),
  };
}

/** The entity tag of an answer, without quotes: the same bytes have the same tag. */
export function tagOf(answer: string): string {
  return createHash("sha256").update(answer).digest("base64url");
}

/** `current`: the tag of the resource; undefined if there is none. Weak tags never match for writes. */
function names(tags: Tags, current: string | undefined, takesWeak: boolean): boolean {
  if (current === undefined) return false;
  return tags === "*" || tags.some(({ tag, isWeak }) => tag === current && (takesWeak || !isWeak));
}

/** Whether a reader with these conditions has this answer already. */
export function isKnown({ ifNoneMatch }: Conditions, current: string): boolean {
  return ifNoneMatch !== undefined && names(ifNoneMatch, current, true);
}

/** Throws PreconditionFailed if the resource is not in the state that the caller expects. */
export function requireMatch({ ifMatch }: Conditions, current: string | undefined): void {
  if (ifMatch === undefined || names(ifMatch, current, false)) return;
  throw new Refused("PreconditionFailed", "The resource has changed since the state in If-Match", {
    action: "read it again, and act on its current state",
  });
}

/** The same for a write, which may also require that nothing exists yet. */
export function requireConditions(conditions: Conditions, current: string | undefined): void {
  requireMatch(conditions, current);
  const { ifNoneMatch } = conditions;
  if (ifNoneMatch !== undefined && names(ifNoneMatch, current, true))
    throw new Refused("PreconditionFailed", "The resource is in the state that If-None-Match excludes", {
      action: "read it, and act on its current state",
    });
}

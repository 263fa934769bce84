import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { classSchema, nameSchema, secondsOf, timeSchema } from "./fields.ts";
import { publicKeySchema } from "./signature.ts";

/** What a verifier is asked for (RAILS 5.6). */
export const roleSchema = z.enum(["constraint", "receipt", "semantic", "policy", "human", "attestation", "triage"]);
export type Role = z.infer<typeof roleSchema>;

/** What somebody is registered as. An engine clears, settles and ends; it judges nothing, so it answers in no verifier's role. */
const standingSchema = z.enum([...roleSchema.options, "engine"]);

/** Whoever signs something: its key, the principal behind it, and what it is registered for. */
export const identitySchema = z.strictObject({
  id: nameSchema,
  key: publicKeySchema,
  /** The person or firm behind it. Evidence and verdicts must not come from those they concern. */
  principal: nameSchema,
  /** Classes it may issue above SIGN. */
  issues: z.array(classSchema).readonly().default([]),
  /** Role as a verifier, or that of the clearing engine. */
  role: standingSchema.optional(),
  /** The registration is in force from and until these times. */
  from: timeSchema.optional(),
  until: timeSchema.optional(),
});
export type Identity = z.infer<typeof identitySchema>;

/** Who is known to a deployment. A port: a file, a database, a chain's registry. */
export interface Registry {
  identity(id: string): Identity | undefined;
}

/** A registry of a fixed list; an id names one identity. */
export function registryOf(identities: readonly z.input<typeof identitySchema>[]): Registry {
  const byId = new Map<string, Identity>();
  for (const entry of identities) {
    const identity = identitySchema.parse(entry);
    if (byId.has(identity.id)) throw new InvalidValue("registry", "an id is registered twice", { details: identity.id });
    byId.set(identity.id, identity);
  }
  return { identity: (id) => byId.get(id) };
}

export function inForce({ from, until }: Identity, time: string): boolean {
  const at = secondsOf(time);
  return (from === undefined || secondsOf(from) <= at) && (until === undefined || at < secondsOf(until));
}

import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { classSchema, nameSchema, secondsOf, timeSchema } from "./fields.ts";
import { publicKeySchema } from "./signature.ts";

/** Verifier roles (RAILS 5.6). */
export const roleSchema = z.enum(["constraint", "receipt", "semantic", "policy", "human", "attestation", "triage"]);
export type Role = z.infer<typeof roleSchema>;

/** Registered roles. An engine clears, settles and ends; it does not judge, so it has no verifier's role. */
const standingSchema = z.enum([...roleSchema.options, "engine"]);

/** A signer: its key, its principal, and its registration. */
export const identitySchema = z.strictObject({
  id: nameSchema,
  key: publicKeySchema,
  /** The person or firm behind it. Evidence and verdicts must come from another principal than those concerned. */
  principal: nameSchema,
  /** Classes it may issue above SIGN. */
  issues: z.array(classSchema).readonly().default([]),
  /** Role as a verifier, or that of the clearing engine. */
  role: standingSchema.optional(),
  /** Validity of the registration. */
  from: timeSchema.optional(),
  until: timeSchema.optional(),
});
export type Identity = z.infer<typeof identitySchema>;

/** Port to a deployment's registry: a file, a database, a chain. */
export interface Registry {
  identity(id: string): Identity | undefined;
}

/** A registry of a fixed list; ids are unique. */
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

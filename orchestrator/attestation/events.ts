import { z } from "zod";
import { CLAIM_TYPES, digestSchema } from "./claims.ts";
import { OUTCOME_STATUSES } from "./outcome.ts";

const id = z.string().min(1);

/** An event in a claim's life (Pramana 6.1). `digest` binds the claim's content to the trail. */
export const lifecycleEventSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("emit"), claim: id, claimType: z.enum(CLAIM_TYPES), attester: id, digest: digestSchema }),
  z.strictObject({ action: z.literal("verify"), claim: id, status: z.enum(OUTCOME_STATUSES), verifier: id }),
  z.strictObject({ action: z.literal("suppress"), claim: id }),
  z.strictObject({ action: z.literal("show"), claim: id, principal: id }),
]);
export type LifecycleEvent = Readonly<z.infer<typeof lifecycleEventSchema>>;

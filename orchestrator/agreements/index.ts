/** `agentcity/agreements`: agreements of two parties after ASA. Knows no chain, no network and no clock; see docs/agreements.md. */
export { type ByteSigner, type PublicKey, signerOf } from "../primitives/signing.ts";
export * from "./canary.ts";
export * from "./canonical.ts";
export * from "./clock.ts";
export * from "./errors.ts";
export * from "./evaluators.ts";
export * from "./lifecycle.ts";
export * from "./money.ts";
export * from "./negotiation.ts";
export * from "./release.ts";
export * from "./reputation.ts";
export * from "./schema.ts";
export * from "./score.ts";
export * from "./store.ts";
export * from "./structure.ts";
export * from "./templates.ts";
export * from "./verification.ts";

/** `agentcity/agreements`: agreements of two parties after ASA. Knows no chain, no network and no clock; see docs/agreements.md. */
export { type ByteSigner, type PublicKey, signerOf } from "../primitives/signing.ts";
export * from "./canonical.ts";
export * from "./errors.ts";
export * from "./lifecycle.ts";
export * from "./money.ts";
export * from "./negotiation.ts";
export * from "./schema.ts";
export * from "./score.ts";

/** `agentcity/attestation`: typed claims and their verification (Pramana), usable without the rest of the city. */
export { type ByteSigner, isSignedBy, type PublicKey, type SignatureAlgorithm, signerOf } from "../primitives/signing.ts";
export * from "./bundle.ts";
export * from "./claims.ts";
export * from "./desk.ts";
export * from "./events.ts";
export * from "./handlers.ts";
export * from "./http-fetcher.ts";
export * from "./lifecycle.ts";
export * from "./model-oracle.ts";
export * from "./oracles.ts";
export * from "./outcome.ts";
export * from "./ports.ts";
export * from "./trail.ts";
export * from "./verify.ts";
export * from "./wire.ts";

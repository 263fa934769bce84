/** Agreements on a chain: their terms for `AgreementEscrow`, its calls with three outcomes, and what ERC-8004 is told of them. See docs/agreements.md. */
export * from "./escrow.ts";
export * from "./registries.ts";
export * from "./send.ts";
export * from "./terms.ts";

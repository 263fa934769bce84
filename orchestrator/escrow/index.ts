/** Agreements on chain: terms for `AgreementEscrow`, its calls with three outcomes, and reports to ERC-8004. See docs/agreements.md. */
export * from "./accounts.ts";
export * from "./escrow.ts";
export * from "./registries.ts";
export * from "./send.ts";
export * from "./steps.ts";
export * from "./terms.ts";
export * from "./validations.ts";

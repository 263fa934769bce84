/** Agreements on a chain: their terms for `AgreementEscrow`, and its calls with three outcomes. See docs/agreements.md. */
export * from "./escrow.ts";
export * from "./terms.ts";

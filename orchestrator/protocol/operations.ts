import { keccak256 } from "../primitives/hash.ts";
import { bytesToHex, type Hash } from "../primitives/hex.ts";

/** Artifacts that the Codifier must obtain from a registered service before a law is deployed (AgentCity B.3). */
export const CODIFIER_OPERATIONS = ["compile-law", "audit-codification"] as const;
/** The file whose code, with its imports, is the service for an operation. */
export const OPERATION_SOURCES: Readonly<Record<CodifierOperation, string>> = {
  "compile-law": "orchestrator/client/compile-law.ts",
  "audit-codification": "orchestrator/client/codification-audit.ts",
};
export type CodifierOperation = (typeof CODIFIER_OPERATIONS)[number];

/** An operation's on-chain name. */
export function operationId(name: CodifierOperation): Hash {
  return keccak256(bytesToHex(new TextEncoder().encode(name)));
}

import parse from "spdx-expression-parse";
import type { JsonObject } from "../../orchestrator/primitives/json.js";
import type { ServiceInput } from "./contract.js";
/** What a policy says of a licence. */
export type Verdict = "allowed" | "unlisted" | "denied" | "unclear";
export interface Policy {
    /** SPDX ids or expressions; empty: whatever is not denied is allowed. */
    readonly allow: readonly string[];
    readonly deny: readonly string[];
}
/** Options of a service that has a policy. */
export declare const POLICY: JsonObject;
export declare function policyOf(input: ServiceInput): Policy;
type Expression = ReturnType<typeof parse>;
/** An SPDX expression as data, or undefined when it is none. */
export declare function expressionOf(text: string): Expression | undefined;
/** Of a choice (`OR`) the best counts, of what binds together (`AND`) the worst. What is no SPDX expression is unclear. */
export declare function verdictOn(expression: string, policy: Policy): Verdict;
export {};

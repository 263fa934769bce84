import type { Service, ServiceAbout } from "./shared/contract.js";
import { type Family } from "./shared/licences.js";
export declare const about: ServiceAbout;
/** Believes the manifest: parses its licence expression and nothing else. */
declare const licenceBySpdx: Service;
export default licenceBySpdx;
/**
 * `OR` offers a choice, and the most permissive is taken; `AND` binds to all, and the strictest counts. `WITH` exceptions
 * leave the family as it is. An expression that does not parse is looked up as one plain name.
 */
export declare function familyOfExpression(expression: string): Family;

import type { Service, ServiceAbout } from "./shared/contract.js";
import { type Family } from "./shared/licences.js";
export declare const about: ServiceAbout;
/** Believes the grant itself: compares the wording of the licence file with what only one family says. */
declare const licenceByText: Service;
export default licenceByText;
/** The family whose wording occurs most completely; "other" for a real text that fits none, "unknown" without a text. */
export declare function familyOfWording(text: string): Family;

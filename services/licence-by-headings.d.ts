import type { Item, Service, ServiceAbout } from "./shared/contract.js";
import { type Family } from "./shared/licences.js";
export declare const about: ServiceAbout;
/** Believes what is written largest: reads like a person who skims; the manifest's own line comes last. */
declare const licenceByHeadings: Service;
export default licenceByHeadings;
export declare function familyByHeadings(item: Item): Family;

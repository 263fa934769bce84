import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Each text against the one before it (in order of id) that it resembles most: the first of a group of copies is the original. */
declare const nearDuplicates: Service;
export default nearDuplicates;

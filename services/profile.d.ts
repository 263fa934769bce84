import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One item per column, in the table's order. */
declare const profile: Service;
export default profile;

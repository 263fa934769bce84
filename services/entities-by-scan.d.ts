import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** The same entities as `extract-entities`, found otherwise: what both find is unlikely to be either's mistake. */
declare const entitiesByScan: Service;
export default entitiesByScan;

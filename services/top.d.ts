import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Exactly n where there are as many: of items that share the last place, those with the lower ids. */
declare const top: Service;
export default top;

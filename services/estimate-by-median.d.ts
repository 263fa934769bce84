import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Believes the middle guess and ignores how far off the others are. */
declare const estimateByMedian: Service;
export default estimateByMedian;

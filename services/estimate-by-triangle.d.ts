import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** The mean of a triangular distribution: every guess weighs the same. */
declare const estimateByTriangle: Service;
export default estimateByTriangle;

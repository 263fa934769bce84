import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Tukey's fences. Every row, those that are furthest off first. */
declare const outliers: Service;
export default outliers;

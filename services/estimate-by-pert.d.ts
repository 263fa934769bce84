import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** The mean of PERT's beta distribution: (least + 4 · middle + greatest) / 6. */
declare const estimateByPert: Service;
export default estimateByPert;

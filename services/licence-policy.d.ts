import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const licencePolicy: Service;
export default licencePolicy;

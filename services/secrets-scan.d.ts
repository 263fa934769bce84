import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const secretsScan: Service;
export default secretsScan;

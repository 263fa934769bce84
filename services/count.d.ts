import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const count: Service;
export default count;

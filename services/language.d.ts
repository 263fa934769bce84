import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
declare const language: Service;
export default language;

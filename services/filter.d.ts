import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** An item without the field passes `missing` and nothing else: it is not known to differ from anything. */
declare const filter: Service;
export default filter;

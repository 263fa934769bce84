import type { ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Words alone: it does not see what is negated. */
declare const _default: import("./shared/contract.js").Service;
export default _default;

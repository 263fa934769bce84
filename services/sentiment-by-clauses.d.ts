import type { ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** What follows a `but` outweighs what stands before it: each clause counts once, and the last one twice. */
declare const _default: import("./shared/contract.js").Service;
export default _default;

import type { ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** Sentences of a long text are judged one by one: the whole is their mean. */
declare const _default: import("./shared/contract.js").Service;
export default _default;

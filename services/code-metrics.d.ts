import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** `label` is the language, `value` the lines of code; of text for people there are none. Complexity is null for other languages and what cannot be parsed. */
declare const codeMetrics: Service;
export default codeMetrics;

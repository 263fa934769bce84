import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One item per source file and per package.json; `value` is how many files import it. Other files are left out. */
declare const dependencyGraph: Service;
export default dependencyGraph;

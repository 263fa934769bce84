import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One item per distinct link of a page, in order of appearance; a page that cannot be read is one item that says why. */
declare const links: Service;
export default links;

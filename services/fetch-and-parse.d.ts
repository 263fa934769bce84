import type { Service, ServiceAbout } from "./shared/contract.js";
export declare const about: ServiceAbout;
/** One normal record per item; what cannot be fetched or parsed becomes a record that says why in `problem`. */
declare const fetchAndParse: Service;
export default fetchAndParse;
